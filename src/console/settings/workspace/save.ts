import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { useWrite } from '../../api/queries.ts';
import { changeRecord } from '../../app/changes.ts';
import { meQuery, personClient } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { toast } from '../../ui/toasts.tsx';

type Workspace = Schemas['Workspace'];

/**
 * Saves settings of the workspace.
 *
 * @param workspace version that the form shows
 * @param onSaved called with the stored workspace after the write
 */
export function useSaveWorkspace(workspace: Workspace, onSaved?: (saved: Workspace) => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [seen, setSeen] = useState(workspace);
  return useWrite({
    send: (body: Schemas['WorkspaceUpdate']) =>
      changeRecord({ api, path: '/workspace', of: {}, seen }, body),
    onDone: async (saved) => {
      setSeen(saved);
      await client.invalidateQueries({ queryKey: keys.workspace.all });
      onSaved?.(saved);
      // The workspace switcher shows the name.
      await personClient.invalidateQueries(meQuery);
      toast('Saved');
    },
  });
}
