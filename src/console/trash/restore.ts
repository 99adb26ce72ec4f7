import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { ApiError, describe } from '../api/error.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import {
  type Restoration,
  refreshRestored,
  restorationOf,
  restoredOf,
} from '../short-links/restore.ts';
import { countOf } from '../ui/count-of.ts';
import { toastError } from '../ui/toast-error.ts';
import { toast } from '../ui/toasts.tsx';

export type Trashed = Schemas['TrashedRecord'];

/** Names a deleted record by its domain and slug. */
export const nameOf = ({ domain, key }: Trashed): string => `${domain ?? 'deleted domain'}/${key}`;

/** A record that could not be restored. */
export interface Refusal {
  record: Trashed;
  reason: string;
  /** True when another record has its slug. */
  isTaken: boolean;
}

const refusalOf = (record: Trashed, error: Error): Refusal => ({
  record,
  reason: describe(error),
  isTaken: error.message.startsWith('The key "'),
});

/** Records to restore together. */
interface Restored {
  records: readonly Trashed[];
  restoration: Restoration;
}

/** Lists the records that a restoration could not restore. */
const refusalsOf = (records: readonly Trashed[], { outcomes }: Restoration): Refusal[] =>
  records.flatMap((record, index) => {
    const error = outcomes[index]?.error;
    return error === undefined
      ? []
      : [refusalOf(record, new ApiError(422, error.code, error.message))];
  });

/** Restores records, and lists those that could not be restored with the reasons. */
export function useRestore(onDone: () => void) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [refusals, setRefusals] = useState<readonly Refusal[]>([]);
  /** Shows the refusals of a restoration in place of earlier ones, and its records in all lists. */
  const show = (records: readonly Trashed[], refused: readonly Refusal[]) => {
    const ids = records.map(({ id }) => id);
    setRefusals((before) => [
      ...before.filter(({ record }) => !ids.includes(record.id)),
      ...refused,
    ]);
    refreshRestored(client, ids);
  };
  const { write, isPending } = useWrite({
    send: async ({ records, restoration }: Restored, key): Promise<readonly Refusal[]> => {
      const [only] = records;
      if (records.length === 1) {
        // The restoration of a single record sends its webhook event.
        const options = { linkId: only!.id, qrcodeId: only!.id };
        try {
          await answer<object>(
            only!.type === 'link'
              ? api.POST('/links/{linkId}/restore', { ...idempotent(key, options), body: {} })
              : api.POST('/qrcodes/{qrcodeId}/restore', idempotent(key, options)),
          );
          return [];
        } catch (error) {
          if (!(error instanceof ApiError) || error.isPassing) throw error;
          return [refusalOf(only!, error)];
        }
      }
      await restoration.send(key);
      return refusalsOf(records, restoration);
    },
    onDone(refused, { records }) {
      const restored = records.length - refused.length;
      show(records, refused);
      if (restored > 0) {
        const [only] = records;
        toast(
          only !== undefined && records.length < 2
            ? `${nameOf(only)} restored`
            : `${countOf(restored, 'record')} restored`,
        );
      }
      onDone();
    },
    onFailed(error, { records, restoration }) {
      const { length } = restoration.outcomes;
      show(records.slice(0, length), refusalsOf(records.slice(0, length), restoration));
      if (length === 0) return toastError(error);
      const restored = `${restoredOf(restoration)} of ${countOf(records.length, 'record')} restored`;
      toast(`${restored}. ${describe(error)}`, 'danger');
    },
  });
  return {
    write: (records: readonly Trashed[]) => {
      const ids = records.map(({ id }) => id);
      write({ records, restoration: restorationOf(api, ids) });
    },
    isPending,
    refusals,
    /** Removes the refusal of a record, or all of them. */
    dismiss: (id?: string) =>
      setRefusals((before) =>
        id === undefined ? [] : before.filter(({ record }) => record.id !== id),
      ),
  };
}
