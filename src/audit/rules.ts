import type { bulk } from '../queues/bulk.ts';
import type { clicks } from '../queues/clicks.ts';
import type { QueueDefinition } from '../queues/definition.ts';
import type { writes } from '../queues/writes.ts';

/** The queues whose jobs write for callers. */
type Written = typeof writes | typeof bulk | typeof clicks;
type NamesOf<Queue> = Queue extends QueueDefinition<infer Jobs> ? keyof Jobs & string : never;
type Name = NamesOf<Written>;

/** The target of a job's row: the kind of record, and whether the job's result or its data names it. */
interface Rule {
  kind: string;
  by: 'result' | 'data';
}

/** The job changes one record, which its result is. */
const record = (kind: string): Rule => ({ kind, by: 'result' });
/** The job is about one record, which its data names. */
const about = (kind: string): Rule => ({ kind, by: 'data' });
/** The job changes several records; its result has their number. */
const several = record;

/**
 * The row of the audit log that a job adds, by its name; `undefined` for none: events, whose own rows say where they came
 * from, people and their sessions, which belong to no workspace, and what the service does by itself. A job without a line does not compile.
 */
export const RULES: Readonly<Record<Name, Rule | undefined>> = {
  'link.create': record('link'),
  'link.upsert': record('link'),
  'link.update': record('link'),
  'link.fill': undefined,
  'link.delete': record('link'),
  'links.create': several('link'),
  'links.update': several('link'),
  'links.delete': several('link'),
  'qrcode.create': record('qrcode'),
  'qrcode.update': record('qrcode'),
  'qrcode.fill': undefined,
  'qrcode.delete': record('qrcode'),
  'qrcodes.create': several('qrcode'),
  'qrcodes.update': several('qrcode'),
  'qrcodes.delete': several('qrcode'),
  'template.delete': record('template'),
  'tag.create': record('tag'),
  'tag.update': record('tag'),
  'tag.delete': record('tag'),
  'folder.create': record('folder'),
  'folder.update': record('folder'),
  'folder.delete': record('folder'),
  'utmTemplate.create': record('utmTemplate'),
  'utmTemplate.update': record('utmTemplate'),
  'utmTemplate.delete': record('utmTemplate'),
  'view.create': record('view'),
  'view.update': record('view'),
  'view.delete': record('view'),
  'page.create': record('page'),
  'page.update': record('page'),
  'page.delete': record('page'),
  'domain.create': record('domain'),
  'domain.update': record('domain'),
  'domain.verify': record('domain'),
  'domain.delete': record('domain'),
  'customer.update': record('customer'),
  'customer.delete': record('customer'),
  'webhook.create': record('webhook'),
  'webhook.update': record('webhook'),
  'webhook.delete': record('webhook'),
  'webhook.rotate': record('webhook'),
  'webhook.test': about('webhook'),
  'webhook.resend': about('webhook'),
  'webhook.resendAll': about('webhook'),
  'export.write': about('export'),
  'export.workspace': about('export'),
  'workspace.update': record('workspace'),
  'import.create': record('import'),
  'import.update': record('import'),
  'import.start': record('import'),
  'import.cancel': record('import'),
  'import.undo': record('import'),
  'import.fetch': undefined,
  'import.run': undefined,
  'member.update': record('member'),
  'member.remove': record('member'),
  'invitation.create': record('invitation'),
  'invitation.delete': record('invitation'),
  'invitation.accept': record('member'),
  'apiKey.create': record('apiKey'),
  'apiKey.update': record('apiKey'),
  'apiKey.rotate': record('apiKey'),
  'apiKey.revoke': record('apiKey'),
  'apiKey.used': undefined,
  'session.create': undefined,
  'session.createByLink': undefined,
  'session.createByIdentity': undefined,
  'session.end': undefined,
  'session.endOwn': undefined,
  'session.endOthers': undefined,
  'session.used': undefined,
  'user.update': undefined,
  'host.block': undefined,
  'host.unblock': undefined,
  // These add their rows themselves, to the log of the workspace whose link it is.
  'link.unblock': undefined,
  'report.answer': undefined,
  'report.add': undefined,
  'workspace.create': record('workspace'),
  'notifications.update': undefined,
  'notifications.unsubscribe': undefined,
  'limit.announce': undefined,
  'lead.track': undefined,
  'sale.track': undefined,
  'click.track': undefined,
  'visits.record': undefined,
  'rejected.retry': undefined,
  'rejected.discard': undefined,
};

/** A row of the audit log, without its actor. */
export interface AuditedWrite {
  action: string;
  target: { kind: string; id: string | null };
  /** Of a write of several records. */
  count?: number;
  /** Names of the fields that an update changes. */
  fields?: string[];
}

/** Most fields that a row names. */
const MOST_FIELDS = 100;

/** The row for a job that has ended well; `undefined` where it adds none. */
export function auditedWrite(
  { name, data }: { name: string; data: unknown },
  result: unknown,
): AuditedWrite | undefined {
  const rule = (RULES as Record<string, Rule | undefined>)[name];
  if (rule === undefined) return undefined;
  const count = countOf(result);
  // Of many that were asked for, each may have been refused or gone.
  if (count === 0) return undefined;
  return {
    action: name,
    target: { kind: rule.kind, id: idOf(rule.by === 'data' ? data : result) },
    ...(count === undefined ? {} : { count }),
    ...(name.endsWith('.update') ? { fields: fieldsOf(data) } : {}),
  };
}

const membersOf = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};

function idOf(value: unknown): string | null {
  const { userId, id = userId } = membersOf(value);
  return typeof id === 'string' ? id : null;
}

/** The number of records that a result speaks of; `undefined` where it is one record. */
function countOf(result: unknown): number | undefined {
  if (Array.isArray(result)) return result.filter((item) => !('error' in membersOf(item))).length;
  const { deletedCount, count = deletedCount } = membersOf(result);
  return typeof count === 'number' ? count : undefined;
}

/** The fields that the data of an update names: `{id, changes}`, or the id beside the fields. */
function fieldsOf(data: unknown): string[] {
  const { id: _, changes, ...rest } = membersOf(data);
  return Object.keys(changes === undefined ? rest : membersOf(changes)).slice(0, MOST_FIELDS);
}
