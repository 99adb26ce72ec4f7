import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, paging, text } from '../http/fields.ts';
import { created, found, hasAny, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import { listByName, type SearchQuery } from '../workspaces/lists.ts';
import { viewJobs } from './jobs.ts';
import { View } from './model.ts';
import { toView, viewRecord } from './record.ts';
import {
  checkQuery,
  type ListName,
  list,
  type NewView,
  newViewBody,
  type ViewChanges,
  viewChangesBody,
} from './schema.ts';

interface ViewListQuery extends SearchQuery {
  list?: ListName;
}

const write = { extension: true, tag: 'Views', scope: 'views.write', writes: true } as const;
const read = { extension: true, tag: 'Views', scope: 'views.read' } as const;
const params = Joi.object<{ id: string }>({ id: id().required().description('Id of the view.') });

/** Reads a view that the caller can see. @throws Refusal `not_found` */
async function readView({ projectId, userId }: Caller, viewId: string): Promise<View> {
  const row = await View.visibleTo(userId, projectId).where({ id: viewId }).first();
  return found(row, `view "${viewId}"`);
}

export const viewRoutes: Route[] = [
  route<{ body: NewView }>({
    ...write,
    method: 'post',
    path: '/views',
    operationId: 'createView',
    summary: 'Create a view',
    description:
      'Creates a view. A workspace has at most 100 shared views, and each person at most 100 ' +
      'private ones. A view created with an API key belongs to the owner of the key.',
    record: true,
    body: newViewBody,
    answers: { 201: viewRecord },
    handle: (request) => {
      const { body, caller } = request;
      checkQuery(body.list, body.query);
      const data = { ...body, id: newId('view'), userId: caller.userId };
      return answerWrite(request, viewJobs['view.create'], data, (view) =>
        created(`/views/${view.id}`, view),
      );
    },
  }),
  route<{ query: ViewListQuery }>({
    ...read,
    method: 'get',
    path: '/views',
    operationId: 'listViews',
    summary: 'List views, by name',
    description:
      'Returns the shared views and the caller’s private ones by name, one page at a time.',
    isHeavy: hasAny('search'),
    query: Joi.object<ViewListQuery>({
      list: list.description('Only views of this list.'),
      search: text(190).description('Part of the name, regardless of case.'),
      ...paging(100),
    }),
    answers: { 200: Joi.array().items(viewRecord) },
    async handle({ caller, query: { list: listName, ...query } }) {
      const views = View.visibleTo(caller.userId, caller.projectId);
      if (listName !== undefined) views.where({ list: listName });
      return pageOf(await listByName(views, query), toView);
    },
  }),
  route<{ params: { id: string } }>({
    ...read,
    method: 'get',
    path: '/views/{id}',
    operationId: 'retrieveView',
    summary: 'Retrieve a view',
    description: 'Returns a view.',
    record: true,
    params,
    answers: { 200: viewRecord },
    handle: async ({ caller, params: { id: viewId } }) =>
      ok(toView(await readView(caller, viewId))),
  }),
  route<{ params: { id: string }; body: ViewChanges }>({
    ...write,
    method: 'patch',
    path: '/views/{id}',
    operationId: 'updateView',
    summary: 'Update a view',
    description:
      'Changes a view. A view that is no longer shared belongs to the person who changes it.',
    record: true,
    params,
    body: viewChangesBody,
    answers: { 200: viewRecord },
    async handle(request) {
      const { body: changes, params, caller } = request;
      const view = await readView(caller, params.id);
      if (changes.query !== undefined) checkQuery(view.list, changes.query);
      const data = { id: params.id, userId: caller.userId, changes };
      return answerWrite(request, viewJobs['view.update'], data, ok);
    },
  }),
  route<{ params: { id: string } }>({
    ...write,
    method: 'delete',
    path: '/views/{id}',
    operationId: 'deleteView',
    summary: 'Delete a view',
    description: 'Deletes a view. A shared view is deleted for everyone in the workspace.',
    record: true,
    params,
    answers: { 200: deletedRecord },
    handle: (request) => {
      const data = { id: request.params.id, userId: request.caller.userId };
      return answerWrite(request, viewJobs['view.delete'], data, ok);
    },
  }),
];
