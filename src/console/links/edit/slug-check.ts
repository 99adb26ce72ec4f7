import { useQuery } from '@tanstack/react-query';
import { answer } from '../../api/client.ts';
import { ApiError } from '../../api/error.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { useDebounced } from '../../ui/use-debounced.ts';
import type { Link } from '../question.ts';
import type { Draft } from './draft.ts';

/** Shortest pause in typing after which a slug is looked up, in ms. */
const TYPING_MS = 200;

/**
 * Looks up a slug while it is typed, among the links of the workspace; the API has the last word when the link is saved.
 *
 * @param primary domain of links that name none
 */
export function useSlugCheck(draft: Draft, link: Link | undefined, primary: string | undefined) {
  const { api } = useWorkspace();
  const key = useDebounced(draft.key, TYPING_MS);
  const domain = draft.domain === '' ? primary : draft.domain;
  const isOwn = link !== undefined && link.key === key && link.domain === domain;
  const found = useQuery({
    queryKey: ['links', 'slug', domain, key],
    queryFn: async ({ signal }) => {
      try {
        const query = { domain: domain!, key };
        const { url } = await answer(api.GET('/links/info', { params: { query }, signal }));
        return { takenBy: url };
      } catch (error) {
        if (error instanceof ApiError && error.status === 404) return { takenBy: undefined };
        throw error;
      }
    },
    enabled: key !== '' && domain !== undefined && !isOwn,
    staleTime: 5_000,
  });
  if (key === '' || isOwn || key !== draft.key) return {};
  if (found.error instanceof ApiError && found.error.fields['key'] !== undefined) {
    return { error: found.error.fields['key'] };
  }
  if (found.data === undefined) return {};
  return found.data.takenBy === undefined
    ? { hint: 'This slug is free.' }
    : { error: `The slug is taken: it leads to ${found.data.takenBy}` };
}
