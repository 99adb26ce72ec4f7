import { answerWrite, created, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { newId } from '../ids.ts';
import { id, Joi, paging, queryList, text } from '../infra/fields.ts';
import { writes } from '../queues/writes.ts';
import { listTags, type TagListQuery } from './queries.ts';
import { TAG_COLORS, tagRecord } from './record.ts';

const tag = 'Tags';
const MAX_NAME = 190;

interface NewTag {
  name?: string;
  tag?: string;
  color?: string;
}

const color = Joi.string().valid(...TAG_COLORS);
const params = Joi.object<{ id: string }>({ id: id().required() });

const newTagBody = Joi.object<NewTag>({
  name: text(MAX_NAME).trim().description('Name of the tag.'),
  tag: text(MAX_NAME).trim().description('Older name of the field name; both must agree.'),
  color: color.description('Drawn at random when it is absent.'),
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
  });

const tagChangesBody = Joi.object<{ name?: string; color?: string }>({
  name: text(MAX_NAME).trim(),
  color,
}).or('name', 'color');

const tagListQuery = Joi.object<TagListQuery>({
  sortBy: Joi.string().valid('name', 'createdAt').default('name'),
  sortOrder: Joi.string().valid('asc', 'desc').default('asc'),
  search: text(MAX_NAME),
  ids: queryList(id()).min(1),
  ...paging(100),
});

export const tagRoutes: Route[] = [
  route<{ body: NewTag }>({
    method: 'post',
    path: '/tags',
    summary: 'Create a tag',
    tag,
    scope: 'tags.write',
    body: newTagBody,
    answers: { 201: tagRecord },
    writes: true,
    handle: (request) => {
      const { name, tag: alias, color: chosen } = request.body;
      const drawn = TAG_COLORS[Math.floor(Math.random() * TAG_COLORS.length)]!;
      const data = { id: newId('tag'), name: (name ?? alias)!, color: chosen ?? drawn };
      return answerWrite(request, writes, 'tag.create', data, (made) =>
        created(`/tags/${made.id}`, made),
      );
    },
  }),
  route<{ query: TagListQuery }>({
    method: 'get',
    path: '/tags',
    summary: 'List tags',
    tag,
    scope: 'tags.read',
    query: tagListQuery,
    answers: { 200: Joi.array().items(tagRecord) },
    async handle({ caller, query }) {
      return ok(await listTags(caller.projectId, query));
    },
  }),
  route<{ params: { id: string }; body: { name?: string; color?: string } }>({
    method: 'put',
    path: '/tags/{id}',
    summary: 'Change a tag',
    tag,
    scope: 'tags.write',
    params,
    body: tagChangesBody,
    answers: { 200: tagRecord },
    writes: true,
    handle: (request) =>
      answerWrite(request, writes, 'tag.update', { id: request.params.id, ...request.body }, ok),
  }),
  route<{ params: { id: string } }>({
    method: 'delete',
    path: '/tags/{id}',
    summary: 'Addition: delete a tag, and take it from all links',
    tag,
    scope: 'tags.write',
    params,
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'tag.delete', request.params, ok),
  }),
];
