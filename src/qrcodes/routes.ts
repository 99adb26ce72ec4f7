import { Refusal } from '../errors.ts';
import { deletedCount, deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { checkEach } from '../http/input.ts';
import { created, found, ok, type Requester, type Route, route } from '../http/route.ts';
import { drop } from '../infra/kept.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { type BulkInputs, openItem, toBulkInputs } from '../short-links/bulk.ts';
import { isHeavyList } from '../short-links/filters.ts';
import { canReadPasswords, countAnswer, openPassword } from '../short-links/record.ts';
import {
  answerScheduled,
  changeAnswers,
  SCHEDULING_TEXT,
} from '../short-links/scheduled-routes.ts';
import {
  bulkEnvelope,
  type DeleteOneQuery,
  deleteOneQuery,
  resetText,
} from '../short-links/schema.ts';
import { simulationRoute } from '../short-links/simulate.ts';
import { answerPicture } from './answer-picture.ts';
import { MAX_SIZE } from './design.ts';
import { QR_CODE_FILTERS } from './filters.ts';
import { findFraming, withFraming } from './framing.ts';
import { type ImageSources, storeImages, withPublicImages } from './images.ts';
import { qrCodeBulkJobs, qrCodeJobs } from './jobs.ts';
import { QR_CODE_TABLES } from './model.ts';
import { sizedFor } from './picture-output.ts';
import { type ImageQuery, imageQuery, type QrQuery, qrQuery } from './picture-schema.ts';
import { findQrCodeRow, qrCodeQueries } from './queries.ts';
import { bulkAnswer, qrCodeRecord } from './record.ts';
import { MEDIA_TYPES } from './render/design.ts';
import { refuseUnscannable } from './render/scannability.ts';
import { middleImage } from './render/stored-design.ts';
import { pictureOfRow } from './row-picture.ts';
import {
  type BulkChanges,
  bulkBody,
  bulkChangesBody,
  type DeleteQuery,
  deleteQuery,
  type NewQrCode,
  type NewQrCodeBody,
  newQrCodeBody,
  QR_CODE_DEFAULTS,
  type QrCodeCountQuery,
  type QrCodeInfoQuery,
  type QrCodeListQuery,
  type QrCodeUpdateBody,
  qrCodeChangesBody,
  qrCodeCountQuery,
  qrCodeInfoQuery,
  qrCodeListQuery,
  qrCodeParams,
  toChanges,
  toNewQrCode,
} from './schema.ts';

const write = {
  tag: 'QR codes',
  scope: 'qrcodes.write',
  limits: 'records',
  writes: true,
} as const;
const read = { tag: 'QR codes', scope: 'qrcodes.read', limits: 'records' } as const;
const BULK_BYTES = 5 * 1024 * 1024;
const PICTURE = { media: Object.values(MEDIA_TYPES) };
/** An image of `GET /qr` depends only on its URL. */
const FOR_A_DAY = 'public, max-age=86400';
/** A record's image changes with the record, so clients revalidate it by its ETag. */
const ASK_AGAIN = 'private, no-cache';

type Params = { qrcodeId: string };

export const qrCodeRoutes: Route[] = [
  route<{ query: QrQuery }>({
    method: 'get',
    path: '/qr',
    operationId: 'renderQrCode',
    summary: 'Render a QR code for any URL',
    description:
      'Renders a QR code without storing it. Limited per client IP address; images that were not ' +
      'drawn in the last few minutes (`src`, `logo`, `backgroundSrc`) have a separate, lower limit.',
    tag: 'QR codes',
    scope: 'public',
    query: qrQuery,
    answers: { 200: PICTURE },
    async handle(request) {
      const { url, format, margin, sizeMm, dpi, dimensions, download, ...look } = request.query;
      const { look: stored, image, background } = await withPublicImages(request, look);
      const { size } = look;
      const { design, output } = sizedFor(stored, url, {
        format,
        size,
        margin,
        sizeMm,
        dpi,
        dimensions,
        maxPx: MAX_SIZE,
      });
      refuseUnscannable(url, design);
      const shown = middleImage(stored) && image;
      const picture = {
        payload: url,
        design,
        format,
        output,
        image: shown && { projectId: '', ...shown },
        background: background ? { projectId: '', ...background } : undefined,
      };
      const file = { name: 'qr-code', isDownload: download === true };
      const answer = await answerPicture(request, picture, file, FOR_A_DAY);
      for (const made of [image, background]) {
        if (made?.handed !== undefined) await drop(request.queues.cache, made.handed);
      }
      return answer;
    },
  }),
  route<{ body: NewQrCodeBody }>({
    ...write,
    method: 'post',
    path: '/qrcodes',
    operationId: 'createQrCode',
    summary: 'Create a QR code',
    description:
      'Creates a QR code. A dynamic code holds a short link; a static one holds the content itself and can’t be ' +
      'changed.',
    record: true,
    body: newQrCodeBody,
    answers: { 201: qrCodeRecord },
    defaults: QR_CODE_DEFAULTS,
    handle(request) {
      const data = async () => {
        const images = await storeImages(request, request.body);
        const qrcode = await withFraming(
          request,
          toNewQrCode(request.caller.projectId, request.body, images),
        );
        return { userId: request.caller.userId, qrcode };
      };
      return answerWrite(request, qrCodeJobs['qrcode.create'], data, (made) =>
        created(`/qrcodes/${made.id}`, openPassword(made)),
      );
    },
  }),
  route<{ query: QrCodeListQuery }>({
    ...read,
    method: 'get',
    path: '/qrcodes',
    operationId: 'listQrCodes',
    summary: 'List QR codes',
    description:
      'Returns the QR codes that match all filters, one page at a time. Archived codes are left out unless ' +
      '`showArchived` is true.',
    query: qrCodeListQuery,
    isHeavy: isHeavyList(QR_CODE_FILTERS),
    answers: { 200: Joi.array().items(qrCodeRecord) },
    handle: (request) => qrCodeQueries.answerList(request),
  }),
  route<{ query: QrCodeCountQuery }>({
    ...read,
    method: 'get',
    path: '/qrcodes/count',
    isHeavy: true,
    operationId: 'countQrCodes',
    summary: 'Count QR codes',
    description:
      'Returns the number of QR codes that match all filters, or with `groupBy` the number for each ' +
      'domain, tag or folder.',
    query: qrCodeCountQuery,
    answers: { 200: countAnswer },
    handle: (request) => qrCodeQueries.answerCount(request),
  }),
  route<{ query: QrCodeInfoQuery }>({
    ...read,
    method: 'get',
    path: '/qrcodes/info',
    operationId: 'findQrCode',
    summary: 'Find a QR code',
    description: 'Returns the QR code with a domain and key, an id, or an external id.',
    record: true,
    query: qrCodeInfoQuery,
    answers: { 200: qrCodeRecord },
    handle: ({ caller, query }) =>
      qrCodeQueries.answerInfo(caller, { ...query, id: query.qrCodeId }),
  }),
  route<{ body: unknown[] }>({
    ...write,
    method: 'post',
    path: '/qrcodes/bulk',
    operationId: 'bulkCreateQrCodes',
    summary: 'Create up to 100 QR codes',
    extension: true,
    description:
      'Each code is created independently: the response has the record or error of each code, in ' +
      'the order of the request. If all fail, the response is the first error.',
    body: bulkBody,
    bodyCheck: bulkEnvelope,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    defaults: QR_CODE_DEFAULTS,
    handle(request) {
      const data = async () => {
        const { items: qrcodes, sent } = await toBulkQrCodes(request, request.body);
        return { userId: request.caller.userId, qrcodes, sent };
      };
      return answerWrite(request, qrCodeBulkJobs['qrcodes.create'], data, (items) =>
        ok(items.map(openItem(request.caller))),
      );
    },
  }),
  route<{ body: BulkChanges }>({
    ...write,
    method: 'patch',
    path: '/qrcodes/bulk',
    operationId: 'bulkUpdateQrCodes',
    summary: 'Update up to 100 QR codes',
    description:
      'Makes the same change to up to 100 QR codes. Each code is updated independently: the ' +
      'response has each code or its error, in the order of the request: a code that would be ' +
      'unreadable in a new appearance keeps its appearance. Content can be changed one code ' +
      'at a time only.',
    extension: true,
    body: bulkChangesBody,
    bodyLimit: BULK_BYTES,
    answers: { 200: bulkAnswer },
    handle(request) {
      const { qrcodeIds, data: body } = request.body;
      const { projectId } = request.caller;
      const data = async () => {
        const stored = toChanges(projectId, body, await storeImages(request, body));
        const changes = await withFraming(request, stored, () =>
          Promise.all(qrcodeIds.map((ref) => findFraming(projectId, ref))),
        );
        return { qrcodeIds, changes };
      };
      return answerWrite(request, qrCodeBulkJobs['qrcodes.update'], data, (items) =>
        ok(items.map(openItem(request.caller))),
      );
    },
  }),
  route<{ query: DeleteQuery }>({
    ...write,
    method: 'delete',
    path: '/qrcodes/bulk',
    operationId: 'bulkDeleteQrCodes',
    summary: 'Delete up to 100 QR codes',
    description:
      'Deletes up to 100 QR codes. They can be restored for 30 days, unless `events=remove` is given. Unknown ids are ignored.',
    query: deleteQuery,
    answers: { 200: deletedCount },
    handle: (request) => answerWrite(request, qrCodeBulkJobs['qrcodes.delete'], request.query, ok),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/qrcodes/{qrcodeId}',
    operationId: 'retrieveQrCode',
    summary: 'Retrieve a QR code',
    description: 'Returns a QR code.',
    extension: true,
    record: true,
    params: qrCodeParams,
    answers: { 200: qrCodeRecord },
    handle: ({ caller, params }) => qrCodeQueries.answerRecord(caller, params.qrcodeId),
  }),
  route<{ params: Params; query: ImageQuery }>({
    ...read,
    method: 'get',
    path: '/qrcodes/{qrcodeId}/image',
    operationId: 'retrieveQrCodeImage',
    summary: 'Retrieve the image of a QR code',
    description:
      'Renders a stored QR code in any size, margin and format. A static code that contains a ' +
      'Wi-Fi password needs the scope `qrcodes.write`.',
    extension: true,
    params: qrCodeParams,
    query: imageQuery,
    answers: { 200: PICTURE },
    async handle(request) {
      const { caller, params, query } = request;
      const row = found(
        await findQrCodeRow(caller.projectId, params.qrcodeId),
        `QR code "${params.qrcodeId}"`,
      );
      const { key, title } = row;
      const { download, ...asked } = query;
      const canRead = canReadPasswords(caller, 'qrcode');
      return answerPicture(
        request,
        pictureOfRow(caller.projectId, row, asked, canRead),
        { name: title ?? key, fallback: key, isDownload: download === true },
        ASK_AGAIN,
      );
    },
  }),
  route<{ params: Params; body: QrCodeUpdateBody }>({
    ...write,
    method: 'patch',
    path: '/qrcodes/{qrcodeId}',
    operationId: 'updateQrCode',
    summary: 'Update a QR code',
    extension: true,
    description:
      'Absent fields stay as they are; null clears a field. Domain, key and the content of a ' +
      `static code can’t be changed: they are printed. ${SCHEDULING_TEXT}`,
    record: true,
    params: qrCodeParams,
    body: qrCodeChangesBody,
    answers: changeAnswers(qrCodeRecord),
    handle(request) {
      const { qrcodeId } = request.params;
      const { at, ...body } = request.body;
      const { projectId } = request.caller;
      const changes = async () => {
        const stored = toChanges(projectId, body, await storeImages(request, body));
        return withFraming(request, stored, async () => [await findFraming(projectId, qrcodeId)]);
      };
      if (at !== undefined) {
        const requested = { tables: QR_CODE_TABLES, ref: qrcodeId, at, findByRef, changes };
        return answerScheduled(request, qrCodeJobs['qrcode.schedule'], requested);
      }
      const data = async () => ({ qrcodeId, changes: await changes() });
      return answerWrite(request, qrCodeJobs['qrcode.update'], data, (record) =>
        ok(openPassword(record)),
      );
    },
  }),
  simulationRoute({
    tables: QR_CODE_TABLES,
    tag: 'QR codes',
    path: '/qrcodes/{qrcodeId}',
    params: qrCodeParams,
    findByRef,
  }),
  route<{ params: Params }>({
    ...write,
    method: 'post',
    path: '/qrcodes/{qrcodeId}/reset',
    operationId: 'resetQrCode',
    summary: 'Reset the counts of a QR code',
    description: resetText('QR code'),
    extension: true,
    record: true,
    params: qrCodeParams,
    answers: { 200: qrCodeRecord },
    handle: (request) =>
      answerWrite(request, qrCodeJobs['qrcode.reset'], request.params, (record) =>
        ok(openPassword(record)),
      ),
  }),
  route<{ params: Params; query: DeleteOneQuery }>({
    ...write,
    method: 'delete',
    path: '/qrcodes/{qrcodeId}',
    operationId: 'deleteQrCode',
    summary: 'Delete a QR code',
    description:
      'Deletes a QR code. It can be restored for 30 days, and its events stay; with `events=remove`, ' +
      'both are deleted for good. Its key becomes free like the key of a link.',
    record: true,
    params: qrCodeParams,
    query: deleteOneQuery,
    answers: { 200: deletedRecord },
    handle: (request) => {
      const data = { ...request.params, ...request.query };
      return answerWrite(request, qrCodeJobs['qrcode.delete'], data, ok);
    },
  }),
];

/** Packs the codes of a bulk request for their job: valid inputs, or the refusal of each. */
async function toBulkQrCodes(request: Requester, sent: unknown[]): Promise<BulkInputs<NewQrCode>> {
  const checked = await checkEach<NewQrCodeBody>(newQrCodeBody, sent, 'qrcode');
  const { projectId } = request.caller;
  const sources: ImageSources = new Map();
  const inputs = await Promise.all(
    checked.map(async (body) => {
      if (body instanceof Refusal) return body;
      try {
        const images = await storeImages(request, body, sources);
        return await withFraming(request, toNewQrCode(projectId, body, images));
      } catch (thrown) {
        if (!(thrown instanceof Refusal)) throw thrown;
        return thrown;
      }
    }),
  );
  return toBulkInputs(projectId, inputs, sent);
}

function findByRef(projectId: string, ref: string) {
  return qrCodeQueries.findByRef(projectId, ref);
}
