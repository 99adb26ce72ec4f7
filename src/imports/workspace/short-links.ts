import { mapAccepted, Refusal } from '../../errors.ts';
import { dateTime, nameText, Joi as Schemas } from '../../http/fields.ts';
import { check } from '../../http/input.ts';
import { type Db, execute, rows } from '../../infra/db.ts';
import { draftLinks, insertLinks } from '../../links/commands.ts';
import type { LinkBody } from '../../links/schema.ts';
import { insertQrCodes } from '../../qrcodes/commands.ts';
import type { StoredDesign } from '../../qrcodes/render/stored-design.ts';
import { type NewQrCodeBody, newQrCodeBody, toNewQrCode } from '../../qrcodes/schema.ts';
import { domainIdsOf, isFreeFor, takenRefusal } from '../../short-links/claims.ts';
import { toSharedChanges } from '../../short-links/schema.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { rowBody } from '../rows.ts';
import { type Archived, importedId, type TakeContext, type Taken } from './context.ts';
import { anyOf, countersBefore, insertCounters, storedDesign } from './records.ts';

/*
 * Links and QR codes of an archive. They are made by the rules of those that callers make, but that what has expired
 * elsewhere has expired here.
 */

type Data = Record<string, unknown>;

/** What an archive has of a link or QR code besides the fields of a body. */
interface Beside {
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

const besideSchema = Schemas.object<Beside>({
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

const BESIDE = Object.keys(besideSchema.describe().keys as object);

/** A record that can be made: what it becomes, and what is set afterwards. */
interface Ready<New> {
  beside: Beside;
  made: New;
  isRenamed: boolean;
}

/** Differences between links and QR codes. */
interface Way<New> {
  table: 'links' | 'qrcodes';
  read(projectId: string, body: Data): New;
  insert(trx: Db, context: TakeContext, news: readonly New[]): Promise<(object | Refusal)[]>;
}

interface NewRecord {
  id: string;
  domain?: string | undefined;
  key?: string | undefined;
  externalId?: string | null | undefined;
  createdAt?: string | undefined;
  frameable?: string[] | undefined;
}

const ownerOf = ({ one }: TakeContext) => ({ projectId: one.project_id, userId: one.user_id });

const LINKS: Way<ReturnType<typeof readLink>> = {
  table: 'links',
  read: readLink,
  async insert(trx, context, news) {
    if (context.isCheck) return draftLinks(trx, ownerOf(context), news);
    return insertLinks(trx, ownerOf(context), news, context.publish);
  },
};

const QR_CODES: Way<ReturnType<typeof readQrCode>> = {
  table: 'qrcodes',
  read: readQrCode,
  async insert(trx, context, news) {
    // Images and pages come first: before that, only the fields can be checked.
    if (context.isCheck) return [...news];
    return insertQrCodes(trx, ownerOf(context), news, context.publish);
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

/** Takes links. */
export const takeLinks = (context: TakeContext, records: readonly Archived[]) =>
  take(LINKS, context, records);

/** Takes QR codes. */
export const takeQrCodes = (context: TakeContext, records: readonly Archived[]) =>
  take(QR_CODES, context, records);

/** With the folders, which an earlier kind of the same slice may have made. */
interface Context extends TakeContext {
  /** Ids by the keys of names. */
  folders: ReadonlyMap<string, string>;
}

async function withFolders(context: TakeContext): Promise<Context> {
  const found = await rows<{ id: string; name_key: string }>(
    context.trx,
    'SELECT id, name_key FROM folders WHERE project_id = ?',
    [context.one.project_id],
  );
  return { ...context, folders: new Map(found.map(({ id, name_key }) => [name_key, id])) };
}

async function take<New extends NewRecord>(
  way: Way<New>,
  given: TakeContext,
  records: readonly Archived[],
): Promise<Taken[]> {
  const context = await withFolders(given);
  const { trx, one } = context;
  const ids = records.map(({ data }) => importedId(context, String(data['id'])));
  const known = await rows<{ id: string }>(
    trx,
    `SELECT id FROM ${way.table} WHERE project_id = ? AND id = ANY(?)`,
    [one.project_id, ids],
  );
  const there = new Set(known.map(({ id }) => id));
  const read = mapAccepted(records, ({ data }): Ready<New> | 'skipped' =>
    there.has(importedId(context, String(data['id']))) ? 'skipped' : ready(way, context, data),
  );
  const conflicts = context.isCheck ? await findConflicts(way, context, read) : undefined;
  const fresh = read.filter(
    (each): each is Ready<New> => typeof each === 'object' && 'made' in each,
  );
  const result = await way.insert(
    trx,
    context,
    fresh.map(({ made }) => made),
  );
  const outcomes = new Map(fresh.map((each, at) => [each, result[at]!]));
  const stored = fresh.filter((each) => !(outcomes.get(each) instanceof Refusal));
  if (!context.isCheck) await complete(way, context, stored);
  return read.map((each): Taken => {
    if (each instanceof Refusal || each === 'skipped') return each;
    const outcome = conflicts?.(each) ?? outcomes.get(each);
    if (outcome instanceof Refusal) return outcome;
    return each.isRenamed ? 'renamed' : 'created';
  });
}

/** @throws Refusal for a record that can't be made */
function ready<New extends NewRecord>(way: Way<New>, context: Context, data: Data): Ready<New> {
  const own = Object.entries(data);
  const beside = check<Beside>(
    besideSchema,
    Object.fromEntries(own.filter(([name]) => BESIDE.includes(name))),
    'data',
  );
  const { domain, isRenamed } = domainOf(context, beside.domain);
  const made = way.read(context.one.project_id, {
    ...Object.fromEntries(own.filter(([name]) => !BESIDE.includes(name))),
    ...passwordOf(context, beside),
    ...referencesOf(context, beside),
    ...idsOf(context, data),
    domain,
    createdAt: beside.createdAt,
  });
  return {
    beside,
    isRenamed,
    made: {
      ...made,
      id: importedId(context, beside.id),
      frameable: beside.frameable,
    },
  };
}

/** Ids that records other than links have: templates. */
const idsOf = (context: TakeContext, { templateId }: Data): object =>
  typeof templateId === 'string' && !context.isCheck
    ? { templateId: importedId(context, templateId) }
    : {};

/** The domain of a record; that which all workspaces shared is another one here. */
function domainOf(
  { references, archive, one, isCheck }: TakeContext,
  name: string,
): { domain: string | undefined; isRenamed: boolean } {
  const own = references.domain(name);
  if (own !== undefined) return { domain: name, isRenamed: false };
  if (name === archive.defaultDomain) {
    return { domain: one.options.domain ?? references.mainDomain.slug, isRenamed: true };
  }
  // The import is about to add it.
  return { domain: isCheck ? undefined : name, isRenamed: false };
}

/** Folder, tags and page; a check leaves out what the import is about to make. */
function referencesOf(context: Context, { tagNames = [], folder, pageId }: Beside): object {
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

/** @throws Refusal for a password that is not known: visitors would come in without it */
function passwordOf({ key }: TakeContext, { hasPassword, password }: Beside): object {
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

/** Sets what no body has. */
async function complete<New extends NewRecord>(
  { table }: Way<New>,
  context: TakeContext,
  stored: readonly Ready<New>[],
): Promise<void> {
  const set = stored.map(({ beside, made }) => ({
    id: made.id,
    updated_at: beside.updatedAt,
    filled: beside.filled ?? false,
    test_started_at: beside.testStartedAt ?? null,
  }));
  await execute(
    context.trx,
    `UPDATE ${table} AS r
        SET updated_at = s.updated_at, filled = s.filled, test_started_at = coalesce(s.test_started_at, r.test_started_at)
       FROM json_to_recordset(:set) AS s (id text, updated_at timestamptz, filled boolean, test_started_at timestamptz)
      WHERE r.project_id = :projectId AND r.id = s.id`,
    { set: JSON.stringify(set), projectId: context.one.project_id },
  );
  await insertCounters(
    context.trx,
    context,
    stored.map(({ beside }) => ({ ...beside })),
  );
}

/** What other records have of those that a check reads. */
async function findConflicts<New extends NewRecord>(
  { table }: Way<New>,
  { trx, one, references }: TakeContext,
  read: readonly (Ready<New> | 'skipped' | Refusal)[],
): Promise<(each: Ready<New>) => Refusal | undefined> {
  const fresh = read.flatMap((each) =>
    each instanceof Refusal || each === 'skipped' ? [] : [each],
  );
  const placeOf = ({ made: { domain, key } }: Ready<New>) => {
    const id = domain === undefined ? undefined : references.domain(domain)?.id;
    return id === undefined || key === undefined ? undefined : { domain_id: id, key };
  };
  const places = fresh.flatMap((each) => placeOf(each) ?? []);
  const claims = await rows<{ domain_id: string; key: string }>(
    trx,
    `SELECT c.domain_id, c.key FROM json_to_recordset(:places) AS w (domain_id text, key text)
       JOIN claims c ON c.domain_id = w.domain_id AND c.key = w.key AND NOT ${isFreeFor(':projectId')}
      WHERE c.domain_id = ANY(:domains)`,
    {
      projectId: one.project_id,
      places: JSON.stringify(places),
      domains: domainIdsOf(places),
    },
  );
  const others = await rows<{ external_id: string }>(
    trx,
    `SELECT external_id FROM ${table} WHERE project_id = ? AND external_id = ANY(?)`,
    [one.project_id, fresh.flatMap(({ made }) => made.externalId ?? [])],
  );
  const claimed = new Set(claims.map(({ domain_id, key }) => `${domain_id} ${key}`));
  const externalIds = new Set(others.map(({ external_id }) => external_id));
  return (each) => {
    const place = placeOf(each);
    const { key = '', externalId, domain = '' } = each.made;
    if (place !== undefined && claimed.has(`${place.domain_id} ${key}`)) {
      return takenRefusal('key', key, `on ${domain}`);
    }
    return typeof externalId === 'string' && externalIds.has(externalId)
      ? takenRefusal('externalId', externalId, 'in this workspace')
      : undefined;
  };
}
