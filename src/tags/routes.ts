import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, nameText, oneOf, paging, queryList, text } from '../http/fields.ts';
import { created, ok, pageOf, type Route, route } from '../http/route.ts';
import { newId } from '../ids.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import { tagJobs } from './jobs.ts';
import { listTags, readTag, type TagListQuery } from './queries.ts';
import { TAG_COLORS, tagRecord, toTag } from './record.ts';

const write = { tag: 'Tags', scope: 'tags.write', writes: true } as const;
const read = { tag: 'Tags', scope: 'tags.read', limits: 'none' } as const;
const MAX_NAME = 190;

interface NewTag {
  name?: string;
  tag?: string;
  color?: string;
}

const color = oneOf(TAG_COLORS).description('Color of the tag.');
const params = Joi.object<{ id: string }>({ id: id().required().description('Id of the tag.') });

const newTagBody = Joi.object<NewTag>({
  name: nameText(MAX_NAME).description('Name, at most 190 characters.').example('Summer campaign'),
  tag: nameText(MAX_NAME).description(
    'Deprecated: use `name`. If both are given they must be equal.',
  ),
  color: color.description('Color of the tag. Default: a random one.'),
})
  .or('name', 'tag')
  .custom((body: NewTag, { error }) =>
    body.name !== undefined && body.tag !== undefined && body.name !== body.tag
      ? error('alias')
      : body,
  )
  .messages({
    'object.missing': 'name is required',
    alias: 'name and tag must agree when both are given',
  })
  .meta({ name: 'NewTag' });

const tagChangesBody = Joi.object<{ name?: string; color?: string }>({
  name: nameText(MAX_NAME).description('Name, at most 190 characters.').example('Summer campaign'),
  color,
})
  .or('name', 'color')
  .meta({ name: 'TagUpdate' });

const tagListQuery = Joi.object<TagListQuery>({
  sortBy: Joi.string().valid('name', 'createdAt').default('name').description('Sort field.'),
  sortOrder: Joi.string()
    .valid('asc', 'desc')
    .default('asc')
    .description('Ascending or descending order.'),
  search: text(MAX_NAME).description('Part of the name, regardless of case.'),
  ids: queryList(id()).min(1).description('Ids of tags: only these are returned.'),
  ...paging(100),
});

export const tagRoutes: Route[] = [
  route<{ body: NewTag }>({
    ...write,
    method: 'post',
    path: '/tags',
    operationId: 'createTag',
    summary: 'Create a tag',
    description: 'Creates a tag.',
    record: true,
    body: newTagBody,
    answers: { 201: tagRecord },
    handle: (request) => {
      const { name, tag: alias, color: chosen } = request.body;
      const randomColor = TAG_COLORS[Math.floor(Math.random() * TAG_COLORS.length)]!;
      const data = { id: newId('tag'), name: (name ?? alias)!, color: chosen ?? randomColor };
      return answerWrite(request, tagJobs['tag.create'], data, (tag) =>
        created(`/tags/${tag.id}`, tag),
      );
    },
  }),
  route<{ query: TagListQuery }>({
    ...read,
    method: 'get',
    path: '/tags',
    operationId: 'listTags',
    summary: 'List tags',
    description: 'Returns the tags, one page at a time.',
    isHeavy: ({ search, sortBy = 'name' }) => search !== undefined || sortBy !== 'name',
    query: tagListQuery,
    answers: { 200: Joi.array().items(tagRecord) },
    async handle({ caller, query }) {
      return pageOf(await listTags(caller.projectId, query), toTag);
    },
  }),
  route<{ params: { id: string } }>({
    ...read,
    method: 'get',
    path: '/tags/{id}',
    operationId: 'retrieveTag',
    summary: 'Retrieve a tag',
    description: 'Returns a tag.',
    extension: true,
    record: true,
    params,
    answers: { 200: tagRecord },
    handle: async ({ caller, params: { id: tagId } }) => ok(await readTag(caller.projectId, tagId)),
  }),
  route<{ params: { id: string }; body: { name?: string; color?: string } }>({
    ...write,
    method: 'put',
    path: '/tags/{id}',
    operationId: 'updateTag',
    summary: 'Update a tag',
    description: 'Changes the name or color of a tag. Absent fields stay as they are.',
    record: true,
    params,
    body: tagChangesBody,
    answers: { 200: tagRecord },
    handle: (request) =>
      answerWrite(request, tagJobs['tag.update'], { id: request.params.id, ...request.body }, ok),
  }),
  route<{ params: { id: string } }>({
    ...write,
    method: 'delete',
    path: '/tags/{id}',
    operationId: 'deleteTag',
    summary: 'Delete a tag',
    description: 'Deletes a tag and removes it from all links and QR codes.',
    extension: true,
    record: true,
    params,
    answers: { 200: deletedRecord },
    handle: (request) => answerWrite(request, tagJobs['tag.delete'], request.params, ok),
  }),
];
