import { Trash2, Upload } from 'lucide-react';
import { useId } from 'react';
import { Button, buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Field, TextField } from '../ui/field.tsx';
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
  /** Reads a chosen file as a `data:` URI. */
  read(file: File): Promise<string>;
}

/** A file that the service stores: a chosen one, or a URL. */
export function SourceField(props: SourceFieldProps) {
  const { label, hint, placeholder, source, onChange, error, accept, read } = props;
  const id = useId();
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
      <label
        htmlFor={id}
        className={classes(
          buttonLook(),
          'w-fit cursor-pointer has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
        )}
      >
        <Upload size={15} aria-hidden />
        Choose a file
        <input
          id={id}
          type="file"
          aria-label={`${label} from this device`}
          className="sr-only"
          accept={accept}
          onChange={({ target }) => {
            const file = target.files?.[0];
            if (file !== undefined) read(file).then(onChange, toastError);
          }}
        />
      </label>
    </div>
  );
}
