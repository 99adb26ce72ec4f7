import { useQueryClient } from '@tanstack/react-query';
import { type ReactNode, Suspense, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { changeRecords, deleteRecords } from './bulk.ts';
import type { RecordKind } from './list-kind.ts';
import type { BulkEdit, Listed } from './listed.ts';

const DeleteDialog = lazyPart(() => import('./delete-dialog.tsx'), 'DeleteDialog');
const ResetDialog = lazyPart(() => import('./reset-dialog.tsx'), 'ResetDialog');
const SimulateDialog = lazyPart(() => import('./simulate-dialog.tsx'), 'SimulateDialog');
const PARTS = [DeleteDialog, ResetDialog, SimulateDialog];

interface Reactions<Row> {
  /** Called once the API has made a change. */
  onChanged?(records: readonly Row[], edit: BulkEdit): void;
  /** Called when records are deleted. */
  onRemoved(records: readonly Row[]): void;
}

interface RecordDialogs<Row> {
  change(records: readonly Row[], edit: BulkEdit): void;
  /** Deletes records, and asks first where printed or clicked ones would stop to work. */
  remove(records: readonly Row[]): void;
  reset(record: Row): void;
  simulate(record: Row): void;
  dialogs: ReactNode;
}

/** Returns the actions on records that lists and pages of records share, with their dialogs. */
export function useRecordDialogs<Row extends Listed>(
  kind: RecordKind<Row>,
  { onChanged, onRemoved }: Reactions<Row>,
): RecordDialogs<Row> {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [doomed, setDoomed] = useState<readonly Row[]>();
  const [counted, setCounted] = useState<Row>();
  const [simulated, setSimulated] = useState<Row>();
  usePreload(PARTS);
  const remove = (records: readonly Row[]) => {
    deleteRecords({ api, client }, kind, records);
    onRemoved(records);
  };
  return {
    change: (records, edit) =>
      changeRecords({ api, client }, kind, records, edit, () => onChanged?.(records, edit)),
    remove: (records) => (kind.needsConfirmation(records) ? setDoomed(records) : remove(records)),
    reset: setCounted,
    simulate: setSimulated,
    dialogs: (
      <Suspense>
        {doomed !== undefined && (
          <DeleteDialog
            kind={kind}
            records={doomed}
            onDelete={() => remove(doomed)}
            onClose={() => setDoomed(undefined)}
          />
        )}
        {counted !== undefined && (
          <ResetDialog kind={kind} record={counted} onClose={() => setCounted(undefined)} />
        )}
        {simulated !== undefined && (
          <SimulateDialog
            list={kind.list}
            id={simulated.id}
            name={kind.nameOf(simulated)}
            onClose={() => setSimulated(undefined)}
          />
        )}
      </Suspense>
    ),
  };
}
