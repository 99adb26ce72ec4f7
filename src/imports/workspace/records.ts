import { createHash } from 'node:crypto';
import Joi from 'joi';
import { addDomain } from '../../domains/commands.ts';
import { type NewDomain, newDomainBody } from '../../domains/schema.ts';
import { mapAccepted, Refusal } from '../../errors.ts';
import type { ArchiveKind } from '../../exports/archive.ts';
import { dateTime, nameText, oneOf, Joi as Schemas } from '../../http/fields.ts';
import { check } from '../../http/input.ts';
import { newId } from '../../ids.ts';
import { isDrawable } from '../../images/read.ts';
import { type Db, rows } from '../../infra/db.ts';
import { MAX_UTM_TEMPLATES } from '../../links/utm-templates/commands.ts';
import { newUtmTemplateBody } from '../../links/utm-templates/schema.ts';
import { newPageBody } from '../../pages/schema.ts';
import { designFields } from '../../qrcodes/design.ts';
import { MAX_STORED_FONTS } from '../../qrcodes/fonts/schema.ts';
import type { StoredDesign } from '../../qrcodes/render/stored-design.ts';
import { templateName } from '../../qrcodes/templates/schema.ts';
import { nameColumns } from '../../tags/model.ts';
import { TAG_COLORS } from '../../tags/record.ts';
import { nameKey } from '../../workspaces/taken-name.ts';
import { type ArchiveContext, type Archived, importedId, type RecordOutcome } from './context.ts';
import { CUSTOMERS, insertCustomerCounters } from './customers.ts';
import { FONTS, withImportedFont } from './fonts.ts';

/*
 * Imports the records of an archive that others refer to. Existing records stay as they are: a tag,
 * folder, UTM template or domain with the same name, a customer with the same external id, and
 * everything that an earlier import created.
 */

/** Maximum side of a QR code image in px, and maximum length of its PNG as text. */
const MAX_SIDE_PX = 1_024;
const PNG_LENGTH = 7 * 1024 * 1024;

type Data = Record<string, unknown>;

/** A record kind in which each record becomes one row of a table. */
interface TableKind {
  table: string;
  schema: Joi.ObjectSchema<Data>;
  /** Returns the columns of the row except its workspace. */
  row(context: ArchiveContext, record: Data): Data;
  /** @throws Refusal for violations that the schema cannot express */
  refuse?(record: Data): Promise<void>;
}

const time = { createdAt: dateTime().required() };
const times = { ...time, updatedAt: dateTime().required() };
const id = { id: Schemas.string().required() };
const name = nameText(190).required();

const count = () =>
  Schemas.number().strict().integer().min(0).max(Number.MAX_SAFE_INTEGER).required();

/** Counts of links, QR codes and pages from events that have been deleted. */
export const countersBefore = Schemas.object({
  visits: count(),
  // Archives of releases before 0.6 have none.
  suspects: count().optional().default(0),
  leads: count(),
  sales: count(),
  // Archives of earlier releases have none.
  refunds: count().optional().default(0),
  saleAmountCents: count(),
  refundAmountCents: count().optional().default(0),
  lastVisitAt: dateTime().allow(null).required(),
});

const imageRef = Schemas.object({
  id: Schemas.string()
    .pattern(/^[0-9a-f]{64}$/)
    .required(),
  width: Schemas.number().integer().min(1).max(MAX_SIDE_PX).required(),
  height: Schemas.number().integer().min(1).max(MAX_SIDE_PX).required(),
});

/** Design of a QR code in stored form, with the ids of the archive. */
export const storedDesign = Schemas.object({
  ...designFields,
  srcImage: imageRef.allow(null),
  logoImage: imageRef.allow(null),
  backgroundImage: imageRef.allow(null),
  photoImage: imageRef.allow(null),
  // Archives have no files: the import stores those whose source is a data URI.
  storedFile: Schemas.any().strip(),
  frameLetters: Schemas.any().strip(),
});

/** Extends the schema of a body with the additional fields of archives. */
export const anyOf = (schema: Joi.ObjectSchema): Joi.ObjectSchema<Data> =>
  schema as Joi.ObjectSchema<Data>;

const SIMPLE: Readonly<Partial<Record<ArchiveKind, TableKind>>> = {
  tag: {
    table: 'tags',
    schema: Schemas.object({
      ...id,
      ...time,
      name,
      color: oneOf(TAG_COLORS).required(),
    }),
    row: (_, { name, color, createdAt }) => ({
      ...nameColumns(String(name)),
      color,
      created_at: createdAt,
    }),
  },
  folder: {
    table: 'folders',
    schema: Schemas.object({ ...id, ...time, name }),
    row: (_, { name, createdAt }) => ({
      name,
      name_key: nameKey(String(name)),
      created_at: createdAt,
    }),
  },
  utmTemplate: {
    table: 'utm_templates',
    schema: anyOf(newUtmTemplateBody).keys({ ...id, ...time }),
    row: (_, { id: __, createdAt, ...template }) => ({
      ...template,
      name_key: nameKey(String(template['name'])),
      created_at: createdAt,
    }),
  },
  page: {
    table: 'pages',
    schema: anyOf(newPageBody).keys({ ...id, ...times, countersBefore }),
    row: (_, { id: __, createdAt, updatedAt, countersBefore: ___, ...content }) => ({
      content,
      created_at: createdAt,
      updated_at: updatedAt,
    }),
  },
  image: {
    table: 'images',
    // Longer than the limit of all texts.
    schema: imageRef.keys({ png: Joi.string().base64().max(PNG_LENGTH).required() }),
    row: (_, { png, width, height }) => ({
      png: `\\x${Buffer.from(String(png), 'base64').toString('hex')}`,
      width,
      height,
    }),
    refuse: refuseWrongImage,
  },
  font: FONTS,
  template: {
    table: 'templates',
    schema: Schemas.object({
      ...id,
      ...time,
      name: templateName,
      design: storedDesign.required(),
    }),
    row: (context, { name, design, createdAt }) => ({
      name,
      design: withImportedFont(context, design as StoredDesign),
      created_at: createdAt,
    }),
  },
  customer: CUSTOMERS,
};

async function refuseWrongImage({ id, png, width, height }: Data): Promise<void> {
  const bytes = Buffer.from(String(png), 'base64');
  if (createHash('sha256').update(bytes).digest('hex') !== id) {
    throw new Refusal('unprocessable_entity', 'id must be the SHA-256 of png');
  }
  if (await isDrawable(bytes, { width: Number(width), height: Number(height) })) return;
  throw new Refusal(
    'unprocessable_entity',
    'png must be a PNG of this width and height that is not damaged',
  );
}

/**
 * Imports records of a kind with its own table that refers to no records of the archive except the
 * clicks of customers.
 */
export async function importSimple(
  context: ArchiveContext,
  kind: ArchiveKind,
  records: readonly Archived[],
): Promise<RecordOutcome[]> {
  const simple = SIMPLE[kind]!;
  const checked: (Data | Refusal)[] = [];
  for (const { data } of records) checked.push(await checkedRecord(simple, data));
  const accepted = checked.filter((record): record is Data => !(record instanceof Refusal));
  const idOf = ({ id }: Data) => (kind === 'image' ? String(id) : importedId(context, String(id)));
  const insertedIds = await withinCheck(context, async (trx) => {
    const capacity = await roomFor(trx, context, kind);
    const inserted = await insertRows(
      trx,
      context.importRow.project_id,
      simple.table,
      accepted
        .slice(0, capacity)
        .map((record) => ({ ...simple.row(context, record), id: idOf(record) })),
    );
    const insertFor = kind === 'customer' ? insertCustomerCounters : insertCounters;
    await insertFor(
      trx,
      context,
      accepted.filter((record) => inserted.has(idOf(record))),
    );
    return { made: inserted, left: new Set(accepted.slice(capacity)) };
  });
  return mapAccepted(checked, (record) => {
    if (insertedIds.left.has(record)) {
      throw new Refusal(
        'conflict',
        `A workspace has at most ${MOST[kind]!.max} ${MOST[kind]!.noun}`,
      );
    }
    return insertedIds.made.has(idOf(record)) ? ('created' as const) : ('skipped' as const);
  });
}

async function checkedRecord({ schema, refuse }: TableKind, data: Data): Promise<Data | Refusal> {
  try {
    const record = check<Data>(schema, data, 'data');
    await refuse?.(record);
    return record;
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}

/** Limits of the kinds that have one. */
const MOST: Partial<Record<ArchiveKind, { max: number; noun: string }>> = {
  utmTemplate: { max: MAX_UTM_TEMPLATES, noun: 'UTM templates' },
  font: { max: MAX_STORED_FONTS, noun: 'fonts' },
};

async function roomFor(trx: Db, { importRow }: ArchiveContext, kind: ArchiveKind): Promise<number> {
  const most = MOST[kind];
  if (most === undefined) return Number.POSITIVE_INFINITY;
  const [row] = await rows<{ count: number }>(
    trx,
    `SELECT count(*) AS count FROM ${SIMPLE[kind]!.table} WHERE project_id = ?`,
    [importRow.project_id],
  );
  return Math.max(0, most.max - row!.count);
}

class CheckOnly extends Error {}

/** Runs a function within the transaction, and rolls it back if this is only a check. */
async function withinCheck<Result>(
  { trx, isCheck }: ArchiveContext,
  act: (trx: Db) => Promise<Result>,
): Promise<Result> {
  let result: Result | undefined;
  try {
    return await trx.transaction(async (inner) => {
      result = await act(inner);
      if (isCheck) throw new CheckOnly();
      return result;
    });
  } catch (thrown) {
    if (thrown instanceof CheckOnly) return result!;
    throw thrown;
  }
}

/**
 * Inserts rows whose unique columns do not exist yet.
 *
 * @returns the ids of the inserted rows
 */
async function insertRows(
  trx: Db,
  projectId: string,
  table: string,
  records: readonly Data[],
): Promise<Set<string>> {
  const [first] = records;
  if (first === undefined) return new Set();
  const columns = [...new Set(records.flatMap((record) => Object.keys(record)))].join(', ');
  const inserted = await rows<{ id: string }>(
    trx,
    `INSERT INTO ${table} (project_id, ${columns})
     SELECT :projectId, ${columns} FROM json_populate_recordset(NULL::${table}, :records)
      ORDER BY id ON CONFLICT DO NOTHING RETURNING id`,
    { projectId, records: JSON.stringify(records) },
  );
  return new Set(inserted.map(({ id }) => id));
}

/** Stores the counts of new records whose events have been deleted. */
export async function insertCounters(
  trx: Db,
  context: ArchiveContext,
  records: readonly Data[],
): Promise<void> {
  const counted = records.flatMap(({ id, countersBefore: before }) => {
    if (before === undefined) return [];
    const sums = before as Data;
    return [
      {
        project_id: context.importRow.project_id,
        record_id: importedId(context, String(id)),
        visits: sums['visits'],
        suspects: sums['suspects'] ?? 0,
        leads: sums['leads'],
        sales: sums['sales'],
        refunds: sums['refunds'] ?? 0,
        sale_amount_cents: sums['saleAmountCents'],
        refund_amount_cents: sums['refundAmountCents'] ?? 0,
        last_visit_at: sums['lastVisitAt'],
      },
    ];
  });
  if (counted.length > 0) {
    await trx('counters').insert(counted).onConflict(['project_id', 'record_id']).ignore();
  }
}

/** Imports domains, which must be verified again. */
export async function importDomains(
  context: ArchiveContext,
  records: readonly Archived[],
): Promise<RecordOutcome[]> {
  const { trx, importRow } = context;
  const existing = await rows<{ slug: string }>(
    trx,
    'SELECT slug FROM domains WHERE project_id = ?',
    [importRow.project_id],
  );
  const slugs = new Set(existing.map(({ slug }) => slug));
  const outcomes: RecordOutcome[] = [];
  for (const { data } of records) outcomes.push(await takeDomain(context, data, slugs));
  return outcomes;
}

const domainBody = newDomainBody.keys({
  ...id,
  ...time,
  placeholder: Schemas.string().max(2_000),
  targetFrameable: Schemas.boolean().strict(),
  primary: Schemas.forbidden(),
}) as unknown as Joi.ObjectSchema<NewDomain & { id: string; createdAt: string }>;

async function takeDomain(
  context: ArchiveContext,
  data: Data,
  slugs: Set<string>,
): Promise<RecordOutcome> {
  try {
    const {
      id: _,
      createdAt: __,
      ...domain
    } = check<NewDomain & { id: string; createdAt: string }>(domainBody, data, 'data');
    if (slugs.has(domain.slug)) return 'skipped';
    const added = { ...domain, id: newId('domain'), verified: false };
    await withinCheck(context, (trx) =>
      addDomain(trx, context.importRow.project_id, added, context.publish),
    );
    slugs.add(domain.slug);
    return 'created';
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown;
    throw thrown;
  }
}
