import { Refusal } from '../../errors.ts';
import { id, Joi } from '../../http/fields.ts';
import { check, parseQueryField } from '../../http/input.ts';
import {
  type Answer,
  type ApiRequest,
  created,
  found,
  ok,
  type Route,
  route,
} from '../../http/route.ts';
import { newId } from '../../ids.ts';

import { db, rows } from '../../infra/db.ts';
import { answerWrite } from '../../jobs/answer-write.ts';
import { type LinkFilters, filterSchemas as linkFilterSchemas } from '../../links/filters.ts';
import { QR_CODE_FILTERS, type QrCodeFilters } from '../../qrcodes/filters.ts';
import { refuseHiddenFilter, schemasOf } from '../../short-links/filters.ts';
import type { RecordKind } from '../../short-links/model.ts';
import { refuseOtherWorkspace } from '../../short-links/project-slug.ts';
import { canReadPasswords } from '../../short-links/record.ts';
import { includesScope } from '../../workspaces/scopes.ts';
import { exportJobs, exportWriteJobs } from '../jobs.ts';
import type { NewExportBody } from '../schema.ts';
import { PictureExport } from './model.ts';
import { pictureOptions } from './options.ts';
import { exportRecord, type ItemError, toExport } from './record.ts';

/** Maximum number of errors in the record. */
const MAX_ERRORS = 100;

const common = { extension: true, tag: 'Exports' } as const;
const params = Joi.object<{ id: string }>({
  id: id().required().description('Id of the export.'),
});

/** Endpoints of exports of images. */
export const pictureExportRoutes: Route[] = [
  route<{ params: { id: string } }>({
    ...common,
    method: 'get',
    path: '/exports/{id}/progress',
    operationId: 'retrieveExport',
    limits: 'records',
    summary: 'Retrieve the progress of an export of QR codes',
    description: 'Returns an export of images of QR codes, with its progress and URL.',
    scope: 'qrcodes.read',
    params,
    answers: { 200: exportRecord },
    handle: async ({ caller, params: { id: exportId } }) =>
      ok(await readExport(caller.projectId, exportId)),
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'post',
    path: '/exports/{id}/cancel',
    operationId: 'cancelExport',
    limits: 'records',
    summary: 'Cancel an export of QR codes',
    description: 'Ends an export of images of QR codes that is not done, and deletes its file.',
    scope: 'qrcodes.write',
    params,
    answers: { 200: exportRecord },
    writes: true,
    handle: (request) => answerWrite(request, exportWriteJobs['export.cancel'], request.params, ok),
  }),
];

async function readExport(projectId: string, exportId: string) {
  const row = found(
    await PictureExport.of(projectId).where({ id: exportId }).whereNotNull('options').first(),
    `export "${exportId}"`,
  );
  const errors = await rows<ItemError>(
    db(),
    `SELECT record_id AS "qrcodeId", error AS message FROM export_items
      WHERE export_id = ? AND error IS NOT NULL ORDER BY position LIMIT ?`,
    [row.id, MAX_ERRORS],
  );
  return toExport(row, errors);
}

/** Answers a request for an export of images. */
export function answerPictures(
  request: ApiRequest,
  { type: _, passphrase, filter, qrcodeIds, linkFilter, linkIds, ...fields }: NewExportBody,
): Promise<Answer> {
  if (passphrase !== undefined) {
    throw new Refusal(
      'unprocessable_entity',
      'passphrase must not be set where the type is qrcodes',
    );
  }
  const { caller } = request;
  const options = pictureOptions(fields, canReadPasswords(caller, 'qrcode'));
  const kind: RecordKind = linkFilter !== undefined || linkIds !== undefined ? 'link' : 'qrcode';
  if (kind === 'link' && !includesScope(caller.scopes, 'links.read')) {
    throw new Refusal('forbidden', 'The export of codes of links needs the scope links.read');
  }
  const selection = qrcodeIds ?? linkIds ?? filtersIn(kind, linkFilter ?? filter ?? '');
  if (!Array.isArray(selection)) {
    refuseOtherWorkspace(selection, caller);
    refuseHiddenFilter(caller, kind, selection);
  }
  const data = { id: newId('export'), options, selection, kind };
  return answerWrite(request, exportJobs['export.qrcodes'], data, (record) =>
    created(`/exports/${record.id}/progress`, record),
  );
}

const FILTERS = Joi.object({
  filter: Joi.object(schemasOf(QR_CODE_FILTERS)),
  linkFilter: Joi.object(linkFilterSchemas),
});

/** @throws Refusal `unprocessable_entity` naming the wrong filters */
function filtersIn(kind: RecordKind, query: string): QrCodeFilters | LinkFilters {
  const name = kind === 'link' ? 'linkFilter' : 'filter';
  const sent = { [name]: parseQueryField(name, query) };
  return check<Record<string, QrCodeFilters | LinkFilters>>(FILTERS, sent, 'body')[name]!;
}
