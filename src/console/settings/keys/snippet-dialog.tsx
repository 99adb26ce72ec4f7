import type { Schemas } from '../../api/client.ts';
import { CopyButton } from '../../ui/button.tsx';
import { DocsLink } from '../../ui/docs-link.tsx';
import { DoneDialog } from '../../ui/done-dialog.tsx';
import { Field, inputLook } from '../../ui/field.tsx';

interface SnippetDialogProps {
  apiKey: Schemas['ApiKey'];
  onClose(): void;
}

/** Shows the element that adds the script with a publishable key to a page. */
export function SnippetDialog({ apiKey, onClose }: SnippetDialogProps) {
  const snippet = `<script defer src="${location.origin}/track.js" data-key="${apiKey.publicKey}"></script>`;
  return (
    <DoneDialog title={apiKey.name} onClose={onClose}>
      <p>
        Add this to the pages of {apiKey.origins.join(', ')}. Anyone can read the key there: it can
        only track leads and sales.{' '}
        <DocsLink guide="page-script">How to track leads and sales</DocsLink>
      </p>
      <Field label="Snippet">
        {(control) => (
          <div className="flex items-start gap-1">
            <textarea
              {...control}
              readOnly
              data-autofocus
              rows={4}
              value={snippet}
              spellCheck={false}
              onFocus={(event) => event.currentTarget.select()}
              className={`${inputLook} h-auto py-1.5 font-mono text-xs break-all max-md:h-auto`}
            />
            <CopyButton text={snippet} label="Copy snippet" />
          </div>
        )}
      </Field>
    </DoneDialog>
  );
}
