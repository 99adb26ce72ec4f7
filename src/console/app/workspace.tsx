import { type QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import { type Api, apiOf, type Schemas } from '../api/client.ts';
import { makeQueryClient } from '../api/queries.ts';
import { WindowName } from '../ui/page.tsx';
import { onSignedOut } from './session.ts';

type Membership = Schemas['Membership'];
/** A right of a role, such as `links.write`. */
export type Scope = Exclude<Schemas['Scope'], '*'>;

/** The workspace whose records are shown. */
export interface CurrentWorkspace extends Membership {
  /** A client that names this workspace, also when another one is shown before an answer comes. */
  api: Api;
  /** True when the person's role allows it: `may('links.write')`. */
  may(scope: Scope): boolean;
}

const Current = createContext<CurrentWorkspace | undefined>(undefined);

/** One store of answers for each workspace, for as long as the window is open. */
const stores = new Map<string, QueryClient>();

function storeOf(slug: string): QueryClient {
  const store = stores.get(slug) ?? makeQueryClient(onSignedOut);
  stores.set(slug, store);
  return store;
}

/** Tells what a person may do: controls that the API would refuse are not shown. */
const rightsOf =
  ({ scopes }: Membership) =>
  (scope: Scope): boolean =>
    scopes.includes('*') || scopes.includes(scope);

/** Provides the current workspace to the views inside. */
export function WorkspaceProvider({ of, children }: { of: Membership; children: ReactNode }) {
  const value = useMemo(() => ({ ...of, api: apiOf(of.slug), may: rightsOf(of) }), [of]);
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

/** The workspace whose records are shown. */
export function useWorkspace(): CurrentWorkspace {
  const workspace = useContext(Current);
  if (workspace === undefined) throw new Error('no workspace is open');
  return workspace;
}
