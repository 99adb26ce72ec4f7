import { type QueryClient, queryOptions } from '@tanstack/react-query';
import { type Api, answer, download, idempotent, type Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { sendLater } from '../../api/queries.ts';
import type { Call } from '../../app/changes.ts';
import { saveFile } from '../../ui/save-file.ts';
import { toastError } from '../../ui/toast-error.ts';
import { toast, undoAction } from '../../ui/toasts.tsx';
import type { ListKind, RecordKind } from '../list-kind.ts';
import type { WriteContext } from '../pending.ts';

/** A bulk change with its examples and first errors. */
export type BulkChange = Schemas['BulkChangeDetails'];

/** The change of a request. */
export type BulkBody = Pick<Schemas['NewLinkBulkChange'], 'data' | 'replace'>;

/** The kind of the records that a bulk change edits. */
export type EditedKind = Pick<RecordKind<never>, 'list' | 'noun' | 'inWords' | 'visitsInWords'>;
type Kind = Pick<ListKind, 'list' | 'inWords'>;
type Command = 'start' | 'cancel' | 'undo';

/** Refetch interval while a worker makes a change, in ms. */
const REFRESH_MS = 700;

/** True while a worker checks or makes a change. */
export const isBusy = ({ state }: Pick<Schemas['BulkChange'], 'state'>): boolean =>
  state === 'checking' || state === 'queued' || state === 'running' || state === 'undoing';

/** Query options of a bulk change, which follow its progress. */
export const bulkChangeQuery = (api: Api, list: ListKind['list'], id: string) =>
  queryOptions({
    queryKey: keys.bulkChanges.one(id),
    queryFn: ({ signal }) => {
      const read = api.GET as unknown as Call;
      const init = { params: { path: { id } }, signal };
      return answer(read(`/bulk-changes/${list}/{id}`, init)) as Promise<BulkChange>;
    },
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isBusy(data) ? REFRESH_MS : false,
  });

/** Number of bulk changes that the list of recent ones reads. */
const RECENT = 30;

/** Query options of the recent bulk changes of a list, except for checks. */
export const recentQuery = (api: Api, list: ListKind['list']) =>
  queryOptions({
    queryKey: keys.bulkChanges.list(list),
    queryFn: ({ signal }) => {
      const read = api.GET as unknown as Call;
      const init = { params: { query: { pageSize: RECENT } }, signal };
      return answer(read(`/bulk-changes/${list}`, init)) as Promise<Schemas['BulkChange'][]>;
    },
    select: (all) => all.filter(isMade),
    refetchInterval: ({ state: { data } }) =>
      data?.some((one) => isMade(one) && isBusy(one)) === true ? REFRESH_MS : false,
  });

const isMade = ({ state, startedAt }: Schemas['BulkChange']): boolean =>
  startedAt !== null || state === 'queued' || state === 'running' || state === 'done';

const send = (api: Api) => api.POST as unknown as Call;

/** Creates a bulk change that is only checked. */
export const check = (
  api: Api,
  list: ListKind['list'],
  body: BulkBody & { ids: string[] },
  key: string,
): Promise<Schemas['BulkChange']> =>
  answer(
    send(api)(`/bulk-changes/${list}`, { ...idempotent(key), body: { ...body, dryRun: true } }),
  ) as Promise<Schemas['BulkChange']>;

/** Starts, cancels or undoes a bulk change. */
export const command = (
  api: Api,
  list: ListKind['list'],
  verb: Command,
  id: string,
  key: string,
): Promise<Schemas['BulkChange']> =>
  answer(send(api)(`/bulk-changes/${list}/{id}/${verb}`, idempotent(key, { id }))) as Promise<
    Schemas['BulkChange']
  >;

/** Stores the answer to a command, so that the progress is followed. */
export const storeAnswer = (client: QueryClient, record: Schemas['BulkChange']): void => {
  client.setQueryData(keys.bulkChanges.one(record.id), (now: BulkChange | undefined) => ({
    examples: [],
    errors: [],
    ...now,
    ...record,
  }));
};

/** Dependencies of a bulk change. */
interface BulkContext extends WriteContext {
  /** Slug of the workspace. */
  slug: string;
}

/** Waits until a bulk change ends, also after its dialog was closed, and tells the outcome. */
export async function follow(context: BulkContext, kind: Kind, id: string): Promise<void> {
  const { client } = context;
  const refreshList = () =>
    client.invalidateQueries({ queryKey: keys.bulkChanges.list(kind.list) });
  try {
    void refreshList();
    let record = await read(context, kind, id);
    while (isBusy(record)) {
      await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
      record = await read(context, kind, id);
    }
    client.setQueryData(keys.bulkChanges.one(id), record);
    void refreshList();
    await client.invalidateQueries({ queryKey: keys[kind.list].all });
    tell(context, kind, record);
  } catch (error) {
    toastError(error);
  }
}

const read = ({ api, client }: WriteContext, { list }: Kind, id: string): Promise<BulkChange> =>
  client.fetchQuery({ ...bulkChangeQuery(api, list, id), staleTime: 0 });

/** Undoes a bulk change, and tells the outcome. */
function undo(context: BulkContext, kind: Kind, id: string): void {
  sendLater(
    context.client,
    {
      send: (_, key) => command(context.api, kind.list, 'undo', id, key),
      onDone: () => void follow(context, kind, id),
      onFailed: (error) => toastError(error),
    },
    undefined,
  );
}

/** Describes the outcome of a bulk change: "2 links changed, 1 refused". */
export function outcomeOf(
  { inWords }: Kind,
  { state, counts, undo: undone }: Schemas['BulkChange'],
): string {
  if (state === 'undone' && undone !== null) {
    const restored = inWords(undone.undone);
    const left = undone.total - undone.undone;
    return left === 0
      ? `${restored} restored`
      : `${restored} restored, ${left.toLocaleString()} left as they are`;
  }
  const changed = inWords(counts.changed);
  return counts.refused === 0
    ? `${changed} changed`
    : `${changed} changed, ${counts.refused.toLocaleString()} refused`;
}

function tell(context: BulkContext, kind: Kind, record: BulkChange) {
  const { id, state, counts, undo: undone } = record;
  const text = outcomeOf(kind, record);
  const saving = (label: string) => ({
    label,
    run: () => void saveErrors(context, kind.list, id).catch(toastError),
  });
  if (state === 'undone' && undone !== null) {
    if (undone.total === undone.undone) return toast(text);
    return toast(text, 'danger', [saving('Download the others')]);
  }
  const undoing = counts.changed > 0 ? [undoAction(() => undo(context, kind, id))] : [];
  if (counts.refused === 0) return toast(text, 'plain', undoing);
  return toast(text, counts.changed === 0 ? 'danger' : 'plain', [
    ...undoing,
    saving('Download refused rows'),
  ]);
}

/** Saves the records that were refused, or that an undo left as they are, as a file. */
export async function saveErrors(
  { slug }: Pick<BulkContext, 'slug'>,
  list: ListKind['list'],
  id: string,
): Promise<void> {
  saveFile(await download(slug, `/bulk-changes/${list}/${id}/errors`), 'errors.csv');
}
