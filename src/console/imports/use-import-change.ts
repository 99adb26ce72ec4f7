import { useQueryClient } from '@tanstack/react-query';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** Changes the options of an import that has not been started. */
export function useImportChange(id: string) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  return useWrite({
    send: (body: Schemas['ImportUpdate']) =>
      answer(api.PATCH('/imports/{id}', { params: { path: { id } }, body })),
    onDone: () => client.invalidateQueries({ queryKey: keys.imports.all }),
  });
}
