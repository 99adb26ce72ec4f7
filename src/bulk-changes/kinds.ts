import { Refusal } from '../errors.ts';
import { UTM_FIELDS } from '../events/utm.ts';
import type { Db } from '../infra/db.ts';
import type { Publish } from '../jobs/run-idempotent.ts';
import { changeLink, revertLink } from '../links/commands.ts';
import { toShownLink } from '../links/history-routes.ts';
import { Link, type LinkRow } from '../links/model.ts';
import { linkQueries } from '../links/queries.ts';
import type { LinkChanges } from '../links/schema.ts';
import { changeCompletely, refuseUnknownTemplate, revertQrCode } from '../qrcodes/commands.ts';
import { toShownQrCode } from '../qrcodes/history-routes.ts';
import { QrCode, type QrCodeRow } from '../qrcodes/model.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import type { QrCodeChanges } from '../qrcodes/schema.ts';
import type { Actor } from '../queues/definition.ts';
import { readUtm, type Utm, writeUtm } from '../short-links/destination.ts';
import type { SharedChanges } from '../short-links/fields.ts';
import type { SharedFilters } from '../short-links/filters.ts';
import type { Author, StoredChanges } from '../short-links/history.ts';
import type { ShownChanges } from '../short-links/history-record.ts';
import type { RecordKind, ShortLinkRow } from '../short-links/model.ts';
import type { Revert } from '../short-links/revert.ts';
import type { RecordNames } from '../short-links/rows.ts';
import { BadDestination } from '../short-links/url-field.ts';
import type { PlacedRecord } from '../webhooks/outbox.ts';
import { type Replacement, replaceInUrl } from './replace.ts';

/** The change of each record. */
export interface Edit {
  changes: SharedChanges & Partial<Utm> & Pick<QrCodeChanges, 'templateId'>;
  replacement: Replacement | null;
}

/** A row with a destination. */
export type BulkRow = ShortLinkRow & { url: string | null };

/** The parts in which bulk changes of links and of QR codes differ. */
export interface BulkKind {
  /** Reads the names of selected records, in order of creation. */
  listNames(
    projectId: string,
    selection: SharedFilters | readonly string[],
    limit: number,
  ): Promise<RecordNames[]>;
  /** Checks the references that only this kind has. @throws Refusal `unprocessable_entity` */
  checkReferences(trx: Db, projectId: string, changes: Edit['changes']): Promise<void>;
  lockAll(trx: Db, projectId: string, ids: readonly string[]): Promise<string[]>;
  /** Locks a record. @throws Refusal `not_found` */
  lock(trx: Db, origin: { projectId: string }, id: string): Promise<BulkRow>;
  /**
   * Builds the change of a record.
   *
   * @returns `undefined` if there is nothing to change
   * @throws Refusal `unprocessable_entity` if its destination cannot be changed so
   */
  changesOf(row: BulkRow, edit: Edit): SharedChanges | undefined;
  /** Stores a change of a locked record. @throws Refusal */
  change(
    trx: Db,
    before: BulkRow,
    changes: SharedChanges,
    publish: Publish,
    author: Author,
  ): Promise<PlacedRecord>;
  /** Sets the fields of a change of a locked record back, and publishes it. @throws Refusal */
  revert(
    trx: Db,
    before: BulkRow,
    revert: Revert,
    publish: Publish,
    actor: Actor | undefined,
  ): Promise<PlacedRecord>;
  toShown(changes: StoredChanges): ShownChanges;
  /** Reads those of some records that show their destination in a frame. */
  listFramed(projectId: string, ids: readonly string[]): Promise<BulkRow[]>;
  /** The new destination in a change; `undefined` if it stays. */
  destinationOf(changes: SharedChanges): string | undefined;
}

/** @throws Refusal `unprocessable_entity` */
function replaced(url: string, replacement: Replacement): string {
  try {
    return replaceInUrl(url, replacement);
  } catch (thrown) {
    if (!(thrown instanceof BadDestination)) throw thrown;
    throw new Refusal('unprocessable_entity', `url ${thrown.message}`);
  }
}

function linkChanges(
  row: Pick<LinkRow, 'url' | keyof Utm>,
  { changes, replacement }: Edit,
): LinkChanges | undefined {
  const url = replacement === null ? row.url : replaced(row.url, replacement);
  if (url === row.url) return isEmpty(changes) ? undefined : changes;
  const present = readUtm(url);
  // A change of the destination keeps UTM parameters that it does not name.
  const removed = UTM_FIELDS.filter((name) => row[name] !== null && present[name] === null);
  return { url, ...Object.fromEntries(removed.map((name) => [name, null])), ...changes };
}

function qrCodeChanges(
  { type, url }: Pick<QrCodeRow, 'type' | 'url'>,
  { changes, replacement }: Edit,
): QrCodeChanges | undefined {
  const shared: QrCodeChanges = { ...changes };
  const utm: Partial<Utm> = {};
  for (const name of UTM_FIELDS) {
    if (changes[name] !== undefined) utm[name] = changes[name];
    delete (shared as Partial<Utm>)[name];
  }
  if (type !== 'url' || url === null) {
    if (!isEmpty(utm)) {
      throw new Refusal(
        'unprocessable_entity',
        `${UTM_FIELDS.find((name) => name in utm)} must not be set where the type is ${type}: only a code of type url has a destination`,
      );
    }
    return isEmpty(shared) ? undefined : shared;
  }
  const next = writeUtm(replacement === null ? url : replaced(url, replacement), utm);
  if (next === url) return isEmpty(shared) ? undefined : shared;
  return { ...shared, content: { type: 'url', value: next } };
}

const isEmpty = (changes: object): boolean => Object.keys(changes).length === 0;

/** Bulk changes by the kind of their records. */
export const BULK_KINDS: Readonly<Record<RecordKind, BulkKind>> = {
  link: {
    listNames: (...sought) => linkQueries.listNames(...sought),
    checkReferences: async () => {},
    lockAll: (...sought) => linkQueries.lockAll(...sought),
    lock: (...sought) => linkQueries.lock(...sought),
    changesOf: (row, edit) => linkChanges(row as LinkRow, edit),
    change: (trx, before, ...change) => changeLink(trx, before as LinkRow, ...change),
    revert: (trx, before, ...revert) => revertLink(trx, before as LinkRow, ...revert),
    toShown: toShownLink,
    listFramed: async (projectId, ids) =>
      Link.of(projectId)
        .whereIn('id', [...ids])
        .where({ rewrite: true }),
    destinationOf: ({ url }: LinkChanges) => url,
  },
  qrcode: {
    listNames: (...sought) => qrCodeQueries.listNames(...sought),
    checkReferences: refuseUnknownTemplate,
    lockAll: (...sought) => qrCodeQueries.lockAll(...sought),
    lock: (...sought) => qrCodeQueries.lock(...sought),
    changesOf: (row, edit) => qrCodeChanges(row as QrCodeRow, edit),
    change: (trx, before, ...change) => changeCompletely(trx, before as QrCodeRow, ...change),
    revert: (trx, before, ...revert) => revertQrCode(trx, before as QrCodeRow, ...revert),
    toShown: (changes) => toShownQrCode(changes, false),
    listFramed: async (projectId, ids) =>
      QrCode.of(projectId)
        .whereIn('id', [...ids])
        .where({ rewrite: true }),
    destinationOf: ({ content }: QrCodeChanges) => content?.value as string | undefined,
  },
};
