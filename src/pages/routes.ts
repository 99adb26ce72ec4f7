import { deletedRecord } from '../http/deleted.ts';
import { Joi } from '../http/fields.ts';
import { created, found, hasAny, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { pageJobs } from './jobs.ts';
import { findPage, listPages } from './queries.ts';
import { pageRecord } from './record.ts';
import {
  type NewPage,
  newPageBody,
  type PageChanges,
  type PageListQuery,
  pageChangesBody,
  pageListQuery,
  pageParams,
} from './schema.ts';

const write = { extension: true, tag: 'Pages', scope: 'pages.write', writes: true } as const;
const read = { extension: true, tag: 'Pages', scope: 'pages.read' } as const;

type Params = { id: string };

/**
 * Endpoints of pages, an extension of the contract, in which links and QR codes name a page by its
 * id.
 */
export const pageRoutes: Route[] = [
  route<{ body: NewPage }>({
    ...write,
    method: 'post',
    path: '/pages',
    operationId: 'createPage',
    summary: 'Create a page',
    description: 'Creates a page that links and QR codes can show before their destination.',
    record: true,
    body: newPageBody,
    answers: { 201: pageRecord },
    handle: (request) => {
      const data = { id: newId('page'), page: request.body };
      return answerWrite(request, pageJobs['page.create'], data, (made) =>
        created(`/pages/${made.id}`, made),
      );
    },
  }),
  route<{ query: PageListQuery }>({
    ...read,
    method: 'get',
    path: '/pages',
    operationId: 'listPages',
    summary: 'List pages, newest first',
    description: 'Returns the pages, newest first.',
    isHeavy: hasAny('search'),
    query: pageListQuery,
    answers: { 200: Joi.array().items(pageRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listPages(caller.projectId, query), (record) => record),
  }),
  route<{ params: Params }>({
    ...read,
    method: 'get',
    path: '/pages/{id}',
    operationId: 'retrievePage',
    summary: 'Retrieve a page',
    description: 'Returns a page with its counters.',
    record: true,
    params: pageParams,
    answers: { 200: pageRecord },
    handle: async ({ caller, params: { id } }) =>
      ok(found(await findPage(caller.projectId, id), `page "${id}"`)),
  }),
  route<{ params: Params; body: PageChanges }>({
    ...write,
    method: 'patch',
    path: '/pages/{id}',
    operationId: 'updatePage',
    summary: 'Update a page',
    description: 'Absent fields stay as they are; null clears a field.',
    record: true,
    params: pageParams,
    body: pageChangesBody,
    answers: { 200: pageRecord },
    handle: (request) => {
      const data = { id: request.params.id, changes: request.body };
      return answerWrite(request, pageJobs['page.update'], data, ok);
    },
  }),
  route<{ params: Params }>({
    ...write,
    method: 'delete',
    path: '/pages/{id}',
    operationId: 'deletePage',
    summary: 'Delete a page',
    description: 'Deletes a page. Refused while a link or QR code shows it.',
    record: true,
    params: pageParams,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, pageJobs['page.delete'], request.params, ok),
  }),
];
