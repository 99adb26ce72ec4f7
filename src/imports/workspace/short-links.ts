import { mapAccepted, Refusal } from '../../errors.ts';
import { dateTime, nameText, Joi as Schemas } from '../../http/fields.ts';
import { check } from '../../http/input.ts';
import { readSource, storeFile } from '../../images/files.ts';
import { type Db, execute, rows } from '../../infra/db.ts';
import { draftLinks, insertLinks } from '../../links/commands.ts';
import type { LinkBody } from '../../links/schema.ts';
import { insertQrCodes } from '../../qrcodes/commands.ts';
import type { FileContent } from '../../qrcodes/content/file.ts';
import type { StoredDesign } from '../../qrcodes/render/stored-design.ts';
import {
  type NewQrCode,
  type NewQrCodeBody,
  newQrCodeBody,
  toNewQrCode,
} from '../../qrcodes/schema.ts';
import { takenNames, takenRefusal } from '../../short-links/claims.ts';
import { existingIds, loadReferences } from '../../short-links/references.ts';
import { toSharedChanges } from '../../short-links/schema.ts';
import { leaveTrash } from '../../short-links/trash.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { rowBody } from '../rows.ts';
import { type ArchiveContext, type Archived, importedId, type RecordOutcome } from './context.ts';
import { withImportedFont } from './fonts.ts';
import { anyOf, countersBefore, insertCounters, storedDesign } from './records.ts';

/*
 * Imports links and QR codes of an archive. They follow the rules of those that callers create,
 * except that they may have expired before the import.
 */

type Data = Record<string, unknown>;

/** Fields of archived links and QR codes that bodies do not have. */
interface ExtraFields {
  id: string;
  domain: string;
  tagNames?: string[];
  folder?: string;
  pageId?: string;
  hasPassword?: boolean;
  password?: string;
  frameable?: string[];
  filled?: boolean;
  testStartedAt?: string;
  createdAt: string;
  updatedAt: string;
  countersBefore?: Data;
}

const extraSchema = Schemas.object<ExtraFields>({
  id: Schemas.string().required(),
  domain: Schemas.string().max(253).required(),
  tagNames: Schemas.array().items(nameText(190)).max(50),
  folder: nameText(190),
  pageId: Schemas.string().pattern(/^page_[\w-]{1,64}$/),
  hasPassword: Schemas.boolean().strict(),
  password: Schemas.string().max(2_000),
  frameable: Schemas.array().items(Schemas.string().max(32_768)).max(100),
  filled: Schemas.boolean().strict(),
  testStartedAt: dateTime(),
  createdAt: dateTime().required(),
  updatedAt: dateTime().required(),
  countersBefore,
});

const EXTRA_NAMES = Object.keys(extraSchema.describe().keys as object);

/** A record that can be created: its draft, and the changes to make afterwards. */
interface Draft<New> {
  extra: ExtraFields;
  draft: New;
  isRenamed: boolean;
}

/** Differences between links and QR codes. */
interface RecordType<New> {
  table: 'links' | 'qrcodes';
  read(projectId: string, body: Data): New;
  insert(trx: Db, context: ArchiveContext, news: readonly New[]): Promise<(object | Refusal)[]>;
}

interface NewRecord {
  id: string;
  domain?: string | undefined;
  key?: string | undefined;
  externalId?: string | null | undefined;
  createdAt?: string | undefined;
  frameable?: string[] | undefined;
}

const ownerOf = ({ importRow }: ArchiveContext) => ({
  projectId: importRow.project_id,
  userId: importRow.user_id,
  keepsUtm: true,
});

const LINKS: RecordType<ReturnType<typeof readLink>> = {
  table: 'links',
  read: readLink,
  async insert(trx, context, news) {
    const owner = ownerOf(context);
    return context.isCheck
      ? draftLinks(owner, news, await loadReferences(trx, owner.projectId, news))
      : insertLinks(trx, owner, news, context.publish);
  },
};

const QR_CODES: RecordType<ReturnType<typeof readQrCode>> = {
  table: 'qrcodes',
  read: readQrCode,
  async insert(trx, context, news) {
    const withFiles = await Promise.all(news.map((qrcode) => withFile(trx, context, qrcode)));
    // Images and pages are imported first; a check runs before that, so only fields can be checked.
    if (context.isCheck) return withFiles;
    const named = mapAccepted(withFiles, (qrcode) => ({
      ...qrcode,
      design: withImportedFont(context, qrcode.design ?? {}),
    }));
    return insertQrCodes(trx, { ...ownerOf(context), keepsFonts: true }, named, context.publish);
  },
};

function readLink(projectId: string, body: Data) {
  const checked = check<LinkBody & { createdAt?: string }>(rowBody, body, 'data');
  return { ...toSharedChanges(projectId, checked), id: '' };
}

const qrCodeBody = anyOf(newQrCodeBody).keys({
  expiresAt: dateTime(),
  createdAt: dateTime(),
  design: storedDesign,
});

function readQrCode(projectId: string, body: Data) {
  const { design = {}, ...checked } = check<
    NewQrCodeBody & { createdAt?: string; design?: StoredDesign }
  >(qrCodeBody, body, 'data');
  return { ...toNewQrCode(projectId, checked as NewQrCodeBody, {}), design };
}

/**
 * Stores the file of a code whose content holds it as a data URI. A code with the URL of its file
 * opens that URL, since a transaction fetches nothing.
 */
async function withFile(
  trx: Db,
  { importRow, isCheck }: ArchiveContext,
  qrcode: NewQrCode,
): Promise<NewQrCode | Refusal> {
  const { type, value } = qrcode.content;
  const { source } = type === 'file' ? (value as FileContent) : { source: '' };
  if (!/^data:/i.test(source)) return qrcode;
  try {
    const file = await readSource(source);
    if (isCheck) return qrcode;
    const storedFile = await storeFile(trx, importRow.project_id, file);
    return { ...qrcode, design: { ...qrcode.design, storedFile } };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return new Refusal(thrown.code, `file.source ${thrown.message}`);
  }
}

/** Imports links. */
export const importLinks = (context: ArchiveContext, records: readonly Archived[]) =>
  take(LINKS, context, records);

/** Imports QR codes. */
export const importQrCodes = (context: ArchiveContext, records: readonly Archived[]) =>
  take(QR_CODES, context, records);

/** Context with the folders, which an earlier kind of the same slice may have created. */
interface Context extends ArchiveContext {
  /** Folder ids by name key. */
  folders: ReadonlyMap<string, string>;
}

async function withFolders(context: ArchiveContext): Promise<Context> {
  const folders = await rows<{ id: string; name_key: string }>(
    context.trx,
    'SELECT id, name_key FROM folders WHERE project_id = ?',
    [context.importRow.project_id],
  );
  return { ...context, folders: new Map(folders.map(({ id, name_key }) => [name_key, id])) };
}

async function take<New extends NewRecord>(
  recordType: RecordType<New>,
  slice: ArchiveContext,
  records: readonly Archived[],
): Promise<RecordOutcome[]> {
  const context = await withFolders(slice);
  const { trx, importRow } = context;
  const ids = records.map(({ data }) => importedId(context, String(data['id'])));
  const there = await existingIds(trx, recordType.table, importRow.project_id, ids);
  const drafts = mapAccepted(records, ({ data }): Draft<New> | 'skipped' =>
    there.has(importedId(context, String(data['id'])))
      ? 'skipped'
      : toDraft(recordType, context, data),
  );
  const conflicts = context.isCheck ? await findConflicts(recordType, context, drafts) : undefined;
  const fresh = drafts.filter(
    (each): each is Draft<New> => typeof each === 'object' && 'draft' in each,
  );
  const result = await recordType.insert(
    trx,
    context,
    fresh.map(({ draft }) => draft),
  );
  const outcomes = new Map(fresh.map((each, at) => [each, result[at]!]));
  const created = fresh.filter((each) => !(outcomes.get(each) instanceof Refusal));
  if (!context.isCheck) {
    await leaveTrash(
      trx,
      importRow.project_id,
      created.map(({ draft }) => draft.id),
    );
    await setImportedFields(recordType, context, created);
  }
  return drafts.map((each): RecordOutcome => {
    if (each instanceof Refusal || each === 'skipped') return each;
    const outcome = conflicts?.(each) ?? outcomes.get(each);
    if (outcome instanceof Refusal) return outcome;
    return each.isRenamed ? 'renamed' : 'created';
  });
}

/** @throws Refusal for a record that cannot be created */
function toDraft<New extends NewRecord>(
  recordType: RecordType<New>,
  context: Context,
  data: Data,
): Draft<New> {
  const entries = Object.entries(data);
  const extra = check<ExtraFields>(
    extraSchema,
    Object.fromEntries(entries.filter(([name]) => EXTRA_NAMES.includes(name))),
    'data',
  );
  const { domain, isRenamed } = domainOf(context, extra.domain);
  const draft = recordType.read(context.importRow.project_id, {
    ...Object.fromEntries(entries.filter(([name]) => !EXTRA_NAMES.includes(name))),
    ...passwordOf(context, extra),
    ...referencesOf(context, extra),
    ...idsOf(context, data),
    domain,
    createdAt: extra.createdAt,
  });
  return {
    extra,
    isRenamed,
    draft: {
      ...draft,
      id: importedId(context, extra.id),
      frameable: extra.frameable,
    },
  };
}

/** Converts references that only QR codes have: templates. */
const idsOf = (context: ArchiveContext, { templateId }: Data): object =>
  typeof templateId === 'string' && !context.isCheck
    ? { templateId: importedId(context, templateId) }
    : {};

/**
 * Returns the domain of a record. The shared domain of the other installation becomes the shared
 * domain of this one.
 */
function domainOf(
  { references, archive, importRow, isCheck }: ArchiveContext,
  name: string,
): { domain: string | undefined; isRenamed: boolean } {
  const domain = references.domain(name);
  if (domain !== undefined) return { domain: name, isRenamed: false };
  if (name === archive.defaultDomain) {
    return { domain: importRow.options.domain ?? references.mainDomain.slug, isRenamed: true };
  }
  // The import will add the domain.
  return { domain: isCheck ? undefined : name, isRenamed: false };
}

/** Resolves folder, tags and page; a check leaves out what the import would create. */
function referencesOf(context: Context, { tagNames = [], folder, pageId }: ExtraFields): object {
  if (context.isCheck) return {};
  const folderId = folder === undefined ? undefined : context.folders.get(nameKey(folder));
  if (folder !== undefined && folderId === undefined) {
    throw new Refusal('unprocessable_entity', `folder: there is no folder "${folder}"`);
  }
  return {
    tagNames: tagNames.length === 0 ? undefined : tagNames,
    folderId,
    pageId: pageId === undefined ? undefined : importedId(context, pageId),
  };
}

/** @throws Refusal for an unknown password, without which visitors would have access */
function passwordOf({ key }: ArchiveContext, { hasPassword, password }: ExtraFields): object {
  if (hasPassword !== true && password === undefined) return {};
  if (password === undefined) {
    throw new Refusal(
      'unprocessable_entity',
      'password must be in the file: export the workspace with a passphrase',
    );
  }
  const opened = key?.decrypt(password);
  if (opened !== undefined) return { password: opened };
  throw new Refusal(
    'unprocessable_entity',
    'password must be decrypted: set the passphrase of the export as an option of the import',
  );
}

/** Sets the fields that bodies cannot have. */
async function setImportedFields<New extends NewRecord>(
  { table }: RecordType<New>,
  context: ArchiveContext,
  created: readonly Draft<New>[],
): Promise<void> {
  const updates = created.map(({ extra, draft }) => ({
    id: draft.id,
    updated_at: extra.updatedAt,
    filled: extra.filled ?? false,
    test_started_at: extra.testStartedAt ?? null,
  }));
  await execute(
    context.trx,
    `UPDATE ${table} AS r
        SET updated_at = s.updated_at, filled = s.filled, test_started_at = coalesce(s.test_started_at, r.test_started_at)
       FROM json_to_recordset(:set) AS s (id text, updated_at timestamptz, filled boolean, test_started_at timestamptz)
      WHERE r.project_id = :projectId AND r.id = s.id`,
    { set: JSON.stringify(updates), projectId: context.importRow.project_id },
  );
  await insertCounters(
    context.trx,
    context,
    created.map(({ extra }) => ({ ...extra })),
  );
}

/** Finds what a check reads of other records with the same keys. */
async function findConflicts<New extends NewRecord>(
  { table }: RecordType<New>,
  { trx, importRow, references }: ArchiveContext,
  drafts: readonly (Draft<New> | 'skipped' | Refusal)[],
): Promise<(each: Draft<New>) => Refusal | undefined> {
  const fresh = drafts.flatMap((each) =>
    each instanceof Refusal || each === 'skipped' ? [] : [each],
  );
  const placeOf = ({ draft: { domain, key } }: Draft<New>) => {
    const id = domain === undefined ? undefined : references.domain(domain)?.id;
    return id === undefined || key === undefined ? undefined : { domain_id: id, key };
  };
  const places = fresh.flatMap((each) => placeOf(each) ?? []);
  const isTaken = await takenNames(trx, importRow.project_id, places);
  const conflicting = await rows<{ external_id: string }>(
    trx,
    `SELECT external_id FROM ${table} WHERE project_id = ? AND external_id = ANY(?)`,
    [importRow.project_id, fresh.flatMap(({ draft }) => draft.externalId ?? [])],
  );
  const externalIds = new Set(conflicting.map(({ external_id }) => external_id));
  return (each) => {
    const place = placeOf(each);
    const { key = '', externalId, domain = '' } = each.draft;
    if (place !== undefined && isTaken(place)) {
      return takenRefusal('key', key, `on ${domain}`);
    }
    return typeof externalId === 'string' && externalIds.has(externalId)
      ? takenRefusal('externalId', externalId, 'in this workspace')
      : undefined;
  };
}
