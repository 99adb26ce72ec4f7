import { Refusal } from '../errors.ts';
import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, paging } from '../http/fields.ts';
import { ok, pageOf, type Route, route } from '../http/route.ts';
import { kindOfId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { linkRecord } from '../links/record.ts';
import { qrCodeRecord } from '../qrcodes/record.ts';
import { keyField } from '../short-links/key.ts';
import type { RecordKind } from '../short-links/model.ts';
import { openPassword } from '../short-links/record.ts';
import { BULK_LIMIT, type DeleteOneQuery, deleteOneQuery } from '../short-links/schema.ts';
import { TRASH_DAYS } from '../short-links/trash.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { Paging } from '../workspaces/lists.ts';
import { includesScope } from '../workspaces/scopes.ts';
import { trashBulkJobs, trashJobs } from './jobs.ts';
import { listTrash } from './queries.ts';
import { restoredAnswer, toTrashed, trashedRecord } from './record.ts';

const extension = { extension: true, limits: 'records' } as const;

const restoreText = (noun: string): string =>
  `Restores a deleted ${noun} with its id, slug, tags, counts and history, up to ${TRASH_DAYS} days after its ` +
  'deletion. Deleted tags, folders, pages, webhooks and templates are left out. A taken slug or ' +
  'external id is 409.';

interface TrashQuery extends Paging {
  type?: RecordKind;
}

interface RestoreBody {
  key?: string;
}

const trashParams = Joi.object<{ id: string }>({
  id: id().required().description('Id of the deleted record.'),
});

/** Refuses QR codes to callers without their scope. @throws Refusal `forbidden` */
function refuseHiddenKind({ scopes }: Pick<Caller, 'scopes'>, ids: readonly string[]): void {
  if (!ids.some((one) => kindOfId(one) === 'qrcode') || includesScope(scopes, 'qrcodes.write'))
    return;
  throw new Refusal('forbidden', 'QR codes need the scope qrcodes.write');
}

/** Endpoints of deleted links and QR codes, an extension of the contract. */
export const trashRoutes: Route[] = [
  route<{ query: TrashQuery }>({
    ...extension,
    method: 'get',
    path: '/trash',
    operationId: 'listTrash',
    summary: 'List deleted links and QR codes, latest first',
    description:
      `Returns the links and QR codes that were deleted in the last ${TRASH_DAYS} days. Those deleted with ` +
      '`events=remove` are gone. QR codes are returned to callers with the scope `qrcodes.read`.',
    tag: 'Trash',
    scope: 'links.read',
    query: Joi.object<TrashQuery>({
      type: Joi.string().valid('link', 'qrcode').description('Only records of this kind.'),
      ...paging(100),
    }),
    answers: { 200: Joi.array().items(trashedRecord) },
    async handle({ caller, query }) {
      const readable: RecordKind[] = includesScope(caller.scopes, 'qrcodes.read')
        ? ['link', 'qrcode']
        : ['link'];
      const kinds = readable.filter((kind) => query.type === undefined || query.type === kind);
      return pageOf(await listTrash(caller.projectId, kinds, query), toTrashed);
    },
  }),
  route<{ body: { ids: string[] } }>({
    ...extension,
    method: 'post',
    path: '/trash/restore',
    operationId: 'restoreRecords',
    summary: `Restore up to ${BULK_LIMIT} links and QR codes`,
    description:
      'Restores each record independently: the response has the id of each with its error, if any, in ' +
      'the order of the request. QR codes need the scope `qrcodes.write`.',
    tag: 'Trash',
    scope: 'links.write',
    writes: true,
    body: Joi.object<{ ids: string[] }>({
      ids: Joi.array()
        .items(id())
        .min(1)
        .max(BULK_LIMIT)
        .unique()
        .required()
        .description(`Ids of the deleted records, at most ${BULK_LIMIT}.`)
        .example(['link_4Jx2vQ0aTq', 'qr_5Kx2vQ0aTq']),
    }).meta({ name: 'BulkRestore' }),
    answers: { 200: restoredAnswer },
    handle(request) {
      refuseHiddenKind(request.caller, request.body.ids);
      return answerWrite(request, trashBulkJobs['trash.restore'], request.body, ok);
    },
  }),
  route<{ params: { id: string }; query: DeleteOneQuery }>({
    ...extension,
    method: 'delete',
    path: '/trash/{id}',
    operationId: 'deleteTrashedRecord',
    summary: 'Delete a deleted record for good',
    description:
      'Deletes a link or QR code in the trash for good, with its history. Its events stay unless ' +
      '`events=remove` is given. QR codes need the scope `qrcodes.write`.',
    tag: 'Trash',
    scope: 'links.write',
    writes: true,
    params: trashParams,
    query: deleteOneQuery,
    answers: { 200: deletedRecord },
    handle(request) {
      refuseHiddenKind(request.caller, [request.params.id]);
      const data = { ...request.params, ...request.query };
      return answerWrite(request, trashJobs['trash.delete'], data, ok);
    },
  }),
  route<{ params: { linkId: string }; body: RestoreBody }>({
    ...extension,
    method: 'post',
    path: '/links/{linkId}/restore',
    operationId: 'restoreLink',
    summary: 'Restore a deleted link',
    description: `${restoreText('link')} It sends \`link.created\`.`,
    tag: 'Trash',
    scope: 'links.write',
    writes: true,
    record: true,
    isBodyOptional: true,
    params: Joi.object<{ linkId: string }>({
      linkId: id().required().description('Id of the deleted link.'),
    }),
    body: Joi.object<RestoreBody>({
      key: keyField().description('Another slug than before.').example('spring-2'),
    }).meta({ name: 'RestoreLink' }),
    answers: { 200: linkRecord },
    handle(request) {
      const data = { id: request.params.linkId, key: request.body.key };
      return answerWrite(request, trashJobs['link.restore'], data, (record) =>
        ok(openPassword(record)),
      );
    },
  }),
  route<{ params: { qrcodeId: string } }>({
    ...extension,
    method: 'post',
    path: '/qrcodes/{qrcodeId}/restore',
    operationId: 'restoreQrCode',
    summary: 'Restore a deleted QR code',
    description: `${restoreText('QR code')} It sends \`qrcode.created\`.`,
    tag: 'Trash',
    scope: 'qrcodes.write',
    writes: true,
    record: true,
    params: Joi.object<{ qrcodeId: string }>({
      qrcodeId: id().required().description('Id of the deleted QR code.'),
    }),
    answers: { 200: qrCodeRecord },
    handle(request) {
      const data = { id: request.params.qrcodeId };
      return answerWrite(request, trashJobs['qrcode.restore'], data, (record) =>
        ok(openPassword(record)),
      );
    },
  }),
];
