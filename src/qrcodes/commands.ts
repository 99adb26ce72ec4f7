import { Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { type Effects, once } from '../jobs/once.ts';
import type { JobContext } from '../queues/queue.ts';
import {
  type BulkInput,
  bulkInputs,
  bulkResult,
  changeRecord,
  type EventsFate,
  lockRow,
  onlyOne,
  removeMany,
  removeOne,
} from '../records/commands.ts';
import { type Created, insertRecords } from '../records/insert.ts';
import { askForPreview, type FoundPreview, fillPreview } from '../records/preview.ts';
import { tellOfRecord } from '../records/tell.ts';
import { Template } from '../templates/model.ts';
import type { StoredDesign } from './design.ts';
import { QR_CODES } from './kind.ts';
import { QrCode } from './model.ts';
import { qrCodeQueries } from './queries.ts';
import type { BulkQrCodeItem, SealedQrCode } from './record.ts';
import type { NewQrCode, QrCodeChanges } from './schema.ts';

/** @throws Refusal when the code breaks a rule, can't be scanned, or its key or external id is taken */
export async function createQrCode(
  { userId, qrcode }: { userId: string; qrcode: NewQrCode },
  job: JobContext,
): Promise<SealedQrCode> {
  const made = await once(job, async (trx) => {
    const { projectId } = job;
    const effects = onlyOne(await insertQrCodes(trx, { projectId, userId }, [qrcode]));
    await tellOfRecord(trx, projectId, 'qrcode.created', effects.result);
    return effects;
  });
  // What a static code leads to has no short link that could be shared.
  if (!made.static) await askForPreview(job, 'qrcode', made);
  return made;
}

/** Makes up to 100 QR codes; each stands alone. Where all fail, the first one's refusal is the answer. */
export function createQrCodes(
  { userId, qrcodes }: { userId: string; qrcodes: BulkInput<NewQrCode>[] },
  job: JobContext,
): Promise<BulkQrCodeItem[]> {
  return once(job, async (trx) => {
    const owner = { projectId: job.projectId, userId };
    const created = await insertQrCodes(trx, owner, bulkInputs(qrcodes));
    return bulkResult('qrcode', created, qrcodes);
  });
}

async function insertQrCodes(
  trx: Db,
  owner: { projectId: string; userId: string },
  inputs: readonly (NewQrCode | Refusal)[],
): Promise<Created<SealedQrCode>> {
  const looks = await loadLooks(trx, owner.projectId, inputs);
  const ready = inputs.map((input) =>
    input instanceof Refusal ? input : withLook<NewQrCode>(input, looks),
  );
  const created = await insertRecords(QR_CODES, trx, owner, ready);
  for (const [index, record] of created.records.entries()) {
    const input = ready[index]!;
    if (record instanceof Refusal || input instanceof Refusal) continue;
    await keepLook(trx, owner.projectId, input, record.id);
  }
  return created;
}

/** @throws Refusal `not_found`, `conflict` where what is printed would change; otherwise as for a new code */
export async function updateQrCode(
  { qrcodeId, changes }: { qrcodeId: string; changes: QrCodeChanges },
  job: JobContext,
): Promise<SealedQrCode> {
  const qrcode = await once(job, async (trx) => {
    const ready = withLook(changes, await loadLooks(trx, job.projectId, [changes]));
    if (ready instanceof Refusal) throw ready;
    return changeOne(trx, job.projectId, qrcodeId, ready);
  });
  if (changes.proxy === true && !qrcode.static) await askForPreview(job, 'qrcode', qrcode);
  return qrcode;
}

async function changeOne(
  trx: Db,
  projectId: string,
  ref: string,
  changes: QrCodeChanges,
): Promise<Effects<SealedQrCode>> {
  const effects = await changeRecord(QR_CODES, trx, { projectId, ref, changes }, (...args) =>
    qrCodeQueries.find(...args),
  );
  await keepLook(trx, projectId, changes, effects.result.id);
  await tellOfRecord(trx, projectId, 'qrcode.updated', effects.result);
  return effects;
}

/** @throws Refusal `not_found` */
export function fillQrCode(found: FoundPreview, job: JobContext): Promise<{ id: string }> {
  const { projectId } = job;
  return once(job, (trx) =>
    fillPreview(QR_CODES, trx, projectId, found, (changes) =>
      changeOne(trx, projectId, found.id, changes),
    ),
  );
}

/** @throws Refusal `not_found` */
export function deleteQrCode(
  { qrcodeId, events }: { qrcodeId: string; events?: EventsFate },
  job: JobContext,
): Promise<{ id: string }> {
  return once(job, async (trx) => {
    const { projectId } = job;
    const { id } = await lockRow(QR_CODES, trx, projectId, qrcodeId);
    const qrcode = await qrCodeQueries.find(projectId, id, trx);
    const effects = await removeOne(QR_CODES, trx, projectId, id, events);
    await tellOfRecord(trx, projectId, 'qrcode.deleted', qrcode!);
    return effects;
  });
}

/** Deletes up to 100 QR codes; ids that are not there are passed over. */
export function deleteQrCodes(
  { qrcodeIds, events }: { qrcodeIds: string[]; events?: EventsFate },
  job: JobContext,
): Promise<{ deletedCount: number }> {
  return once(job, (trx) => removeMany(QR_CODES, trx, job.projectId, qrcodeIds, events));
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

/** Keeps the look of a code as the template that it asked for. */
async function keepLook(
  trx: Db,
  projectId: string,
  { newTemplateId }: QrCodeChanges,
  qrcodeId: string,
): Promise<void> {
  if (newTemplateId === undefined) return;
  const row = await QrCode.of(projectId, trx).where({ id: qrcodeId }).select('design').first();
  // The place of an image depends on what the code holds, and is worked out for each code.
  const { middle: _, ...design } = row!.design;
  await Template.add(projectId, { id: newTemplateId, design }, trx);
}
