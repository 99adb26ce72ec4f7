import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { recordQuery } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';

/** Refetch intervals while events of a test or a backfill are being sent, and otherwise, in ms. */
const REFRESH_MS = { busy: 1_000, idle: 10_000 };

const isBusy = ({ lastTest, backfill }: Schemas['Destination']): boolean =>
  lastTest?.state === 'pending' || (backfill !== null && backfill.finishedAt === null);

/** Keeps a destination of a list up to date, since events change it all the time. */
export function useLatest(listed: Schemas['Destination']): Schemas['Destination'] {
  const { api } = useWorkspace();
  const { data } = useQuery({
    ...recordQuery(api, 'destinations', listed.id),
    initialData: listed,
    refetchInterval: ({ state }) =>
      state.data !== undefined && isBusy(state.data) ? REFRESH_MS.busy : REFRESH_MS.idle,
  });
  return data;
}
