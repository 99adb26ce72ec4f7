import { queryOptions, useQuery } from '@tanstack/react-query';
import { type Api, answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { inTurn } from '../ui/in-turn.ts';

/** Live checks of the setup of a domain. */
export type Checks = Schemas['DomainChecks'];

/** Time for which a list shows the result of the checks before it checks again, in ms. */
const FRESH_MS = 5 * 60_000;
/** The same time for a domain with a problem, which its owner may be fixing. */
const PROBLEM_FRESH_MS = 30_000;
/**
 * Checks of lists that run at once. One takes seconds, and browsers open six connections to a
 * server without HTTP/2.
 */
const AT_ONCE = 2;
const checkInTurn = inTurn(AT_ONCE);

const readChecks = (api: Api, id: string, signal: AbortSignal) =>
  answer(api.GET('/domains/{id}/checks', { params: { path: { id } }, signal }));

/** Query options of the live checks of a domain. */
export const checksQuery = (api: Api, id: string) =>
  queryOptions({
    queryKey: keys.domainChecks.one(id),
    queryFn: ({ signal }) => readChecks(api, id, signal),
  });

/**
 * Checks a verified domain for a list, where the result is cached for some minutes.
 *
 * @param isSeen false to start no check
 * @returns what is wrong with the domain; `undefined` if nothing is known to be wrong
 */
export function useProblem({ id, verified }: Schemas['Domain'], isSeen: boolean) {
  const { api } = useWorkspace();
  const { queryKey } = checksQuery(api, id);
  const { data } = useQuery({
    queryKey,
    queryFn: ({ signal }) =>
      checkInTurn(async () => {
        signal.throwIfAborted();
        return readChecks(api, id, signal);
      }),
    enabled: verified && isSeen,
    retry: false,
    staleTime: ({ state }) =>
      state.data !== undefined && problemOf(state.data) !== undefined ? PROBLEM_FRESH_MS : FRESH_MS,
  });
  return verified && data !== undefined ? problemOf(data) : undefined;
}

/** Says in a few words why visitors do not reach the links of a domain, if they do not. */
function problemOf({ dns, reachable, certificate }: Checks): string | undefined {
  // Behind a CDN, DNS leads elsewhere although this service responds.
  if (dns.status === 'other' && reachable.status !== 'ok') return 'DNS points elsewhere';
  if (dns.status === 'missing') return 'No DNS record';
  if (certificate.status === 'expired') return 'Certificate expired';
  if (certificate.status === 'invalid') return 'Invalid certificate';
  if (reachable.status === 'other') return 'Wrong server';
  if (reachable.status === 'failed') return 'Not reachable';
  if (reachable.status === 'ok' && certificate.status === 'unknown') return 'No HTTPS';
  return undefined;
}
