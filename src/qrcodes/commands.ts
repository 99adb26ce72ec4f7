import { mapAccepted, Refusal } from '../errors.ts';
import type { Db } from '../infra/db.ts';
import { currentLimits } from '../infra/limits.ts';
import { type Publish, runIdempotent } from '../jobs/run-idempotent.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import type { Actor, JobContext } from '../queues/definition.ts';
import { handlers } from '../queues/job.ts';
import { applyDue } from '../short-links/apply-scheduled.ts';
import { changeEach, createEach } from '../short-links/bulk.ts';
import { readUtm } from '../short-links/destination.ts';
import type { Change, Draft, Owner } from '../short-links/draft.ts';
import { type Author, type StoredChanges, updatedBy } from '../short-links/history.ts';
import { qrCodePreviewJobs } from '../short-links/jobs.ts';
import { fillPreview, requestPreview } from '../short-links/preview.ts';
import { loadReferences } from '../short-links/references.ts';
import { deleteRecord, deleteRecords } from '../short-links/remove.ts';
import { resetRecord } from '../short-links/reset.ts';
import { placeBefore, type Revert, readReverted } from '../short-links/revert.ts';
import { schedule, unschedule } from '../short-links/scheduled.ts';
import { refuseUtm } from '../short-links/utm-rules.ts';
import {
  insert,
  newRow,
  placeAfter,
  placeOf,
  publishCreated,
  update,
} from '../short-links/write.ts';
import { publishRecordEvent } from '../webhooks/outbox.ts';
import { qrCodeEntry } from './entry.ts';
import { changesLetters, type Fonts, loadFontsOf, withLetters } from './fonts/frame-letters.ts';
import { qrCodeBulkJobs, qrCodeJobs } from './jobs.ts';
import { BLANK_QR_CODE, QR_CODE_TABLES, type QrCodeRow } from './model.ts';
import { qrCodeQueries } from './queries.ts';
import { type SealedQrCode, toSealedQrCode } from './record.ts';
import type { StoredDesign } from './render/stored-design.ts';
import {
  applyChanges,
  ownKeyOf,
  refusePrintedChange,
  withMiddle,
  withoutContradictions,
} from './rules.ts';
import type { NewQrCode, QrCodeChanges } from './schema.ts';
import { toShownChanges } from './shown-changes.ts';
import { Template } from './templates/model.ts';

/**
 * Creates a QR code. @throws Refusal if it breaks a rule, cannot be scanned, or its key or external
 * id is taken
 */
export async function createQrCode(
  { userId, qrcode }: { userId: string; qrcode: NewQrCode },
  job: JobContext,
): Promise<SealedQrCode> {
  const { projectId } = job;
  const record = await runIdempotent(job, async (trx, publish) => {
    const inserted = await insertQrCodes(trx, { projectId, userId }, [qrcode], publish);
    return publishCreated(trx, QR_CODE_TABLES, projectId, inserted);
  });
  // A static code has no short link to share.
  if (record.proxy && !record.static) await requestPreview(job, 'qrcode', record);
  return record;
}

interface QrCodeOwner extends Owner {
  /** True for codes that may have deleted fonts, as in an archive. */
  keepsFonts?: boolean;
}

/**
 * Stores QR codes independently, within the transaction of a command; refusals stay in their
 * places.
 */
export async function insertQrCodes(
  trx: Db,
  { keepsFonts = false, ...owner }: QrCodeOwner,
  inputs: readonly (NewQrCode | Refusal)[],
  publish: Publish,
): Promise<(SealedQrCode | Refusal)[]> {
  const designs = await loadDesigns(trx, owner.projectId, inputs);
  const complete = mapAccepted(inputs, (input) => completeDesign<NewQrCode>(input, designs));
  const fonts = await loadFontsOf(trx, owner.projectId, designsOf(complete));
  const qrcodes = mapAccepted(complete, (input) =>
    completeLetters(input, (keepsFonts && input.design) || {}, fonts, designs),
  );
  const references = await loadReferences(trx, owner.projectId, qrcodes);
  const now = new Date();
  const drafts = mapAccepted(qrcodes, (qrcode): Draft<QrCodeRow> => {
    const ownKey = qrcode.static === true ? undefined : ownKeyOf(qrcode.content);
    const keyed = ownKey === undefined ? qrcode : { key: ownKey, ...qrcode };
    const { ids, ...place } = placeOf({ ...owner, now }, keyed, references);
    const row = withMiddle(applyChanges(newRow(BLANK_QR_CODE, ids), qrcode), place.domain);
    // A static code holds its content itself, as it is.
    if (owner.keepsUtm !== true && !row.static) refuseUtm(row, references.utmRules);
    return { ...place, row, entry: () => qrCodeEntry(row, place.domain) };
  });
  const inserted = await insert(trx, QR_CODE_TABLES, drafts, publish);
  await showPhotos(
    trx,
    owner.projectId,
    mapAccepted(inserted, ({ row }) => row),
  );
  for (const [index, made] of inserted.entries()) {
    const input = qrcodes[index]!;
    if (made instanceof Refusal || input instanceof Refusal) continue;
    await storeDesign(trx, made.row, input);
  }
  return mapAccepted(inserted, (draft) => toSealedQrCode(draft.row, draft));
}

async function changeOne(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
  publish: Publish,
  author: Author,
): Promise<SealedQrCode> {
  const qrcode = await changeQrCode(trx, before, changes, publish, author);
  await publishRecordEvent(trx, before.project_id, 'qrcode.updated', qrcode);
  return qrcode;
}

/**
 * Stores a change of a locked code, within the transaction of a command. @throws Refusal as {@link
 * createQrCode}
 */
async function changeQrCode(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
  publish: Publish,
  author: Author,
): Promise<SealedQrCode> {
  const { row, utmRules, ...place } = await placeAfter(trx, QR_CODE_TABLES, before, changes);
  const change = { ...place, row: applyChanges(row, changes) };
  // The URLs of a test are not checked, and neither is the winner's.
  if (!row.static && changes.testWinner == null) refuseUtm(change.row, utmRules, before);
  const result = await storeChange(trx, before, change, publish, author);
  await storeDesign(trx, result.row, changes);
  return result.qrcode;
}

async function storeChange(
  trx: Db,
  before: QrCodeRow,
  { row: changed, domain, tags }: Omit<Change<QrCodeRow>, 'entry'>,
  publish: Publish,
  author: Author,
): Promise<{ row: QrCodeRow; qrcode: SealedQrCode }> {
  refusePrintedChange(before, changed);
  const row = withMiddle(changed, domain, before);
  await showPhotos(trx, row.project_id, [row]);
  const entry = (previous?: LinkEntry) => qrCodeEntry(row, domain, previous);
  publish(await update(trx, QR_CODE_TABLES, before, { row, domain, tags, entry }, author));
  return { row, qrcode: await qrCodeQueries.get(row.project_id, row.id, trx) };
}

/**
 * Sets the fields of a change of a locked code back, within the transaction of a command. @throws
 * Refusal `not_found`; `unprocessable_entity` if the file is deleted; otherwise as {@link
 * createQrCode}
 */
export async function revertQrCode(
  trx: Db,
  before: QrCodeRow,
  { changeId, frameable }: Revert,
  publish: Publish,
  actor: Actor | undefined,
): Promise<SealedQrCode> {
  const { project_id: projectId } = before;
  const reverted = await readReverted(trx, QR_CODE_TABLES, before, changeId);
  const { row: placed, ...place } = await placeBefore(
    trx,
    QR_CODE_TABLES,
    before,
    reverted,
    frameable,
  );
  await refuseDeletedFile(trx, placed);
  const design = await lettersBefore(trx, projectId, placed.design, reverted.changes);
  const row = withoutContradictions(before, { ...placed, ...readUtm(placed.url ?? ''), design });
  const author = { action: 'reverted', actor, revertedId: changeId } as const;
  const { qrcode } = await storeChange(trx, before, { ...place, row }, publish, author);
  await publishRecordEvent(trx, projectId, 'qrcode.updated', qrcode);
  return qrcode;
}

/** Draws the letters of a text that a revert sets; its font may have been deleted since. */
async function lettersBefore(
  trx: Db,
  projectId: string,
  design: StoredDesign,
  changes: StoredChanges,
): Promise<StoredDesign> {
  if (!changes['design.frameText'] && !changes['design.frameTextStyles']) return design;
  const fonts = await loadFontsOf(trx, projectId, [design]);
  return withLetters(design, fonts, design.frameTextStyles?.family);
}

/** @throws Refusal `unprocessable_entity` if the file that a code opens is no longer stored */
async function refuseDeletedFile(trx: Db, { project_id, design }: QrCodeRow): Promise<void> {
  const { storedFile } = design;
  if (!storedFile) return;
  const file = (await trx('files').where({ project_id, id: storedFile.id }).first('id')) as unknown;
  if (file !== undefined) return;
  throw new Refusal(
    'unprocessable_entity',
    'changeId must not name a change of a file that is no longer stored: set file again',
  );
}

/** The designs of the inputs that are not refused. */
const designsOf = (inputs: readonly (QrCodeChanges | Refusal)[]): StoredDesign[] =>
  inputs.flatMap((input) => (input instanceof Refusal ? [] : (input.design ?? [])));

/** Adds the letters of its text to the design of an input, where it has a font of the workspace. */
function completeLetters<Input extends QrCodeChanges>(
  input: Input,
  before: StoredDesign,
  fonts: Fonts,
  designs: Designs,
): Input {
  const { design, templateId } = input;
  if (design === undefined || !changesLetters(design)) return input;
  const template = (typeof templateId === 'string' && designs.get(templateId)) || before;
  const { frameTextStyles, frameLetters } = withLetters(
    { ...before, ...design },
    fonts,
    template.frameTextStyles?.family,
  );
  if (frameLetters === undefined) return input;
  return { ...input, design: { ...design, frameTextStyles, frameLetters } };
}

type Designs = ReadonlyMap<string, StoredDesign>;

/** Reads the designs of the templates that the inputs name. */
async function loadDesigns(
  trx: Db,
  projectId: string,
  inputs: readonly (QrCodeChanges | Refusal)[],
): Promise<Designs> {
  const ids = inputs.flatMap((input) =>
    !(input instanceof Refusal) && typeof input.templateId === 'string' ? [input.templateId] : [],
  );
  if (ids.length === 0) return new Map();
  const templates = await Template.of(projectId, trx).whereIn('id', ids);
  return new Map(templates.map(({ id, design }) => [id, design]));
}

/**
 * Completes the design of an input with that of its template.
 *
 * @returns a Refusal for an unknown template, or a new one of a limited caller
 */
function completeDesign<Input extends QrCodeChanges>(
  input: Input,
  designs: Designs,
): Input | Refusal {
  // Templates belong to the whole workspace.
  if (input.newTemplateId !== undefined && currentLimits() !== undefined) {
    return new Refusal(
      'forbidden',
      'useAsTemplate must not be true: the caller is limited to some links and QR codes',
    );
  }
  if (typeof input.templateId !== 'string') return input;
  const template = designs.get(input.templateId);
  if (template === undefined) {
    return new Refusal(
      'unprocessable_entity',
      `templateId: there is no template "${input.templateId}"`,
    );
  }
  return { ...input, design: { ...template, ...input.design } };
}

/** Completes the design of a change with that of its template, and the letters of its text. */
async function completeChanges(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
): Promise<QrCodeChanges | Refusal> {
  const designs = await loadDesigns(trx, before.project_id, [changes]);
  const complete = completeDesign(changes, designs);
  if (complete instanceof Refusal) return complete;
  const fonts = await loadFontsOf(trx, before.project_id, [
    { ...before.design, ...complete.design },
  ]);
  return completeLetters(complete, before.design, fonts, designs);
}

/** @throws Refusal `unprocessable_entity` if a change names an unknown template */
export async function refuseUnknownTemplate(
  trx: Db,
  projectId: string,
  changes: Pick<QrCodeChanges, 'templateId'>,
): Promise<void> {
  const complete = completeDesign(changes, await loadDesigns(trx, projectId, [changes]));
  if (complete instanceof Refusal) throw complete;
}

/** Makes a change as a request has it. @throws Refusal as {@link changeQrCode} */
export async function changeCompletely(
  trx: Db,
  before: QrCodeRow,
  changes: QrCodeChanges,
  publish: Publish,
  author: Author,
): Promise<SealedQrCode> {
  const complete = await completeChanges(trx, before, changes);
  if (complete instanceof Refusal) throw complete;
  return changeQrCode(trx, before, complete, publish, author);
}

const toShown = (changes: QrCodeChanges) => toShownChanges(changes, true);

/** Lets visitors read the photos that pages of codes show. */
async function showPhotos(
  trx: Db,
  projectId: string,
  qrcodes: readonly (QrCodeRow | Refusal)[],
): Promise<void> {
  const ids = qrcodes.flatMap((row) =>
    row instanceof Refusal || !row.design.photoImage ? [] : [row.design.photoImage.id],
  );
  if (ids.length === 0) return;
  await trx('images')
    .where({ project_id: projectId })
    .whereIn('id', ids)
    .update({ is_public: true });
}

type NewTemplate = Pick<QrCodeChanges, 'newTemplateId' | 'newTemplateName'>;

/** Stores the design of a code as a template, if its input asks for one. */
async function storeDesign(
  trx: Db,
  row: QrCodeRow,
  { newTemplateId, newTemplateName: name }: NewTemplate,
): Promise<void> {
  if (newTemplateId === undefined) return;
  // The position of an image and the letters depend on the texts of a code.
  const {
    middle: _,
    photoImage: _photo,
    storedFile: _file,
    frameLetters: _letters,
    ...design
  } = row.design;
  await Template.add(row.project_id, { id: newTemplateId, name: name ?? null, design }, trx);
}

export const qrCodeHandlers = [
  ...handlers(qrCodeJobs, {
    'qrcode.create': createQrCode,

    /**
     * Changes a QR code. @throws Refusal `not_found`, `conflict` if printed content would change;
     * otherwise as {@link createQrCode}
     */
    async 'qrcode.update'({ qrcodeId, changes }, job) {
      const qrcode = await runIdempotent(job, async (trx, publish) => {
        const before = await qrCodeQueries.lock(trx, job, qrcodeId);
        const record = await changeCompletely(trx, before, changes, publish, updatedBy(job));
        await publishRecordEvent(trx, before.project_id, 'qrcode.updated', record);
        return record;
      });
      if (changes.proxy === true && !qrcode.static) await requestPreview(job, 'qrcode', qrcode);
      return qrcode;
    },

    /** Reverts a change. @throws Refusal as {@link revertQrCode} */
    'qrcode.revert': (revert, job) =>
      runIdempotent(job, async (trx, publish) => {
        const before = await qrCodeQueries.lock(trx, job, revert.ref);
        return revertQrCode(trx, before, revert, publish, job.actor);
      }),

    /** Deletes a QR code. @throws Refusal `not_found` */
    'qrcode.delete': ({ qrcodeId, events }, job) =>
      deleteRecord(qrCodeQueries, job, qrcodeId, events),
    /** Sets the counts of a QR code back to zero. @throws Refusal `not_found` */
    'qrcode.reset': ({ qrcodeId }, job) => resetRecord(qrCodeQueries, job, qrcodeId),
    /** Stores a change for later. @throws Refusal as an update */
    'qrcode.schedule': (data, job) => schedule(qrCodeQueries, job, data, changeCompletely, toShown),
    /** Deletes a scheduled change. @throws Refusal `not_found` */
    'qrcode.unschedule': (data, job) => unschedule(qrCodeQueries, job, data, toShown),
    'qrcode.apply': ({ id }, job) => applyDue(qrCodeQueries, job, id, changeCompletely),
  }),
  ...handlers(qrCodePreviewJobs, {
    /**
     * Fills the card of a QR code with the preview of its destination. @throws Refusal `not_found`
     */
    'qrcode.fill': (preview, job) => fillPreview(qrCodeQueries, job, preview, changeOne),
  }),
];

export const qrCodeBulkHandlers = handlers(qrCodeBulkJobs, {
  /** Creates up to 100 QR codes independently. If all fail, the first refusal is the answer. */
  'qrcodes.create': ({ userId, qrcodes: items, sent }, job) =>
    createEach(QR_CODE_TABLES, job, { items, sent }, (trx, inputs, publish) =>
      insertQrCodes(trx, { projectId: job.projectId, userId }, inputs, publish),
    ),

  /** Makes the same change to up to 100 QR codes independently. */
  'qrcodes.update': ({ qrcodeIds, changes }, job) =>
    changeEach(QR_CODE_TABLES, job, qrcodeIds, async (trx, ref, publish) => {
      const before = await qrCodeQueries.lock(trx, job, ref);
      return changeCompletely(trx, before, changes, publish, updatedBy(job));
    }),

  /** Deletes up to 100 QR codes; unknown ids are ignored. */
  'qrcodes.delete': ({ qrcodeIds, events }, job) =>
    deleteRecords(qrCodeQueries, job, qrcodeIds, events),
});
