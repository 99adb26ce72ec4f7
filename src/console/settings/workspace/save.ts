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
 * Saves some settings of the workspace.
 *
 * @param workspace as the form shows it
 * @param onSaved called when the workspace is read again, with what is stored
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
      // The switcher has the name of the workspace.
      await personClient.invalidateQueries(meQuery);
      toast('Saved');
    },
  });
}
