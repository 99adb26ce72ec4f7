import { ImageUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { dataUriOf } from '../../ui/data-uri.ts';
import { Field, inputLook } from '../../ui/field.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** Largest file that is taken: as a data URI it must fit a request. */
const LARGEST_BYTES = 500_000;
/** Color of the field where none is set. */
const NO_COLOR = '#3b5bdb';

/** Logo and color of what visitors see. */
export function Brand({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('workspace.write');
  const [logo, setLogo] = useState(workspace.logo);
  const [color, setColor] = useState(workspace.brandColor ?? '');
  const save = useSaveWorkspace();
  const messages = messagesOf(save.error);
  const changes = {
    ...(logo !== workspace.logo && { logo }),
    ...(color !== (workspace.brandColor ?? '') && { brandColor: color === '' ? null : color }),
  };
  return (
    <FormSection
      title="Brand"
      description="Pages that visitors see, such as that for a password, have this logo and this color."
      mayWrite={mayWrite}
      busy={save.isPending}
      error={save.error}
      isChanged={Object.keys(changes).length > 0}
      onSubmit={() => save.write(changes)}
    >
      <LogoField logo={logo} onChange={setLogo} mayWrite={mayWrite} error={messages['logo']} />
      <Field
        label="Color"
        hint="Of buttons and links, such as #0055ff."
        error={messages['brandColor']}
      >
        {(control) => (
          <div className="flex items-center gap-2">
            <input
              type="color"
              aria-label="Pick a color"
              className="h-9 w-12 shrink-0 rounded-md border border-edge bg-panel p-1 max-md:h-11"
              disabled={!mayWrite}
              value={/^#[0-9a-f]{6}$/i.test(color) ? color : NO_COLOR}
              onChange={(event) => setColor(event.target.value)}
            />
            <input
              {...control}
              className={classes(inputLook, 'max-w-40 font-mono')}
              placeholder="None"
              maxLength={7}
              disabled={!mayWrite}
              value={color}
              onChange={(event) => setColor(event.target.value)}
            />
          </div>
        )}
      </Field>
    </FormSection>
  );
}

interface LogoFieldProps {
  logo: string | null;
  onChange(logo: string | null): void;
  mayWrite: boolean;
  error: string | undefined;
}

function LogoField({ logo, onChange, mayWrite, error }: LogoFieldProps) {
  return (
    <Field label="Logo" hint="PNG, JPEG, WebP or SVG, up to 500 KB." error={error}>
      {(control) => (
        <FileDrop
          label="Logo"
          control={control}
          accept="image/png,image/jpeg,image/webp,image/svg+xml"
          most={{
            bytes: LARGEST_BYTES,
            message: 'The image is larger than 500 KB. Choose a smaller one.',
          }}
          isDisabled={!mayWrite}
          onFile={(file) => void dataUriOf(file).then(onChange)}
          className="flex flex-wrap items-center gap-3 rounded-md border border-dashed p-3"
          idleLook="border-edge"
          lead={
            logo === null ? (
              <span className="text-muted">{mayWrite ? 'Drop an image here, or' : 'None'}</span>
            ) : (
              // On white: so it stands on the pages of visitors.
              <img
                src={sourceOf(logo)}
                alt="The present logo"
                className="h-12 max-w-48 rounded bg-white p-1"
              />
            )
          }
          button={mayWrite && { icon: ImageUp, children: 'Choose a file' }}
        >
          {mayWrite && logo !== null && (
            <Button look="quiet" icon={Trash2} onClick={() => onChange(null)}>
              Remove
            </Button>
          )}
        </FileDrop>
      )}
    </Field>
  );
}

/** The address has the origin of BASE_URL, which behind a proxy may not be ours, and the policy allows no other. */
function sourceOf(logo: string): string {
  if (logo.startsWith('data:')) return logo;
  const { pathname, search } = new URL(logo);
  return pathname + search;
}
