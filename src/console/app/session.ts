import { queryOptions, useQuery } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { makeQueryClient } from '../api/queries.ts';

/** Called when the API no longer knows the session; the router sets it. */
let leave: () => void = () => undefined;
export const onSignedOut = (): void => leave();
export const whenSignedOut = (action: () => void): void => {
  leave = action;
};

/** Answers that belong to the person, not to a workspace. */
export const personClient = makeQueryClient(() => undefined);

/** Forgets the person who has left, when nothing that needs them is shown any more. */
export const forgetPerson = (): void =>
  personClient.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== keys.methods.all[0] });

/** The signed-in person; fails with 401 when nobody is signed in. */
export const meQuery = queryOptions({
  queryKey: keys.me.all,
  queryFn: people.me,
  staleTime: 60_000,
});

/** The ways in which people can sign in. */
export const methodsQuery = queryOptions({
  queryKey: keys.methods.all,
  queryFn: people.methods,
  staleTime: 60_000,
});

/** True for a person who could not sign in again: without a password, and without a provider that signs people in. */
export function useLacksPassword(): boolean {
  const { hasPassword } = useMe();
  const { data } = useQuery({ ...methodsQuery, enabled: !hasPassword }, personClient);
  return !hasPassword && data?.oidc === null;
}

/** The signed-in person, on pages behind the sign-in. */
export function useMe() {
  const { data } = useQuery(meQuery, personClient);
  if (data === undefined) throw new Error('nobody is signed in');
  return data;
}
