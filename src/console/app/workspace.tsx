import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Api, apiOf, type Schemas } from '../api/client.ts';
import { makeQueryClient } from '../api/queries.ts';
import { WindowName } from '../ui/page.tsx';
import { onSignedOut } from './session.ts';

type Membership = Schemas['Membership'];
/** A right of a role, such as `links.write`. */
export type Scope = Exclude<Schemas['Scope'], '*'>;

/** The current workspace. */
export interface CurrentWorkspace extends Membership {
  /** Client bound to this workspace, even after the person switches to another. */
  api: Api;
  /** True when the person's role has the scope: `may('links.write')`. */
  may(scope: Scope): boolean;
  /** True when the person can open a view of the settings. */
  opens(view: { scope: Scope; isUnlimited?: true }): boolean;
}

const Current = createContext<CurrentWorkspace | undefined>(undefined);

/** Query clients by workspace, kept while the window is open. */
const stores = new Map<string, QueryClient>();

function storeOf(slug: string): QueryClient {
  const store = stores.get(slug) ?? makeQueryClient(onSignedOut);
  stores.set(slug, store);
  return store;
}

/** Returns the check of a member's scopes, which hides controls that the API would refuse. */
export const rightsOf =
  ({ scopes }: Membership) =>
  (scope: Scope): boolean =>
    scopes.includes('*') || scopes.includes(scope);

/** Provides the current workspace to the views inside. */
export function WorkspaceProvider({ of, children }: { of: Membership; children: ReactNode }) {
  const value = useMemo(() => {
    const may = rightsOf(of);
    const opens: CurrentWorkspace['opens'] = ({ scope, isUnlimited }) =>
      may(scope) && (isUnlimited !== true || of.limits === null);
    return { ...of, api: apiOf(of.slug), may, opens };
  }, [of]);
  return (
    <QueryClientProvider client={storeOf(of.slug)}>
      <Current value={value}>
        <WindowName value={of.name}>{children}</WindowName>
      </Current>
    </QueryClientProvider>
  );
}

/** True inside the frame of a workspace. */
export const useIsInWorkspace = (): boolean => useContext(Current) !== undefined;

/** Returns the current workspace. */
export function useWorkspace(): CurrentWorkspace {
  const workspace = useContext(Current);
  if (workspace === undefined) throw new Error('no workspace is open');
  return workspace;
}
