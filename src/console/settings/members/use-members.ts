import { useQuery } from '@tanstack/react-query';
import { answer } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { PAGE_SIZE } from '../../api/paged.ts';
import { useWorkspace } from '../../app/workspace.tsx';

/** The first members of the workspace, to choose from or to name. */
export function useMembers() {
  const { api } = useWorkspace();
  const query = { page: 1, pageSize: PAGE_SIZE };
  return useQuery({
    queryKey: keys.members.list('first page'),
    queryFn: ({ signal }) => answer(api.GET('/members', { params: { query }, signal })),
  });
}
