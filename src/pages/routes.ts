import { answerWrite, created, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { newId } from '../ids.ts';
import { Joi } from '../infra/fields.ts';
import { writes } from '../queues/writes.ts';
import { found } from '../records/requests.ts';
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

const tag = 'Pages';

type Params = { id: string };

/** Addition to the contract, in which links and QR codes name a page by its id. */
export const pageRoutes: Route[] = [
  route<{ body: NewPage }>({
    method: 'post',
    path: '/pages',
    summary: 'Addition: create a page that is shown before destinations',
    tag,
    scope: 'pages.write',
    body: newPageBody,
    answers: { 201: pageRecord },
    writes: true,
    handle: (request) => {
      const data = { id: newId('page'), page: request.body };
      return answerWrite(request, writes, 'page.create', data, (made) =>
        created(`/pages/${made.id}`, made),
      );
    },
  }),
  route<{ query: PageListQuery }>({
    method: 'get',
    path: '/pages',
    summary: 'Addition: list pages, newest first',
    tag,
    scope: 'pages.read',
    query: pageListQuery,
    answers: { 200: Joi.array().items(pageRecord) },
    handle: async ({ caller, query }) => ok(await listPages(caller.projectId, query)),
  }),
  route<{ params: Params }>({
    method: 'get',
    path: '/pages/{id}',
    summary: 'Addition: get a page',
    tag,
    scope: 'pages.read',
    params: pageParams,
    answers: { 200: pageRecord },
    handle: async ({ caller, params: { id } }) =>
      ok(found(await findPage(caller.projectId, id), `page "${id}"`)),
  }),
  route<{ params: Params; body: PageChanges }>({
    method: 'patch',
    path: '/pages/{id}',
    summary: 'Addition: change a page',
    description: 'Absent fields stay as they are; null clears a field.',
    tag,
    scope: 'pages.write',
    params: pageParams,
    body: pageChangesBody,
    answers: { 200: pageRecord },
    writes: true,
    handle: (request) => {
      const data = { id: request.params.id, changes: request.body };
      return answerWrite(request, writes, 'page.update', data, ok);
    },
  }),
  route<{ params: Params }>({
    method: 'delete',
    path: '/pages/{id}',
    summary: 'Addition: delete a page that no link and no QR code shows',
    tag,
    scope: 'pages.write',
    params: pageParams,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'page.delete', request.params, ok),
  }),
];
