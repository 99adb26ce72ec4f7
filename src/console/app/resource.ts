import { queryOptions, useQueryClient } from '@tanstack/react-query';
import { type Api, answer, type paths, type Schemas } from '../api/client.ts';
import { keys, type Noun } from '../api/keys.ts';
import { everyPage, PAGE_SIZE, type Paged, usePaged } from '../api/paged.ts';
import { useWrite } from '../api/queries.ts';
import { toast } from '../ui/toasts.tsx';
import {
  type BodyAt,
  type Call,
  type CreatedAt,
  changeRecord,
  createRecord,
  deleteRecord,
  type NewAt,
  type RecordAt,
  type Target,
} from './changes.ts';
import { useWorkspace } from './workspace.tsx';

/** A noun of the API with the usual list, create, update and delete endpoints. */
interface Resource<List extends keyof paths, One extends keyof paths> {
  /** Path of the list; new records are posted to it. */
  list: List;
  /** Path of one record. */
  one: One;
  /** Name of the path parameter of one record; `id` by default. */
  id?: 'linkId' | 'qrcodeId' | 'userId';
  /** Other nouns whose views include these records, and are refreshed after a change. */
  shownBy?: readonly Noun[];
  /** Success messages; without one, the view itself shows the change. */
  says?: {
    created?(record: RecordAt<One>): string;
    updated?(record: RecordAt<One>): string;
    removed?(record: RecordAt<One>): string;
  };
}

/** Returns the row unchanged, typed by its paths. */
const row = <List extends keyof paths, One extends keyof paths>(of: Resource<List, One>) => of;

const templateSaved = ({ name }: Schemas['UtmTemplate']) => `Template “${name}” saved`;
const viewSaved = ({ name }: Schemas['View']) => `View “${name}” saved`;

const RESOURCES = {
  customers: row({
    list: '/customers',
    one: '/customers/{id}',
    says: { removed: () => 'Customer erased' },
  }),
  destinations: row({
    list: '/destinations',
    one: '/destinations/{id}',
    says: { removed: ({ name }) => `Destination “${name}” deleted` },
  }),
  domains: row({
    list: '/domains',
    one: '/domains/{id}',
    says: { removed: ({ slug }) => `${slug} deleted` },
  }),
  folders: row({
    list: '/folders',
    one: '/folders/{id}',
    shownBy: ['links', 'qrcodes'],
    says: { removed: ({ name }) => `Folder “${name}” deleted` },
  }),
  imports: row({ list: '/imports', one: '/imports/{id}' }),
  integrations: row({
    list: '/integrations',
    one: '/integrations/{id}',
    says: { removed: ({ name }) => `Connection “${name}” deleted` },
  }),
  invitations: row({
    list: '/invitations',
    one: '/invitations/{id}',
    says: { removed: () => 'Invitation cancelled. Its link no longer works.' },
  }),
  keys: row({
    list: '/keys',
    one: '/keys/{id}',
    says: { removed: ({ name }) => `“${name}” revoked` },
  }),
  links: row({ list: '/links', one: '/links/{linkId}', id: 'linkId' }),
  members: row({ list: '/members', one: '/members/{userId}', id: 'userId' }),
  pages: row({
    list: '/pages',
    one: '/pages/{id}',
    says: { updated: () => 'Saved', removed: () => 'Page deleted' },
  }),
  qrcodes: row({ list: '/qrcodes', one: '/qrcodes/{qrcodeId}', id: 'qrcodeId' }),
  sharedReports: row({
    list: '/reports',
    one: '/reports/{id}',
    says: {
      updated: ({ name }) => `Report “${name}” saved`,
      removed: ({ name }) => `Report “${name}” deleted. Its URL no longer works.`,
    },
  }),
  tags: row({
    list: '/tags',
    one: '/tags/{id}',
    shownBy: ['links', 'qrcodes'],
    says: { removed: ({ name }) => `Tag “${name}” deleted` },
  }),
  utmTemplates: row({
    list: '/utm-templates',
    one: '/utm-templates/{id}',
    says: { created: templateSaved, updated: templateSaved },
  }),
  views: row({
    list: '/views',
    one: '/views/{id}',
    says: { created: viewSaved, updated: viewSaved },
  }),
  webhooks: row({ list: '/webhooks', one: '/webhooks/{id}' }),
} satisfies Partial<Record<Noun, unknown>>;

/** A noun with a row of the table. */
export type ResourceNoun = keyof typeof RESOURCES;
type ListPath<N extends ResourceNoun> = (typeof RESOURCES)[N]['list'];
type OnePath<N extends ResourceNoun> = (typeof RESOURCES)[N]['one'];
/** The type of a noun's records. */
export type RecordOf<N extends ResourceNoun> = N extends ResourceNoun
  ? RecordAt<OnePath<N>>
  : never;
type NewOf<N extends ResourceNoun> = N extends ResourceNoun ? NewAt<ListPath<N>> : never;
type CreatedOf<N extends ResourceNoun> = N extends ResourceNoun ? CreatedAt<ListPath<N>> : never;
type ChangesOf<N extends ResourceNoun> = N extends ResourceNoun ? BodyAt<OnePath<N>> : never;

/** A row of the table as seen by code for all nouns. */
interface AnyResource {
  list: keyof paths;
  one: keyof paths;
  id?: string;
  shownBy?: readonly Noun[];
  says?: Readonly<Partial<Record<'created' | 'updated' | 'removed', (record: unknown) => string>>>;
}
const resourceOf = (noun: ResourceNoun) => RESOURCES[noun] as unknown as AnyResource;

/** Returns the address of a record; its id is in the field of the parameter's name, or in `id`. */
function targetOf<N extends ResourceNoun>(api: Api, noun: N, seen: RecordOf<N>) {
  const { one, id = 'id' } = resourceOf(noun);
  const fields = seen as Readonly<Record<string, string>>;
  const of = { [id]: fields[id] ?? fields['id'] ?? '' };
  return { api, path: one, of, seen } as unknown as Target<OnePath<N>>;
}

/**
 * Creates a record.
 *
 * @param key idempotency key
 */
export function saveRecord<N extends ResourceNoun>(
  api: Api,
  noun: N,
  seen: undefined,
  body: NewOf<N>,
  key: string,
): Promise<RecordOf<N>>;
/** Changes the record that the person saw. */
export function saveRecord<N extends ResourceNoun>(
  api: Api,
  noun: N,
  seen: RecordOf<N>,
  body: ChangesOf<N>,
): Promise<RecordOf<N>>;
export function saveRecord<N extends ResourceNoun>(
  api: Api,
  noun: N,
  seen: RecordOf<N> | undefined,
  body: NewOf<N> | ChangesOf<N>,
  key = '',
): Promise<RecordOf<N>> {
  const saved =
    seen === undefined
      ? createRecord(api, resourceOf(noun).list, body as never, key)
      : changeRecord(targetOf(api, noun, seen), body as never);
  return saved as Promise<RecordOf<N>>;
}

/** Callbacks of a view after a write. */
interface Reactions<N extends ResourceNoun> {
  onCreated?(record: CreatedOf<N>): unknown;
  onUpdated?(record: RecordOf<N>): unknown;
  /**
   * Called after a deletion.
   *
   * @param record the record before the deletion
   */
  onRemoved?(record: RecordOf<N>): unknown;
  /** Replaces the default error message. */
  onFailed?(error: Error): unknown;
}

/**
 * Creates, changes and deletes records of a noun. After each write it shows the success message,
 * calls the view's callback, then refreshes every query that includes the records. Changes and
 * deletions pass the version that the person saw.
 */
export function useResource<N extends ResourceNoun>(noun: N, reactions: Reactions<N> = {}) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { list, shownBy = [], says = {} } = resourceOf(noun);
  const { onFailed } = reactions;
  const refresh = (...nouns: readonly Noun[]) => {
    for (const other of nouns) void client.invalidateQueries({ queryKey: keys[other].all });
  };
  const failing = onFailed === undefined ? {} : { onFailed };
  const create = useWrite({
    ...failing,
    send: (body: NewOf<N>, key) =>
      createRecord(api, list, body as never, key) as Promise<CreatedOf<N>>,
    onDone: async (record) => {
      if (says.created) toast(says.created(record));
      await reactions.onCreated?.(record);
      refresh(noun);
    },
  });
  const update = useWrite({
    ...failing,
    send: ({ seen, body }: { seen: RecordOf<N>; body: ChangesOf<N> }) =>
      changeRecord(targetOf(api, noun, seen), body as never) as Promise<RecordOf<N>>,
    onDone: async (record) => {
      if (says.updated) toast(says.updated(record));
      await reactions.onUpdated?.(record);
      refresh(noun, ...shownBy);
    },
  });
  const remove = useWrite({
    ...failing,
    send: (seen: RecordOf<N>) => deleteRecord(targetOf(api, noun, seen)),
    onDone: async (_, seen) => {
      if (says.removed) toast(says.removed(seen));
      await reactions.onRemoved?.(seen);
      refresh(noun, ...shownBy);
    },
  });
  return { create, update, remove };
}

type ListQuery = Readonly<Record<string, unknown>>;

/** Requests records of a noun with the query parameters of its list. */
async function readList<N extends ResourceNoun>(
  api: Api,
  noun: N,
  query: ListQuery,
  signal: AbortSignal,
): Promise<RecordOf<N>[]> {
  const read = api.GET as unknown as Call;
  const records = await answer(read(resourceOf(noun).list, { params: { query }, signal }));
  return records as RecordOf<N>[];
}

/**
 * Loads the records of a noun page by page.
 *
 * @param query further query parameters of the list
 */
export function useRecords<N extends ResourceNoun>(
  noun: N,
  query: ListQuery = {},
): Paged<RecordOf<N>> {
  const { api } = useWorkspace();
  return usePaged(keys[noun].list(query), (page, signal) =>
    readList(api, noun, { ...query, page, pageSize: PAGE_SIZE }, signal),
  );
}

/**
 * Query options of the first records of a noun, for choices and names.
 *
 * @param query further query parameters of the list
 */
export const firstRecordsQuery = <N extends ResourceNoun>(api: Api, noun: N, query?: ListQuery) =>
  queryOptions({
    queryKey: query === undefined ? keys[noun].list() : keys[noun].list(query),
    queryFn: ({ signal }) => readList(api, noun, query ?? {}, signal),
  });

/**
 * Query options of all records of a noun.
 *
 * @param pageSize records per page, the default of the API
 */
export const everyRecordQuery = <N extends ResourceNoun>(api: Api, noun: N, pageSize: number) =>
  queryOptions({
    queryKey: keys[noun].list(),
    queryFn: ({ signal }) => everyPage(pageSize, (page) => readList(api, noun, { page }, signal)),
    staleTime: 60_000,
  });

/** Query options of one record. */
export function recordQuery<N extends ResourceNoun>(api: Api, noun: N, recordId: string) {
  const { one, id = 'id' } = resourceOf(noun);
  const read = api.GET as unknown as Call;
  return queryOptions({
    queryKey: keys[noun].one(recordId),
    queryFn: ({ signal }) =>
      answer(read(one, { params: { path: { [id]: recordId } }, signal })) as Promise<RecordOf<N>>,
  });
}
