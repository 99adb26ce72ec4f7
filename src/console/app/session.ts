import { queryOptions, useQuery } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { makeQueryClient } from '../api/queries.ts';

/** Called when the API no longer accepts the session; set by the router. */
let leave: () => void = () => undefined;
export const onSignedOut = (): void => leave();
export const whenSignedOut = (action: () => void): void => {
  leave = action;
};

/** Query client for data of the person rather than of a workspace. */
export const personClient = makeQueryClient(() => undefined);

/** Clears the person's data after signing out, once no view needs it. */
export const forgetPerson = (): void =>
  personClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.methods.all[0] });

/** Query options of the signed-in person; fails with 401 when nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: keys.me.all,
  queryFn: people.me,
  staleTime: 60_000,
});

/** Query options of the available sign-in methods. */
export const methodsQuery = queryOptions({
  queryKey: keys.methods.all,
  queryFn: people.methods,
  staleTime: 60_000,
});

/** True for a person without a way to sign in again: no password, passkey or identity provider. */
export function useLacksPassword(): boolean {
  const { hasPassword, passkeys } = useMe();
  const isWithout = !hasPassword && passkeys === 0;
  const { data } = useQuery({ ...methodsQuery, enabled: isWithout }, personClient);
  return isWithout && data?.oidc === null;
}

/** Returns the signed-in person on pages behind the sign-in. */
export function useMe() {
  const { data } = useQuery(meQuery, personClient);
  if (data === undefined) throw new Error('nobody is signed in');
  return data;
}
