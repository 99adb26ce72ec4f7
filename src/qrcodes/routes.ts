import { createHash } from 'node:crypto';
import { type Asker, answerWrite, askWorker, created, ok } from '../api/answer.ts';
import { answerPicture } from '../api/answer-picture.ts';
import { withFrameable } from '../api/ask-framing.ts';
import { checkEach } from '../api/input.ts';
import { type ApiRequest, type Route, route } from '../api/route.ts';
import { Refusal } from '../errors.ts';
import { imageName } from '../images/name.ts';
import { Joi } from '../infra/fields.ts';
import { bulk } from '../queues/bulk.ts';
import { images } from '../queues/images.ts';
import { writes } from '../queues/writes.ts';
import type { BulkInput, EventsFate } from '../records/commands.ts';
import type { Framing } from '../records/framing.ts';
import { countAnswer, openPassword } from '../records/record.ts';
import { findByInfo, findByRef, found, refuseOtherWorkspace } from '../records/requests.ts';
import { type ImageRef, middleImage, resolveDesign, type StoredDesign } from './design.ts';
import { type ImageQuery, imageQuery, type QrQuery, qrQuery } from './picture-schema.ts';
import { findQrCodeRow, qrCodeQueries } from './queries.ts';
import { bulkAnswer, qrCodeRecord } from './record.ts';
import { MEDIA_TYPES } from './render/design.ts';
import { refuseUnscannable } from './render/scannability.ts';
import {
  bulkBody,
  bulkEnvelope,
  type DeleteQuery,
  deleteOneQuery,
  deleteQuery,
  type KeptImages,
  type NewQrCode,
  type NewQrCodeBody,
  newQrCodeBody,
  type QrCodeChanges,
  type QrCodeChangesBody,
  type QrCodeCountQuery,
  type QrCodeInfoQuery,
  type QrCodeListQuery,
  qrCodeChangesBody,
  qrCodeCountQuery,
  qrCodeInfoQuery,
  qrCodeListQuery,
  qrCodeParams,
  toChanges,
  toNewQrCode,
} from './schema.ts';

const tag = 'QR codes';
const BULK_BYTES = 5 * 1024 * 1024;
const PICTURE = { media: Object.values(MEDIA_TYPES) };
/** A picture of `GET /qr` depends on nothing but its address. */
const FOR_A_DAY = 'public, max-age=86400';
/** A record's picture changes with the record; its ETag tells whether it has. */
const ASK_AGAIN = 'private, no-cache';

type Params = { qrcodeId: string };

export const qrCodeRoutes: Route[] = [
  route<{ query: QrQuery }>({
    method: 'get',
    path: '/qr',
    summary: 'Draw a QR code of any URL',
    description: 'Public: needs no API key, and is limited by address.',
    tag,
    scope: 'public',
    query: qrQuery,
    answers: { 200: PICTURE },
    async handle(request) {
      const { url, format, margin, ...look } = request.query;
      const stored = await withBorrowedImages(request, look);
      const design = resolveDesign(stored, url, margin);
      refuseUnscannable(url, design);
      const image = middleImage(stored);
      const picture = { payload: url, design, format, image: image && { projectId: '', ...image } };
      return answerPicture(request, picture, FOR_A_DAY);
    },
  }),
  route<{ body: NewQrCodeBody }>({
    method: 'post',
    path: '/qrcodes',
    summary: 'Create a QR code',
    tag,
    scope: 'qrcodes.write',
    body: newQrCodeBody,
    answers: { 201: qrCodeRecord },
    writes: true,
    handle: async (request) => {
      const images = await keepImages(request, request.body);
      const qrcode = await withFraming(request, toNewQrCode(request.body, images));
      const data = { userId: request.caller.userId, qrcode };
      return answerWrite(request, writes, 'qrcode.create', data, (made) =>
        created(`/qrcodes/${made.id}`, openPassword(made)),
      );
    },
  }),
  route<{ query: QrCodeListQuery }>({
    method: 'get',
    path: '/qrcodes',
    summary: 'List QR codes',
    tag,
    scope: 'qrcodes.read',
    query: qrCodeListQuery,
    answers: { 200: Joi.array().items(qrCodeRecord) },
    async handle({ caller, query: { sort, page, pageSize, ...filters } }) {
      refuseOtherWorkspace(filters, caller);
      const order = { sort: sort === 'scans' ? ('visits' as const) : sort, page, pageSize };
      return ok((await qrCodeQueries.list(caller.projectId, filters, order)).map(openPassword));
    },
  }),
  route<{ query: QrCodeCountQuery }>({
    method: 'get',
    path: '/qrcodes/count',
    summary: 'Count QR codes',
    tag,
    scope: 'qrcodes.read',
    query: qrCodeCountQuery,
    answers: { 200: countAnswer },
    async handle({ caller, query: { groupBy, ...filters } }) {
      refuseOtherWorkspace(filters, caller);
      return ok(
        groupBy === 'domain'
          ? await qrCodeQueries.countByDomain(caller.projectId, filters)
          : await qrCodeQueries.count(caller.projectId, filters),
      );
    },
  }),
  route<{ query: QrCodeInfoQuery }>({
    method: 'get',
    path: '/qrcodes/info',
    summary: 'Get a QR code by domain and key, id, or external id',
    tag,
    scope: 'qrcodes.read',
    query: qrCodeInfoQuery,
    answers: { 200: qrCodeRecord },
    async handle({ caller, query }) {
      refuseOtherWorkspace(query, caller);
      const { qrCodeId, ...rest } = query;
      const info = qrCodeId === undefined ? rest : { id: qrCodeId };
      const record = await findByInfo(qrCodeQueries, caller.projectId, info);
      return ok(openPassword(found(record, 'such QR code')));
    },
  }),
  route<{ body: unknown[] }>({
    method: 'post',
    path: '/qrcodes/bulk',
    summary: 'Addition: create up to 100 QR codes',
    description:
      'Each code stands alone: the answer has, in the order of the request, the record of each code or the ' +
      'error that kept it from being made. Where all fail, the first one’s error is the answer.',
    tag,
    scope: 'qrcodes.write',
    body: bulkBody,
    bodyCheck: bulkEnvelope,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    writes: true,
    handle: async (request) => {
      const qrcodes = await toBulkQrCodes(request, request.body);
      const data = { userId: request.caller.userId, qrcodes };
      return answerWrite(request, bulk, 'qrcodes.create', data, (items) =>
        ok(items.map(openPassword)),
      );
    },
  }),
  route<{ query: DeleteQuery }>({
    method: 'delete',
    path: '/qrcodes/bulk',
    summary: 'Delete up to 100 QR codes for good',
    tag,
    scope: 'qrcodes.write',
    query: deleteQuery,
    answers: { 200: Joi.object({ deletedCount: Joi.number().integer().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, bulk, 'qrcodes.delete', request.query, ok),
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/qrcodes/{qrcodeId}',
    summary: 'Addition: get a QR code',
    tag,
    scope: 'qrcodes.read',
    params: qrCodeParams,
    answers: { 200: qrCodeRecord },
    async handle({ caller, params: { qrcodeId } }) {
      const record = await findByRef(qrCodeQueries, caller.projectId, qrcodeId);
      return ok(openPassword(found(record, `QR code "${qrcodeId}"`)));
    },
  }),
  route<{ params: Params; query: ImageQuery }>({
    method: 'get',
    path: '/qrcodes/{qrcodeId}/image',
    summary: 'Addition: the picture of a QR code',
    tag,
    scope: 'qrcodes.read',
    params: qrCodeParams,
    query: imageQuery,
    answers: { 200: PICTURE },
    async handle(request) {
      const { caller, params, query } = request;
      const row = found(
        await findQrCodeRow(caller.projectId, params.qrcodeId),
        `QR code "${params.qrcodeId}"`,
      );
      const { payload } = row;
      const design = resolveDesign(resized(row.design, query.size), payload, query.margin);
      refuseUnscannable(payload, design);
      const image = middleImage(row.design);
      const { projectId } = caller;
      const { format } = query;
      return answerPicture(
        request,
        { payload, design, format, image: image && { projectId, ...image } },
        ASK_AGAIN,
      );
    },
  }),
  route<{ params: Params; body: QrCodeChangesBody }>({
    method: 'patch',
    path: '/qrcodes/{qrcodeId}',
    summary: 'Addition: change a QR code',
    description:
      'Absent fields stay as they are; null clears a field. The content of a static code can’t be changed, that of ' +
      'a dynamic one when it is flexible.',
    tag,
    scope: 'qrcodes.write',
    params: qrCodeParams,
    body: qrCodeChangesBody,
    answers: { 200: qrCodeRecord },
    writes: true,
    handle: async (request) => {
      const { qrcodeId } = request.params;
      const images = await keepImages(request, request.body);
      const changes = await withFraming(request, toChanges(request.body, images), async () => [
        (await findByRef(qrCodeQueries, request.caller.projectId, qrcodeId)) as Framing | undefined,
      ]);
      const data = { qrcodeId, changes };
      return answerWrite(request, writes, 'qrcode.update', data, (record) =>
        ok(openPassword(record)),
      );
    },
  }),
  route<{ params: Params; query: { events?: EventsFate } }>({
    method: 'delete',
    path: '/qrcodes/{qrcodeId}',
    summary: 'Delete a QR code for good',
    tag,
    scope: 'qrcodes.write',
    params: qrCodeParams,
    query: deleteOneQuery,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => {
      const data = { ...request.params, ...request.query };
      return answerWrite(request, writes, 'qrcode.delete', data, ok);
    },
  }),
];

/** The codes of a bulk request as their job carries them: checked, or refused each by itself. */
async function toBulkQrCodes(request: Asker, sent: unknown[]): Promise<BulkInput<NewQrCode>[]> {
  const checked = checkEach<NewQrCodeBody>(newQrCodeBody, sent, 'qrcode');
  return Promise.all(
    checked.map(async (body, index): Promise<BulkInput<NewQrCode>> => {
      if (body instanceof Refusal) return { refused: body.toJSON(), sent: sent[index] };
      try {
        const qrcode = toNewQrCode(body, await keepImages(request, body));
        return { input: await withFraming(request, qrcode), sent: sent[index] };
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        return { refused: thrown.toJSON(), sent: sent[index] };
      }
    }),
  );
}

/** The code with what was found out about frames around what it leads to. */
async function withFraming<Changes extends QrCodeChanges>(
  request: Asker,
  changes: Changes,
  before?: () => Promise<readonly (Framing | undefined)[]>,
): Promise<Changes> {
  const { content } = changes;
  const leads = content && { url: content.type === 'url' ? (content.value as string) : null };
  const { frameable } = await withFrameable(request, { ...changes, ...leads } as Framing, before);
  return frameable === undefined ? changes : { ...changes, frameable };
}

/** Fetches the images that a body names, and keeps them for the workspace. @throws Refusal naming the field */
async function keepImages(
  request: Asker,
  { src, logo }: Pick<StoredDesign, 'src' | 'logo'>,
): Promise<KeptImages> {
  const [srcImage, logoImage] = await Promise.all([
    keepImage(request, 'src', src),
    keepImage(request, 'logo', logo),
  ]);
  return {
    ...(srcImage === undefined ? {} : { src: srcImage }),
    ...(logoImage === undefined ? {} : { logo: logoImage }),
  };
}

async function keepImage(
  request: Asker,
  field: 'src' | 'logo',
  source: string | null | undefined,
): Promise<ImageRef | undefined> {
  if (typeof source !== 'string') return undefined;
  try {
    return await askWorker(request, images, 'image.keep', { source });
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    throw new Refusal(thrown.code, `${field} ${thrown.message}`);
  }
}

/** How long an image that a public picture names is not fetched again, in s. */
const BORROWED_SECONDS = 86_400;

/** The look with the images that it names, which belong to nobody and are kept for a day. */
async function withBorrowedImages(
  request: Pick<ApiRequest, 'queues' | 'caller' | 'requestId'>,
  look: StoredDesign,
): Promise<StoredDesign> {
  const source = look.src ?? look.logo;
  if (typeof source !== 'string') return look;
  const field = typeof look.src === 'string' ? 'src' : 'logo';
  const { cache } = request.queues;
  const name = `imgsrc:${createHash('sha256').update(source).digest('base64url')}`;
  const known = JSON.parse((await cache.get(name)) ?? 'null') as ImageRef | null;
  // A cache that evicts may have kept the name and not the image.
  if (known !== null && (await cache.exists(imageName(known.id))) === 1) {
    return { ...look, srcImage: known };
  }
  const image = await keepImage(request, field, source);
  await cache.set(name, JSON.stringify(image), 'EX', BORROWED_SECONDS);
  return { ...look, srcImage: image! };
}

/** The look at another size: what is measured in px of the picture grows with it. */
function resized(design: StoredDesign, size: number | undefined): StoredDesign {
  if (size === undefined || size === design.size) return design;
  const scale = size / (design.size ?? resolveDesign({}, '').size);
  const { middle, frameTextStyles } = design;
  const grown = (value: number) => Math.max(1, Math.round(value * scale));
  return {
    ...design,
    size,
    ...(middle
      ? { middle: { ...middle, width: grown(middle.width), height: grown(middle.height) } }
      : {}),
    ...(typeof frameTextStyles?.size === 'number'
      ? { frameTextStyles: { ...frameTextStyles, size: frameTextStyles.size * scale } }
      : {}),
  };
}
