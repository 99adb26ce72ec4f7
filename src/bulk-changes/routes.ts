import type { SchemaMap } from 'joi';
import { fileAnswer, MEDIA_TYPES } from '../exports/format.ts';
import { Joi } from '../http/fields.ts';
import { check, MEBIBYTE, parseQueryField } from '../http/input.ts';
import { type ApiRequest, created, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { filterSchemas } from '../links/filters.ts';
import { LINK_TABLES } from '../links/model.ts';
import { QR_CODE_FILTERS } from '../qrcodes/filters.ts';
import { QR_CODE_TABLES } from '../qrcodes/model.ts';
import { refuseHiddenFilter, type SharedFilters, schemasOf } from '../short-links/filters.ts';
import type { ShortLinkTables } from '../short-links/model.ts';
import { refuseOtherWorkspace } from '../short-links/project-slug.ts';
import type { Paging } from '../workspaces/lists.ts';
import { bulkChangeBulkJobs, bulkChangeJobs } from './jobs.ts';
import { errorsFile, listBulkChanges, readBulkChange } from './queries.ts';
import { bulkChangeDetails, bulkChangeRecord, KEPT_DAYS, toBulkChange } from './record.ts';
import {
  type BulkChangeBody,
  bulkChangeBody,
  bulkChangeListQuery,
  bulkChangeParams,
  MAX_RECORDS,
} from './schema.ts';

type Params = { id: string };

/** The parts in which the endpoints of links and of QR codes differ. */
interface Source {
  tables: ShortLinkTables;
  tag: 'Links' | 'QR codes';
  filters: SchemaMap;
}

/** Endpoints of bulk changes. */
export const bulkChangeRoutes: Route[] = [
  ...routesOf({ tables: LINK_TABLES, tag: 'Links', filters: filterSchemas }),
  ...routesOf({ tables: QR_CODE_TABLES, tag: 'QR codes', filters: schemasOf(QR_CODE_FILTERS) }),
];

function routesOf({ tables, tag, filters }: Source): Route[] {
  const { kind, noun, table } = tables;
  const name = kind === 'link' ? 'Link' : 'QrCode';
  const common = { extension: true, tag, limits: 'records' } as const;
  const read = { ...common, scope: `${table}.read` } as const;
  const write = { ...common, scope: `${table}.write`, writes: true } as const;
  const path = `/bulk-changes/${table}`;
  const filterSchema = Joi.object({ filter: Joi.object(filters) });

  /** @throws Refusal naming the wrong filters */
  function filtersIn({ caller }: ApiRequest, query: string): SharedFilters {
    const sent = { filter: parseQueryField('filter', query) };
    const { filter } = check<{ filter: SharedFilters }>(filterSchema, sent, 'body');
    refuseOtherWorkspace(filter, caller);
    refuseHiddenFilter(caller, kind, filter);
    return filter;
  }

  const command = (
    verb: 'start' | 'cancel' | 'undo',
    texts: { summary: string; description: string },
  ) =>
    route<{ params: Params }>({
      ...write,
      ...texts,
      method: 'post',
      path: `${path}/{id}/${verb}`,
      operationId: `${verb}${name}BulkChange`,
      params: bulkChangeParams,
      answers: { 200: bulkChangeRecord },
      handle: (request) => {
        const ref = { id: request.params.id, kind };
        return answerWrite(request, bulkChangeJobs[`bulkChange.${verb}`], ref, ok);
      },
    });

  return [
    route<{ body: BulkChangeBody }>({
      ...write,
      method: 'post',
      path,
      isHeavy: true,
      operationId: `create${name}BulkChange`,
      summary: `Change many ${noun}s`,
      description:
        `Makes the same change to up to ${MAX_RECORDS} ${noun}s, by ids or by filter, in the background: \`GET ` +
        `${path}/{id}\` has the progress, the counts, examples and errors. Each ${noun} is changed like by a ` +
        'request for it alone, with its history, audit log and webhooks; one that is refused does not stop the ' +
        `others. With \`dryRun\` nothing is changed until the start. For ${KEPT_DAYS} days it can be undone. ` +
        'A workspace runs one bulk change at a time.',
      body: bulkChangeBody(tables),
      bodyLimit: 5 * MEBIBYTE,
      answers: { 201: bulkChangeRecord },
      handle(request) {
        const { ids, filter, data = {}, replace = null, dryRun } = request.body;
        const job = {
          id: newId('bulkChange'),
          kind,
          userId: request.caller.userId,
          selection: ids ?? filtersIn(request, filter ?? ''),
          data,
          replacement: replace,
          dryRun,
        };
        return answerWrite(request, bulkChangeBulkJobs['bulkChange.create'], job, (record) =>
          created(`${path}/${record.id}`, record),
        );
      },
    }),
    route<{ query: Paging }>({
      ...read,
      method: 'get',
      path,
      operationId: `list${name}BulkChanges`,
      summary: `List bulk changes of ${noun}s`,
      description: `Returns the bulk changes of ${noun}s, newest first.`,
      query: bulkChangeListQuery,
      answers: { 200: Joi.array().items(bulkChangeRecord) },
      handle: async ({ caller, query }) =>
        pageOf(await listBulkChanges(caller.projectId, kind, query), toBulkChange),
    }),
    route<{ params: Params }>({
      ...read,
      method: 'get',
      path: `${path}/{id}`,
      operationId: `retrieve${name}BulkChange`,
      summary: `Retrieve a bulk change of ${noun}s`,
      description: 'Returns a bulk change with its progress, its first examples and errors.',
      params: bulkChangeParams,
      answers: { 200: bulkChangeDetails },
      handle: async ({ caller: { projectId }, params: { id } }) =>
        ok(await readBulkChange({ projectId, kind, id })),
    }),
    command('start', {
      summary: `Start a bulk change of ${noun}s`,
      description: 'Makes a change that was created with `dryRun`.',
    }),
    command('cancel', {
      summary: `Cancel a bulk change of ${noun}s`,
      description:
        'Ends a bulk change, or its check. What has been changed stays so; an undo sets it back.',
    }),
    command('undo', {
      summary: `Undo a bulk change of ${noun}s`,
      description:
        `Sets each changed ${noun} back to the values before, in the background. Those that were changed again ` +
        'since stay as they are, and are listed in `errors`.',
    }),
    route<{ params: Params }>({
      ...read,
      method: 'get',
      path: `${path}/{id}/errors`,
      operationId: `download${name}BulkChangeErrors`,
      summary: `Download the errors of a bulk change of ${noun}s`,
      description:
        `Returns the ${noun}s that were refused, or that an undo left as they are, as CSV: id, shortLink, ` +
        `message. They are stored for ${KEPT_DAYS} days after the end.`,
      params: bulkChangeParams,
      answers: { 200: { media: [MEDIA_TYPES.csv] } },
      handle: async ({ caller: { projectId }, params: { id } }) =>
        fileAnswer(await errorsFile({ projectId, kind, id }), 'errors', 'csv'),
    }),
  ];
}
