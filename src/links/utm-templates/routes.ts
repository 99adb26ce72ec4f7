import { deletedRecord } from '../../http/deleted.ts';
import { id, Joi, paging, text } from '../../http/fields.ts';
import { created, found, hasAny, ok, pageOf, type Route, route } from '../../http/route.ts';
import { newId } from '../../ids.ts';
import { answerWrite } from '../../jobs/answer-write.ts';
import { listByName, type SearchQuery } from '../../workspaces/lists.ts';
import { utmTemplateJobs } from './jobs.ts';
import { UtmTemplate } from './model.ts';
import { toUtmTemplate, utmTemplateRecord } from './record.ts';
import {
  type NewUtmTemplate,
  newUtmTemplateBody,
  type UtmTemplateChanges,
  utmTemplateChangesBody,
} from './schema.ts';
import { readUtmValues, utmValues } from './values.ts';

const write = {
  extension: true,
  tag: 'UTM templates',
  scope: 'links.write',
  writes: true,
} as const;
const read = {
  extension: true,
  tag: 'UTM templates',
  scope: 'links.read',
  limits: 'none',
} as const;
const params = Joi.object<{ id: string }>({
  id: id().required().description('Id of the template.'),
});

export const utmTemplateRoutes: Route[] = [
  route<{ body: NewUtmTemplate }>({
    ...write,
    method: 'post',
    path: '/utm-templates',
    operationId: 'createUtmTemplate',
    summary: 'Create a UTM template',
    description: 'Creates a UTM template. A workspace has at most 100.',
    record: true,
    body: newUtmTemplateBody,
    answers: { 201: utmTemplateRecord },
    handle: (request) => {
      const { userId } = request.caller;
      const data = { ...request.body, id: newId('utmTemplate'), userId };
      return answerWrite(request, utmTemplateJobs['utmTemplate.create'], data, (made) =>
        created(`/utm-templates/${made.id}`, made),
      );
    },
  }),
  route<{ query: SearchQuery }>({
    ...read,
    method: 'get',
    path: '/utm-templates',
    operationId: 'listUtmTemplates',
    summary: 'List UTM templates, by name',
    description: 'Returns the UTM templates by name, one page at a time.',
    isHeavy: hasAny('search'),
    query: Joi.object<SearchQuery>({
      search: text(190).description('Part of the name, regardless of case.'),
      ...paging(100),
    }),
    answers: { 200: Joi.array().items(utmTemplateRecord) },
    handle: async ({ caller, query }) =>
      pageOf(await listByName(UtmTemplate.of(caller.projectId), query), toUtmTemplate),
  }),
  route<object>({
    ...read,
    limits: 'records',
    method: 'get',
    path: '/utm-values',
    operationId: 'retrieveUtmValues',
    summary: 'Retrieve the values of UTM parameters',
    description:
      'Returns up to 100 values of each UTM parameter, the most frequent first: of the newest ' +
      '10,000 links and QR codes each, and of the UTM templates.',
    isHeavy: true,
    answers: { 200: utmValues },
    handle: async ({ caller }) => ok(await readUtmValues(caller.projectId)),
  }),
  route<{ params: { id: string } }>({
    ...read,
    method: 'get',
    path: '/utm-templates/{id}',
    operationId: 'retrieveUtmTemplate',
    summary: 'Retrieve a UTM template',
    description: 'Returns a UTM template.',
    record: true,
    params,
    answers: { 200: utmTemplateRecord },
    async handle({ caller, params: { id: templateId } }) {
      const row = await UtmTemplate.of(caller.projectId).where({ id: templateId }).first();
      return ok(toUtmTemplate(found(row, `UTM template "${templateId}"`)));
    },
  }),
  route<{ params: { id: string }; body: UtmTemplateChanges }>({
    ...write,
    method: 'patch',
    path: '/utm-templates/{id}',
    operationId: 'updateUtmTemplate',
    summary: 'Update a UTM template',
    description: 'Changes a UTM template. Links that used it keep its values.',
    record: true,
    params,
    body: utmTemplateChangesBody,
    answers: { 200: utmTemplateRecord },
    handle: (request) => {
      const data = { id: request.params.id, changes: request.body };
      return answerWrite(request, utmTemplateJobs['utmTemplate.update'], data, ok);
    },
  }),
  route<{ params: { id: string } }>({
    ...write,
    method: 'delete',
    path: '/utm-templates/{id}',
    operationId: 'deleteUtmTemplate',
    summary: 'Delete a UTM template',
    description: 'Deletes a UTM template. Links that used it keep its values.',
    record: true,
    params,
    answers: { 200: deletedRecord },
    handle: (request) =>
      answerWrite(request, utmTemplateJobs['utmTemplate.delete'], request.params, ok),
  }),
];
