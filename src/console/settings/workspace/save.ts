import { useQueryClient } from '@tanstack/react-query';
import { answer, type Schemas } from '../../api/client.ts';
import { useWrite } from '../../api/queries.ts';
import { meQuery, personClient } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { toast } from '../../ui/toasts.tsx';

/**
 * Saves some settings of the workspace.
 *
 * @param onSaved called when the workspace is read again
 */
export function useSaveWorkspace(onSaved?: () => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  return useWrite({
    send: (body: Schemas['WorkspaceUpdate']) => answer(api.PATCH('/workspace', { body })),
    onDone: async () => {
      await client.invalidateQueries({ queryKey: ['workspace'] });
      onSaved?.();
      // The switcher has the name of the workspace.
      await personClient.invalidateQueries(meQuery);
      toast('Saved');
    },
  });
}
