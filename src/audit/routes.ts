import { cursor, id, Joi, queryList, text } from '../http/fields.ts';
import { pageOf, type Route, route } from '../http/route.ts';
import { KEPT_DAYS } from './prune.ts';
import { type AuditLogQuery, listAuditLog } from './queries.ts';
import { auditEntry, toAuditEntry } from './record.ts';
import { namesOfTargets } from './target-names.ts';

const MAX_LIMIT = 100;

/** Endpoints of the audit log, an extension of the contract. */
export const auditRoutes: Route[] = [
  route<{ query: AuditLogQuery }>({
    method: 'get',
    path: '/audit-log',
    operationId: 'listAuditLog',
    summary: 'List the audit log, newest first',
    description:
      `Returns who changed what, newest first: one entry per write, stored for ${KEPT_DAYS} days. ` +
      'The header `X-Next-Cursor` is the `cursor` of the next page.',
    extension: true,
    tag: 'Audit log',
    scope: 'audit.read',
    isHeavy: true,
    query: Joi.object<AuditLogQuery>({
      actor: id().description('Id of a person or API key, or `operator`: only their writes.'),
      action: queryList(text(100)).min(1).description('Only writes of these kinds.'),
      target: id().description('Id or kind of a record: only its writes.'),
      limit: Joi.number()
        .integer()
        .min(1)
        .max(MAX_LIMIT)
        .default(MAX_LIMIT)
        .description(`Entries per page, at most ${MAX_LIMIT}.`),
      cursor: Joi.string()
        .pattern(/^log_[0-9A-Za-z]{24}$/, { name: 'an X-Next-Cursor of this list' })
        .description('`X-Next-Cursor` of the previous page: the id of its last entry.'),
      after: cursor(),
    })
      .oxor('after', 'cursor')
      .messages({ 'object.oxor': 'after and cursor must not be given together' }),
    answers: { 200: Joi.array().items(auditEntry) },
    async handle({ caller, query }) {
      const slice = await listAuditLog(caller.projectId, query);
      const targets = slice.rows.map(({ target_kind: kind, target_id: id }) => ({ kind, id }));
      const names = await namesOfTargets(caller, targets);
      const answer = pageOf(slice, (row) => toAuditEntry(row, names));
      return answer.next === undefined
        ? answer
        : { ...answer, headers: { 'X-Next-Cursor': answer.next[0]! } };
    },
  }),
];
