import { Trash2, Upload } from 'lucide-react';
import { Button } from '../ui/button.tsx';
import { Field, TextField } from '../ui/field.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { toastError } from '../ui/toast-error.ts';

interface SourceFieldProps {
  label: string;
  hint: string | undefined;
  placeholder: string;
  /** URL or `data:` URI; empty without one. */
  source: string;
  onChange(source: string): void;
  error: string | undefined;
  /** Media types of the file chooser. */
  accept: string;
  /** Reads a chosen file as a `data:` URI; `undefined` if the person cancels. */
  read(file: File): Promise<string | undefined>;
}

/** A file that the service stores: a chosen one, or a URL. */
export function SourceField(props: SourceFieldProps) {
  const { label, hint, placeholder, source, onChange, error, accept, read } = props;
  if (source.startsWith('data:')) {
    return (
      <Field label={label} error={error}>
        {() => (
          <div className="flex items-center gap-3 rounded-lg border border-line p-2">
            {source.startsWith('data:image/') && (
              <img src={source} alt="" className="size-14 rounded object-cover" />
            )}
            <span className="min-w-0 flex-1 text-muted">From this device</span>
            <Button icon={Trash2} onClick={() => onChange('')}>
              Remove
            </Button>
          </div>
        )}
      </Field>
    );
  }
  return (
    <div className="flex flex-col gap-2">
      <TextField
        label={`${label} URL`}
        inputMode="url"
        placeholder={placeholder}
        hint={hint}
        value={source}
        onChange={({ target }) => onChange(target.value)}
        error={error}
      />
      <FileButton
        icon={Upload}
        label={`${label} from this device`}
        accept={accept}
        onFile={(file) => {
          read(file).then((read) => read !== undefined && onChange(read), toastError);
        }}
      >
        Choose a file
      </FileButton>
    </div>
  );
}
