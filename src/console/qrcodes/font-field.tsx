import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { FONT_FAMILIES, isFamily } from '../../qrcodes/render/text.ts';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { dataUriOf } from '../ui/data-uri.ts';
import { SelectField } from '../ui/field.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';
import { fontsQuery } from './fonts.ts';

type Font = Schemas['Font'];

/** Maximum size of a font file, in bytes. */
const MAX_BYTES = 1024 * 1024;

interface FontFieldProps {
  /** Name of a family, or id of a font of the workspace. */
  family: string;
  onChange(family: string): void;
  error: string | undefined;
}

interface FontSelectProps extends Omit<FontFieldProps, 'error'> {
  label: string;
  error?: string | undefined;
}

/** The choice of a font. */
export function FontSelect({ label, family, onChange, error }: FontSelectProps) {
  const { api } = useWorkspace();
  const { data: fonts = [] } = useQuery(fontsQuery(api));
  const isListed = isFamily(family) || fonts.some(({ id }) => id === family);
  return (
    <SelectField
      label={label}
      value={family}
      onChange={({ target }) => onChange(target.value)}
      options={[
        ...FONT_FAMILIES.map((name) => [name, name] as const),
        ...fonts.map(({ id, name }) => [id, name] as const),
        ...(isListed ? [] : [[family, 'Deleted font'] as const]),
      ]}
      error={error}
    />
  );
}

/** The choice of a font, with the upload of another and the deletion of the chosen one. */
export function FontField({ family, onChange, error }: FontFieldProps) {
  const { api, limits, may } = useWorkspace();
  const { data: fonts = [] } = useQuery(fontsQuery(api));
  const [isDeleting, setDeleting] = useState(false);
  const upload = useUpload(({ id }) => onChange(id));
  const own = fonts.find(({ id }) => id === family);
  return (
    <div className="flex flex-col gap-2">
      <FontSelect
        label="Font"
        family={family}
        onChange={onChange}
        error={error ?? (upload.error === null ? undefined : describe(upload.error))}
      />
      {may('qrcodes.write') && limits === null && (
        <div className="flex flex-wrap gap-2">
          <FileButton
            icon={Upload}
            label="Font from this device"
            accept=".woff2,.woff,.ttf,.otf,font/*"
            disabled={upload.isPending}
            onFile={(file) => {
              if (file.size > MAX_BYTES) toast('Use a font of at most 1 MiB.', 'danger');
              else dataUriOf(file).then((source) => upload.write(source), toastError);
            }}
          >
            {upload.isPending ? 'Uploading…' : 'Upload a font'}
          </FileButton>
          {own !== undefined && (
            <Button icon={Trash2} onClick={() => setDeleting(true)}>
              Delete font
            </Button>
          )}
        </div>
      )}
      {isDeleting && own !== undefined && (
        <DeleteDialog font={own} onClose={() => setDeleting(false)} />
      )}
    </div>
  );
}

/** Uploads a font from a `data:` URI. */
function useUpload(onDone: (font: Font) => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  return useWrite({
    send: (source: string, key) =>
      answer(api.POST('/fonts', { body: { source }, ...idempotent(key) })),
    async onDone(font) {
      await client.invalidateQueries({ queryKey: keys.fonts.all });
      onDone(font as Font);
      toast(`Font “${(font as Font).name}” uploaded`);
    },
  });
}

function DeleteDialog({ font, onClose }: { font: Font; onClose(): void }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const remove = useWrite({
    send: (_: undefined) =>
      answer(api.DELETE('/fonts/{id}', { params: { path: { id: font.id } } })),
    onDone() {
      void client.invalidateQueries({ queryKey: keys.fonts.all });
      toast(`Font “${font.name}” deleted`);
      onClose();
    },
  });
  return (
    <FormDialog
      title={`Delete “${font.name}”?`}
      action="Delete font"
      isDanger
      onSubmit={() => remove.write(undefined)}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
    >
      <p>Codes and templates that use it keep it. It can no longer be chosen.</p>
    </FormDialog>
  );
}
