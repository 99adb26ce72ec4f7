import { useNavigate } from '@tanstack/react-router';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import type { RefusedText } from '../../ui/one-url.ts';

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Text for the table of new links. */
    pasted?: string;
  }
}

/** A button that opens the table of new links with pasted URLs. */
export function CreateMany({ text, urls }: RefusedText) {
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  if (!may('imports.write')) return null;
  return (
    <Button
      className="mt-1 self-start"
      onClick={() =>
        void navigate({
          to: '/$workspace/links/batch',
          params: { workspace: slug },
          state: { pasted: text },
        })
      }
    >
      Create {urls} links
    </Button>
  );
}
