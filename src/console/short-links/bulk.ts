import { answer, type Schemas } from '../api/client.ts';
import { refusalInWords } from '../api/error-words.ts';
import { keys } from '../api/keys.ts';
import type { Call } from '../app/changes.ts';
import type { BulkEdit, Listed } from './bulk-bar.tsx';
import type { RecordKind } from './list-kind.ts';
import { countText } from './listing.ts';
import { type WriteContext, writeLater } from './pending.ts';

/** Collects the arguments that every bulk write needs. */
const laterOf = <Row extends Listed>({ list, noun }: RecordKind<Row>, records: readonly Row[]) => ({
  ids: records.map(({ id }) => id),
  count: countText(records.length, noun),
  path: `/${list}/bulk`,
  refresh: (client: WriteContext['client']) =>
    client.invalidateQueries({ queryKey: keys[list].all }),
});

/** Deletes records after a delay in which the person can undo it. */
export function deleteRecords<Row extends Listed>(
  { api, client }: WriteContext,
  kind: RecordKind<Row>,
  records: readonly Row[],
): void {
  const { ids, count, path, refresh } = laterOf(kind, records);
  const remove = api.DELETE as unknown as Call;
  writeLater(client, {
    ids,
    overlay: 'deleted',
    text: `${count} deleted`,
    async send(part) {
      await answer(remove(path, { params: { query: { [kind.ids]: part } }, keepalive: true }));
    },
    refresh,
  });
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
