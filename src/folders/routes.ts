import { Refusal } from '../errors.ts';
import { created, ok } from '../http/answer.ts';
import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, nameText, paging, text } from '../http/fields.ts';
import { hasAny, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { containing } from '../infra/like.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { nameKey } from '../workspaces/taken-name.ts';
import { folderJobs } from './jobs.ts';
import { Folder } from './model.ts';
import { folderRecord, toFolder } from './record.ts';

const tag = 'Folders';

interface FolderListQuery {
  search?: string;
  page: number;
  pageSize: number;
}

const params = Joi.object<{ id: string }>({ id: id().required().description('Id of the folder.') });
const body = Joi.object<{ name: string }>({
  name: nameText(190)
    .required()
    .description('Name, at most 190 characters; unique in the workspace regardless of case.')
    .example('Spring launch'),
});
    ...write,

/**
 * Endpoints of folders, an extension of the contract, which names folders but has no endpoints for
 * them.
 */
export const folderRoutes: Route[] = [
  route<{ body: { name: string } }>({
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
  route<{ query: FolderListQuery }>({
    method: 'get',
    path: '/folders',
    operationId: 'listFolders',
    summary: 'List folders, by name',
    description: 'Returns the folders by name, one page at a time.',
    isHeavy: hasAny('search'),
    query: Joi.object<FolderListQuery>({
      search: text(190).description('Part of the name, regardless of case.'),
      ...paging(100),
    ...read,
    }),
    answers: { 200: Joi.array().items(folderRecord) },
    async handle({ caller, query: { search, page, pageSize } }) {
      const folders = Folder.of(caller.projectId);
      if (search !== undefined) folders.where('name_key', 'like', containing(nameKey(search)));
      const rows = await folders
        .orderBy(['name_key', 'id'])
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      return ok(rows.map(toFolder));
    },
  }),
  route<{ params: { id: string } }>({
    method: 'get',
    ...write,
    path: '/folders/{id}',
    operationId: 'retrieveFolder',
    summary: 'Retrieve a folder',
    description: 'Returns a folder.',
    record: true,
    params,
    answers: { 200: folderRecord },
    async handle({ caller, params: { id: folderId } }) {
      const row = await Folder.of(caller.projectId).where({ id: folderId }).first();
      if (row === undefined) throw new Refusal('not_found', `There is no folder "${folderId}"`);
      return ok(toFolder(row));
    },
  }),
  route<{ params: { id: string }; body: { name: string } }>({
    method: 'patch',
    ...write,
    path: '/folders/{id}',
    operationId: 'updateFolder',
    summary: 'Rename a folder',
    description: 'Changes the name of a folder.',
    record: true,
    params,
    body: body.meta({ name: 'FolderUpdate' }),
    answers: { 200: folderRecord },
    handle: (request) =>
      answerWrite(
        request,
        folderJobs['folder.update'],
        { id: request.params.id, ...request.body },
        ok,
      ),
  }),
  route<{ params: { id: string } }>({
    method: 'delete',
    path: '/folders/{id}',
    operationId: 'deleteFolder',
    summary: 'Delete a folder',
    description: 'Deletes a folder. Its links and QR codes stay, without a folder.',
    record: true,
    params,
    answers: { 200: deletedRecord },
    writes: true,
    handle: (request) => answerWrite(request, folderJobs['folder.delete'], request.params, ok),
  }),
];
