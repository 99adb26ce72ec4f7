import { answerWrite, ok } from '../api/answer.ts';
import { type Route, route } from '../api/route.ts';
import { id, Joi, paging } from '../infra/fields.ts';
import { writes } from '../queues/writes.ts';
import { Template } from './model.ts';
import { templateRecord, toTemplate } from './record.ts';

const tag = 'Templates';

interface TemplateListQuery {
  page: number;
  pageSize: number;
}

/** Addition to the contract, in which a QR code names a template; they are made with `useAsTemplate`. */
export const templateRoutes: Route[] = [
  route<{ query: TemplateListQuery }>({
    method: 'get',
    path: '/templates',
    summary: 'Addition: list templates, newest first',
    tag,
    scope: 'qrcodes.read',
    query: Joi.object<TemplateListQuery>(paging(100)),
    answers: { 200: Joi.array().items(templateRecord) },
    async handle({ caller, query: { page, pageSize } }) {
      const rows = await Template.of(caller.projectId)
        .orderBy('id', 'desc')
        .limit(pageSize)
        .offset((page - 1) * pageSize);
      return ok(rows.map(toTemplate));
    },
  }),
  route<{ params: { id: string } }>({
    method: 'delete',
    path: '/templates/{id}',
    summary: 'Addition: delete a template; codes that took its look keep it',
    tag,
    scope: 'qrcodes.write',
    params: Joi.object<{ id: string }>({ id: id().required() }),
    answers: { 200: Joi.object({ id: Joi.string().required() }) },
    writes: true,
    handle: (request) => answerWrite(request, writes, 'template.delete', request.params, ok),
  }),
];
