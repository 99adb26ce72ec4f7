import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, nameText, paging, text } from '../http/fields.ts';
import { created, found, hasAny, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { listByName, type SearchQuery } from '../workspaces/lists.ts';
import { folderJobs } from './jobs.ts';
import { Folder } from './model.ts';
import { folderRecord, toFolder } from './record.ts';

const write = { extension: true, tag: 'Folders', scope: 'folders.write', writes: true } as const;
const read = {
  extension: true,
  tag: 'Folders',
  scope: 'folders.read',
  limits: 'records',
} as const;

const params = Joi.object<{ id: string }>({ id: id().required().description('Id of the folder.') });
const body = Joi.object<{ name: string }>({
  name: nameText(190)
    .required()
    .description('Name, at most 190 characters; unique in the workspace regardless of case.')
    .example('Spring launch'),
});

/**
 * Endpoints of folders, an extension of the contract, which names folders but has no endpoints for
 * them.
 */
export const folderRoutes: Route[] = [
  route<{ body: { name: string } }>({
    ...write,
    method: 'post',
    path: '/folders',
    operationId: 'createFolder',
    summary: 'Create a folder',
    description: 'Creates a folder.',
    record: true,
    body: body.meta({ name: 'NewFolder' }),
    answers: { 201: folderRecord },
    handle: (request) => {
      const data = { id: newId('folder'), name: request.body.name };
      return answerWrite(request, folderJobs['folder.create'], data, (record) =>
        created(`/folders/${record.id}`, record),
      );
    },
  }),
  route<{ query: SearchQuery }>({
    ...read,
    method: 'get',
    path: '/folders',
    operationId: 'listFolders',
    summary: 'List folders, by name',
    description: 'Returns the folders by name, one page at a time.',
    isHeavy: hasAny('search'),
    query: Joi.object<SearchQuery>({
      search: text(190).description('Part of the name, regardless of case.'),
      ...paging(100),
    }),
    answers: { 200: Joi.array().items(folderRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listByName(Folder.of(caller.projectId), query), toFolder),
  }),
  route<{ params: { id: string } }>({
    ...read,
    method: 'get',
    path: '/folders/{id}',
    operationId: 'retrieveFolder',
    summary: 'Retrieve a folder',
    description: 'Returns a folder.',
    record: true,
    params,
    answers: { 200: folderRecord },
    async handle({ caller, params: { id: folderId } }) {
      const row = await Folder.of(caller.projectId).where({ id: folderId }).first();
      return ok(toFolder(found(row, `folder "${folderId}"`)));
    },
  }),
  route<{ params: { id: string }; body: { name: string } }>({
    ...write,
    method: 'patch',
    path: '/folders/{id}',
    operationId: 'updateFolder',
    summary: 'Rename a folder',
    description: 'Changes the name of a folder.',
    record: true,
    params,
    body: body.meta({ name: 'FolderUpdate' }),
    answers: { 200: folderRecord },
    handle: (request) => {
      const data = { id: request.params.id, ...request.body };
      return answerWrite(request, folderJobs['folder.update'], data, ok);
    },
  }),
  route<{ params: { id: string } }>({
    ...write,
    method: 'delete',
    path: '/folders/{id}',
    operationId: 'deleteFolder',
    summary: 'Delete a folder',
    description: 'Deletes a folder. Its links and QR codes stay, without a folder.',
    record: true,
    params,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, folderJobs['folder.delete'], request.params, ok),
  }),
];
