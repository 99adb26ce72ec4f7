import { answer, type Schemas } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { refusalInWords } from '../api/error-words.ts';
import { keys } from '../api/keys.ts';
import { sendLater } from '../api/queries.ts';
import type { Call } from '../app/changes.ts';
import { toast, undoAction } from '../ui/toasts.tsx';
import type { RecordKind } from './list-kind.ts';
import type { BulkEdit, Listed } from './listed.ts';
import { type WriteContext, writeLater, writeNow } from './pending.ts';
import { refreshRestored, restorationOf, restoredOf } from './restore.ts';

/** Collects the arguments that every bulk write needs. */
const laterOf = <Row extends Listed>(
  { list, inWords }: RecordKind<Row>,
  records: readonly Row[],
) => ({
  ids: records.map(({ id }) => id),
  count: inWords(records.length),
  path: `/${list}/bulk`,
  refresh: (client: WriteContext['client']) =>
    client.invalidateQueries({ queryKey: keys[list].all }),
});

/** Moves records to the trash, from which the message about it can restore them. */
export function deleteRecords<Row extends Listed>(
  { api, client }: WriteContext,
  kind: RecordKind<Row>,
  records: readonly Row[],
): void {
  const { ids, count, path, refresh } = laterOf(kind, records);
  const remove = api.DELETE as unknown as Call;
  writeNow(client, {
    ids,
    overlay: 'deleted',
    async send(part) {
      await answer(remove(path, { params: { query: { [kind.ids]: part } }, keepalive: true }));
    },
    async refresh() {
      void client.invalidateQueries({ queryKey: keys.trash.all });
      await refresh(client);
    },
    onDone: () =>
      toast(
        `${count} deleted`,
        'plain',
        [undoAction(() => undoDeletion({ api, client }, ids, kind))],
        ids,
      ),
  });
}

/** Restores records that were just deleted, and tells which could not be restored. */
function undoDeletion(
  context: WriteContext,
  ids: readonly string[],
  kind: Pick<RecordKind<never>, 'inWords'>,
): void {
  const restoration = restorationOf(context.api, ids);
  sendLater(
    context.client,
    {
      send: (_, key) => restoration.send(key),
      onDone() {
        refreshRestored(context.client, ids);
        const refused = restoration.outcomes.flatMap(({ error }) => error?.message ?? []);
        const [reason] = refused;
        if (reason === undefined) return toast(`${kind.inWords(ids.length)} restored`);
        return toast(
          `${refused.length} of ${kind.inWords(ids.length)} could not be restored. ${refusalInWords(409, reason)} See the trash.`,
          'danger',
        );
      },
      onFailed(error) {
        refreshRestored(context.client, ids);
        const rest = ids.slice(restoration.outcomes.length);
        toast(
          `${restoredOf(restoration)} of ${kind.inWords(ids.length)} restored. ${describe(error)}`,
          'danger',
          [{ label: 'Try again', run: () => undoDeletion(context, rest, kind) }],
          rest,
        );
      },
    },
    undefined,
  );
}

/**
 * Changes records after a delay in which the person can undo it.
 *
 * @param onDone called when the API has made the change
 */
export function changeRecords<Row extends Listed>(
  { api, client }: WriteContext,
  kind: RecordKind<Row>,
  records: readonly Row[],
  { data, shown, say }: BulkEdit,
  onDone: () => void,
): void {
  const { ids, count, path, refresh } = laterOf(kind, records);
  const change = api.PATCH as unknown as Call;
  writeLater(client, {
    ids,
    overlay: shown,
    text: say(count),
    async send(part) {
      const body = { [kind.ids]: part, data };
      const results = await answer(change(path, { params: {}, body, keepalive: true }));
      return (results as Schemas['BulkLinkResult'][]).flatMap((result) =>
        'error' in result ? [refusalInWords(422, result.error.message)] : [],
      );
    },
    refresh,
    onDone,
  });
}
