import { answerWrite, created, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { newId } from '../ids.ts';
import { id, Joi, paging, text } from '../infra/fields.ts';
import { containing } from '../infra/like.ts';
import { writes } from '../queues/writes.ts';
import { Folder } from './model.ts';
import { folderRecord, toFolder } from './record.ts';

const tag = 'Folders';

interface FolderListQuery {
  search?: string;
  page: number;
  pageSize: number;
}

const params = Joi.object<{ id: string }>({ id: id().required() });
const body = Joi.object<{ name: string }>({ name: text(190).trim().required() });

/** Addition to the contract, which names folders but not how they are made. */
export const folderRoutes: Route[] = [
  route<{ body: { name: string } }>({
    method: 'post',
    path: '/folders',
    summary: 'Addition: create a folder',
    tag,
    scope: 'folders.write',
    body,
    answers: { 201: folderRecord },
    writes: true,
    handle: (request) => {
      const data = { id: newId('folder'), name: request.body.name };
      return answerWrite(request, writes, 'folder.create', data, (made) =>
        created(`/folders/${made.id}`, made),
      );
    },
  }),
  route<{ query: FolderListQuery }>({
    method: 'get',
    path: '/folders',
    summary: 'Addition: list folders by name',
    tag,
    scope: 'folders.read',
    query: Joi.object<FolderListQuery>({ search: text(190), ...paging(100) }),
    answers: { 200: Joi.array().items(folderRecord) },
    async handle({ caller, query: { search, page, pageSize } }) {
      const folders = Folder.of(caller.projectId);
      if (search !== undefined) folders.whereRaw('name ILIKE ?', [containing(search)]);
      const rows = await folders
        .orderByRaw('lower(name), id')
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      return ok(rows.map(toFolder));
    },
  }),
  route<{ params: { id: string }; body: { name: string } }>({
    method: 'patch',
    path: '/folders/{id}',
    summary: 'Addition: rename a folder',
    tag,
    scope: 'folders.write',
    params,
    body,
    answers: { 200: folderRecord },
    writes: true,
    handle: (request) =>
      answerWrite(request, writes, 'folder.update', { id: request.params.id, ...request.body }, ok),
  }),
  route<{ params: { id: string } }>({
    method: 'delete',
    path: '/folders/{id}',
    summary: 'Addition: delete a folder; its links stay',
    tag,
    scope: 'folders.write',
    params,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'folder.delete', request.params, ok),
  }),
];
