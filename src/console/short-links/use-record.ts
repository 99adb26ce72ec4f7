import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type RecordOf, recordQuery } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import type { RecordKind } from './list-kind.ts';
import type { Listed } from './listed.ts';
import { refreshOf } from './listing.ts';
import { overlaid, useOverlays } from './pending.ts';
import { useRecordDialogs } from './record-dialogs.tsx';

/**
 * Loads the record of a page with changes that are not sent yet.
 *
 * @param isFormOpen true to read a new record no more: an ended session would interrupt the form
 */
export function useRecord<List extends 'links' | 'qrcodes'>(
  list: List,
  id: string,
  isFormOpen = false,
) {
  const { api } = useWorkspace();
  const query = useQuery({
    ...recordQuery(api, list, id),
    refetchInterval: ({ state: { data } }) => !isFormOpen && refreshOf(data && [data]),
  });
  const overlays = useOverlays();
  const record = query.data as RecordOf<List> | undefined;
  return {
    ...query,
    data: record && (overlaid(record as { id: string }, overlays) as RecordOf<List>),
  };
}

/** Returns the actions on the record of a page; its deletion leads to the list. */
export function usePageActions<Row extends Listed>(kind: RecordKind<Row>) {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const { dialogs, change, remove, reset, simulate } = useRecordDialogs(kind, {
    onRemoved: () =>
      void navigate({ to: kind.route, params: { workspace: slug }, ignoreBlocker: true }),
  });
  return {
    dialogs,
    actions: {
      change: (record: Row, edit: Parameters<typeof change>[1]) => change([record], edit),
      remove: (record: Row) => remove([record]),
      reset,
      simulate,
    },
  };
}
