import { mapAccepted, Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { changeEach, createEach } from '../short-links/bulk.ts';
import type { FoundPreview } from '../short-links/jobs.ts';
import { qrCodePreviewJobs } from '../short-links/jobs.ts';
import { fillPreview, requestPreview } from '../short-links/preview.ts';
import { loadReferences } from '../short-links/references.ts';
import { deleteRecord, deleteRecords } from '../short-links/remove.ts';
import type { BulkInput, EventsOnDelete } from '../short-links/schema.ts';
import {
  type Draft,
  insert,
  newRow,
  type Owner,
  placeAfter,
  placeOf,
  publishCreated,
  update,
} from '../short-links/write.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { qrCodeEntry } from './entry.ts';
import { qrCodeBulkJobs, qrCodeJobs } from './jobs.ts';
import { BLANK_QR_CODE, QR_CODE_TABLES, type QrCodeRow } from './model.ts';
import { qrCodeQueries } from './queries.ts';
import { type BulkQrCodeItem, type SealedQrCode, toSealedQrCode } from './record.ts';
import type { StoredDesign } from './render/stored-design.ts';
import { applyChanges, refuseFixed, withMiddle } from './rules.ts';
import type { NewQrCode, QrCodeChanges } from './schema.ts';
import { Template } from './templates/model.ts';

/** @throws Refusal when the code breaks a rule, can't be scanned, or its key or external id is taken */
export async function createQrCode(
  { userId, qrcode }: { userId: string; qrcode: NewQrCode },
  job: JobContext,
): Promise<SealedQrCode> {
  const { projectId } = job;
  const made = await runIdempotent(job, async (trx, publish) => {
    const inserted = await insertQrCodes(trx, { projectId, userId }, [qrcode], publish);
    return publishCreated(trx, QR_CODE_TABLES, projectId, inserted);
  });
  // A static code has no short link that could be shared.
  if (made.proxy && !made.static) await requestPreview(job, 'qrcode', made);
  return made;
}

/** Makes up to 100 QR codes; each stands alone. Where all fail, the first one's refusal is the answer. */
export function createQrCodes(
  {
    userId,
    qrcodes: items,
    sent,
  }: { userId: string; qrcodes: BulkInput<NewQrCode>[]; sent?: string | undefined },
  job: JobContext,
): Promise<BulkQrCodeItem[]> {
  const owner = { projectId: job.projectId, userId };
  return createEach(QR_CODE_TABLES, job, { items, sent }, (trx, inputs, publish) =>
    insertQrCodes(trx, owner, inputs, publish),
  );
}

/** @throws Refusal `not_found`, `conflict` where what is printed would change; otherwise as for a new code */
export async function updateQrCode(
  { qrcodeId, changes }: { qrcodeId: string; changes: QrCodeChanges },
  job: JobContext,
): Promise<SealedQrCode> {
  const qrcode = await runIdempotent(job, async (trx, publish) => {
    const before = await qrCodeQueries.lock(trx, job, qrcodeId);
    const ready = withLook(changes, await loadLooks(trx, job.projectId, [changes]));
    if (ready instanceof Refusal) throw ready;
    return changeOne(trx, before, ready, publish);
  });
  if (changes.proxy === true && !qrcode.static) await requestPreview(job, 'qrcode', qrcode);
  return qrcode;
}

/** Makes the same change to up to 100 QR codes; each stands alone. */
export function updateQrCodes(
  { qrcodeIds, changes }: { qrcodeIds: string[]; changes: QrCodeChanges },
  job: JobContext,
): Promise<BulkQrCodeItem[]> {
  return changeEach(QR_CODE_TABLES, job, qrcodeIds, async (trx, ref, publish) =>
    changeQrCode(trx, await qrCodeQueries.lock(trx, job, ref), changes, publish),
  );
}

/** Fills the card of a QR code with the preview that was read for it. @throws Refusal `not_found` */
export const fillQrCode = (found: FoundPreview, job: JobContext): Promise<{ id: string }> =>
  fillPreview(qrCodeQueries, job, found, changeOne);

/** @throws Refusal `not_found` */
export const deleteQrCode = (
  { qrcodeId, events }: { qrcodeId: string; events?: EventsOnDelete },
  job: JobContext,
): Promise<{ id: string }> => deleteRecord(qrCodeQueries, job, qrcodeId, events);

/** Deletes up to 100 QR codes; ids that do not exist are ignored. */
export const deleteQrCodes = (
  { qrcodeIds, events }: { qrcodeIds: string[]; events?: EventsOnDelete },
  job: JobContext,
): Promise<{ deletedCount: number }> => deleteRecords(qrCodeQueries, job, qrcodeIds, events);

/** Stores QR codes within the transaction of a command, each on its own; refusals stay in their places. */
export async function insertQrCodes(
  trx: Db,
  owner: Owner,
  inputs: readonly (NewQrCode | Refusal)[],
  publish: Publish,
): Promise<(SealedQrCode | Refusal)[]> {
  const looks = await loadLooks(trx, owner.projectId, inputs);
  const qrcodes = mapAccepted(inputs, (input) => withLook<NewQrCode>(input, looks));
  const references = await loadReferences(trx, owner.projectId, qrcodes);
  const now = new Date();
  const drafts = mapAccepted(qrcodes, (qrcode): Draft<QrCodeRow> => {
    const { ids, ...place } = placeOf({ ...owner, now }, qrcode, references);
    const row = withMiddle(applyChanges(newRow(BLANK_QR_CODE, ids), qrcode), place.domain);
    return { ...place, row, entry: () => qrCodeEntry(row, place.domain) };
  });
  const inserted = await insert(trx, QR_CODE_TABLES, drafts, publish);
  for (const [index, made] of inserted.entries()) {
    const input = qrcodes[index]!;
    if (made instanceof Refusal || input instanceof Refusal) continue;
    await keepLook(trx, made.row, input);
  }
  return mapAccepted(inserted, (made) => toSealedQrCode(made.row, made));
}

async function changeOne(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
  publish: Publish,
): Promise<SealedQrCode> {
  const qrcode = await changeQrCode(trx, before, changes, publish);
  await publishRecordEvent(trx, before.project_id, 'qrcode.updated', qrcode);
  return qrcode;
}

/** Stores a change of a locked code within the transaction of a command. @throws Refusal as for a new code */
async function changeQrCode(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
  publish: Publish,
): Promise<SealedQrCode> {
  const { row: moved, domain, tags } = await placeAfter(trx, QR_CODE_TABLES, before, changes);
  const changed = applyChanges(moved, changes);
  refuseFixed(before, changed);
  const row = withMiddle(changed, domain, before);
  const entry = (known?: LinkEntry) => qrCodeEntry(row, domain, known);
  publish(await update(trx, QR_CODE_TABLES, before, { row, domain, tags, entry }));
  const result = await qrCodeQueries.get(row.project_id, row.id, trx);
  await keepLook(trx, row, changes);
  return result;
}

type Looks = ReadonlyMap<string, StoredDesign>;

/** The looks of the templates that the inputs name. */
async function loadLooks(
  trx: Db,
  projectId: string,
  inputs: readonly (QrCodeChanges | Refusal)[],
): Promise<Looks> {
  const ids = inputs.flatMap((input) =>
    !(input instanceof Refusal) && typeof input.templateId === 'string' ? [input.templateId] : [],
  );
  if (ids.length === 0) return new Map();
  const templates = await Template.of(projectId, trx).whereIn('id', ids);
  return new Map(templates.map(({ id, design }) => [id, design]));
}

/** The input with the look of its template under its own. */
function withLook<Input extends QrCodeChanges>(input: Input, looks: Looks): Input | Refusal {
  if (typeof input.templateId !== 'string') return input;
  const look = looks.get(input.templateId);
  if (look === undefined) {
    return new Refusal(
      'unprocessable_entity',
      `templateId: there is no template "${input.templateId}"`,
    );
  }
  return { ...input, design: { ...look, ...input.design } };
}

/** Stores the look of a code as a template, where its input asks for one. */
async function keepLook(
  trx: Db,
  row: QrCodeRow,
  { newTemplateId }: Pick<QrCodeChanges, 'newTemplateId'>,
): Promise<void> {
  if (newTemplateId === undefined) return;
  // The place of an image depends on the text of the code, and is computed for each code.
  const { middle: _, ...design } = row.design;
  await Template.add(row.project_id, { id: newTemplateId, design }, trx);
}

export const qrCodeHandlers = [
  ...handlers(qrCodeJobs, {
    'qrcode.create': createQrCode,
    'qrcode.update': updateQrCode,
    'qrcode.delete': deleteQrCode,
  }),
  ...handlers(qrCodePreviewJobs, { 'qrcode.fill': fillQrCode }),
];

export const qrCodeBulkHandlers = handlers(qrCodeBulkJobs, {
  'qrcodes.create': createQrCodes,
  'qrcodes.update': updateQrCodes,
  'qrcodes.delete': deleteQrCodes,
});
