import { ImageUp, Trash2 } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { classes } from '../../ui/classes.ts';
import { dataUriOf } from '../../ui/data-uri.ts';
import { Field, inputLook, TextField } from '../../ui/field.tsx';
import { FileDrop } from '../../ui/file-drop.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

/** Maximum file size in bytes; as a data URI, the file must fit in a request. */
const LARGEST_BYTES = 500_000;
/** Color of the field while no brand color is set. */
const NO_COLOR = '#2257d2';

/** The form for the logo and color that visitors see. */
export function Brand({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('workspace.write');
  // The stored value differs from the sent one, because the logo gets its own URL.
  const [newLogo, setLogo] = useState<string | null>();
  const [newColor, setColor] = useState<string>();
  const [newName, setName] = useState<string>();
  const save = useSaveWorkspace(workspace, () => {
    setLogo(undefined);
    setColor(undefined);
    setName(undefined);
  });
  const messages = messagesOf(save.error);
  const logo = newLogo === undefined ? workspace.logo : newLogo;
  const color = newColor ?? workspace.brandColor ?? '';
  const name = newName ?? workspace.brandName ?? '';
  const changes = {
    ...(name !== (workspace.brandName ?? '') && { brandName: name === '' ? null : name }),
    ...(logo !== workspace.logo && { logo }),
    ...(color !== (workspace.brandColor ?? '') && { brandColor: color === '' ? null : color }),
  };
  return (
    <FormSection
      title="Brand"
      description="Shown on pages your visitors see, such as the password page."
      mayWrite={mayWrite}
      write={save}
      isChanged={Object.keys(changes).length > 0}
      onSubmit={() => save.write(changes)}
    >
      <LogoField
        logo={logo}
        stored={workspace.logo}
        onChange={setLogo}
        mayWrite={mayWrite}
        error={messages['logo']}
      />
      <TextField
        label="Brand name"
        hint="Shown under the logo. Leave it empty to show none."
        maxLength={80}
        disabled={!mayWrite}
        value={name}
        onChange={({ target }) => setName(target.value)}
        error={messages['brandName']}
      />
      <Field
        label="Color"
        hint="The color of buttons and links, such as #0055ff. Leave it empty to use the default."
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
              placeholder="Default"
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
  stored: string | null;
  onChange(logo: string | null): void;
  mayWrite: boolean;
  error: string | undefined;
}

function LogoField({ logo, stored, onChange, mayWrite, error }: LogoFieldProps) {
  const [typed, setTyped] = useState('');
  const shown = logo === null ? undefined : sourceOf(logo);
  return (
    <>
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
              <>
                {logo === null && (
                  <span className="text-muted">
                    {mayWrite ? 'Drop an image here, paste it, or' : 'None'}
                  </span>
                )}
                {logo !== null && shown === undefined && (
                  <span className="min-w-0 break-all text-muted">{logo}</span>
                )}
                {shown !== undefined && (
                  // The background is white, as on the pages that visitors see.
                  <img
                    src={shown}
                    alt="Current logo"
                    className="h-12 max-w-48 rounded bg-white p-1"
                  />
                )}
              </>
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
      {mayWrite && (
        <TextField
          label="Logo URL"
          type="url"
          hint="Use an image from the web instead of a file. We download it once, when you save."
          placeholder="https://example.com/logo.png"
          value={typed === logo ? typed : ''}
          onChange={({ target: { value } }) => {
            setTyped(value);
            onChange(value === '' ? stored : value);
          }}
        />
      )}
    </>
  );
}

/** Returns the path of a stored logo; the console's policy blocks images of other hosts. */
function sourceOf(logo: string): string | undefined {
  if (logo.startsWith('data:')) return logo;
  // The origin of the URL is BASE_URL, which may differ from ours behind a proxy.
  return /^https?:\/\/[^/]+(\/logos\/[^/]+\/[^/]+)$/.exec(logo)?.[1];
}
