import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** Opens an import that was just created. */
export function useOpenImport(): (created: { id: string }) => Promise<void> {
  const { slug } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  return ({ id }) => {
    void client.invalidateQueries({ queryKey: keys.imports.all });
    return navigate({
      to: '/$workspace/imports/$importId',
      params: { workspace: slug, importId: id },
    });
  };
}
