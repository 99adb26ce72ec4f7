import { deletedRecord } from '../../http/deleted.ts';
import { id, Joi, paging } from '../../http/fields.ts';
import { ok, pageOf, type Route, route } from '../../http/route.ts';
import { answerWrite } from '../../jobs/answer-write.ts';
import { newestFirst, type Paging } from '../../workspaces/lists.ts';
import { templateJobs } from './jobs.ts';
import { Template } from './model.ts';
import { templateRecord, toTemplate } from './record.ts';
import { type TemplateChanges, templateChangesBody } from './schema.ts';

const common = { extension: true, tag: 'Templates' } as const;
const params = Joi.object<{ id: string }>({
  id: id().required().description('Id of the template.'),
});

/**
 * Endpoints of templates, an extension of the contract, in which a QR code names a template and
 * `useAsTemplate` creates one.
 */
export const templateRoutes: Route[] = [
  route<{ query: Paging }>({
    ...common,
    method: 'get',
    path: '/templates',
    operationId: 'listTemplates',
    limits: 'none',
    summary: 'List templates, newest first',
    description:
      'Returns the templates, newest first. Creating a QR code with `useAsTemplate` creates a template, ' +
      'with `templateName` one with a name.',
    scope: 'qrcodes.read',
    query: Joi.object<Paging>(paging(100)),
    answers: { 200: Joi.array().items(templateRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await newestFirst(Template.of(caller.projectId), query), toTemplate),
  }),
  route<{ params: { id: string }; body: TemplateChanges }>({
    ...common,
    method: 'patch',
    path: '/templates/{id}',
    operationId: 'updateTemplate',
    summary: 'Update a template',
    description: 'Changes the name of a template, or makes it the default of the console.',
    scope: 'qrcodes.write',
    record: true,
    params,
    body: templateChangesBody,
    answers: { 200: templateRecord },
    writes: true,
    handle: (request) => {
      const data = { id: request.params.id, changes: request.body };
      return answerWrite(request, templateJobs['template.update'], data, ok);
    },
  }),
  route<{ params: { id: string } }>({
    ...common,
    method: 'delete',
    path: '/templates/{id}',
    operationId: 'deleteTemplate',
    summary: 'Delete a template',
    description: 'Deletes a template. QR codes that used it keep their appearance.',
    scope: 'qrcodes.write',
    record: true,
    params,
    answers: { 200: deletedRecord },
    writes: true,
    handle: (request) => answerWrite(request, templateJobs['template.delete'], request.params, ok),
  }),
];
