import { newId } from '../ids.ts';
import type { Db } from '../infra/db.ts';
import { VISIT_KINDS, type WebhookKind } from './kinds.ts';
import { wakeWebhooks } from './wake.ts';

/*
 * What webhooks are told is written in the transaction of the change that it tells of: neither is there without the
 * other, whatever crashes. Sending comes after the commit, and is found again when it was lost on its way.
 */

/** Something that webhooks may be told. */
export interface Message {
  kind: WebhookKind;
  occurredAt: Date;
  /** The link or QR code that it is about; `null` where there is none. */
  recordId: string | null;
  /** The customer whom it names; it is erased with them. */
  customerId?: string;
  /** Of visits: the webhooks that the link or code names. */
  named?: readonly string[];
  /** What is told. Only made where somebody is told. */
  data(): object;
}

/** A webhook, as far as the outbox needs it. */
interface Subscriber {
  id: string;
  kinds: WebhookKind[];
  isDisabled: boolean;
}

/** Those of some workspaces that have webhooks at all: most have none, and need no further work. */
export async function withWebhooks(trx: Db, projectIds: readonly string[]): Promise<string[]> {
  const { rows } = await trx.raw<{ rows: { id: string }[] }>(
    'SELECT DISTINCT project_id AS id FROM webhooks WHERE project_id = ANY(?) ORDER BY 1',
    [projectIds as string[]],
  );
  return rows.map(({ id }) => id);
}

/**
 * Writes down what the webhooks of a workspace are to be told. After the commit it is sent; what is for a webhook that
 * is disabled is held.
 */
export async function tell(
  trx: Db,
  projectId: string,
  messages: readonly Message[],
): Promise<void> {
  if (messages.length === 0) return;
  const subscribers = await subscribersOf(trx, projectId);
  const told = messages.flatMap((message) => {
    const to = subscribers.filter((subscriber) => isFor(message, subscriber));
    return to.length === 0 ? [] : [{ message, to }];
  });
  if (told.length === 0) return;
  const numberOf = await numbers(
    trx,
    projectId,
    told.map(({ message }) => message),
  );
  const rows = told.flatMap(({ message, to }) => {
    const sequence = numberOf(message);
    const payload = JSON.stringify({
      type: message.kind,
      timestamp: message.occurredAt.toISOString(),
      sequence,
      data: message.data(),
    });
    return to.map(({ id, isDisabled }) => ({
      project_id: projectId,
      webhook_id: id,
      id: newId('delivery'),
      kind: message.kind,
      record_id: message.recordId,
      sequence,
      customer_id: message.customerId ?? null,
      payload,
      state: isDisabled ? 'held' : 'pending',
    }));
  });
  await insertDeliveries(trx, rows);
  afterCommit(trx, () => {
    wakeWebhooks(new Set(rows.map(({ webhook_id }) => webhook_id)));
  });
}

const isFor = ({ kind, named = [] }: Message, { id, kinds }: Subscriber): boolean =>
  VISIT_KINDS.has(kind) ? named.includes(id) : kinds.includes(kind);

async function subscribersOf(trx: Db, projectId: string): Promise<Subscriber[]> {
  const { rows } = await trx.raw<{ rows: Subscriber[] }>(
    `SELECT id, kinds, disabled_at IS NOT NULL AS "isDisabled" FROM webhooks WHERE project_id = ? ORDER BY id`,
    [projectId],
  );
  return rows;
}

/**
 * Numbers what is told of each record, without gaps and in the order of the commits: the row of a number is locked until
 * then. Records are taken in the order of their ids, as everywhere.
 */
async function numbers(
  trx: Db,
  projectId: string,
  messages: readonly Message[],
): Promise<(message: Message) => number | null> {
  const counts = new Map<string, number>();
  for (const { recordId } of messages) {
    if (recordId !== null) counts.set(recordId, (counts.get(recordId) ?? 0) + 1);
  }
  if (counts.size === 0) return () => null;
  const { rows } = await trx.raw<{ rows: { record_id: string; last: number }[] }>(
    `INSERT INTO webhook_sequences AS s (project_id, record_id, last)
     SELECT :projectId, id, count FROM unnest(:ids::text[], :counts::bigint[]) AS told(id, count) ORDER BY id
     ON CONFLICT (project_id, record_id) DO UPDATE SET last = s.last + excluded.last, used_at = now()
     RETURNING record_id, last`,
    { projectId, ids: [...counts.keys()], counts: [...counts.values()] as unknown as string[] },
  );
  const next = new Map(
    rows.map(({ record_id, last }) => [record_id, last - counts.get(record_id)!]),
  );
  return ({ recordId }) => {
    if (recordId === null) return null;
    const number = next.get(recordId)! + 1;
    next.set(recordId, number);
    return number;
  };
}

/** Puts rows into the table; what is pending is due at once. */
export async function insertDeliveries(trx: Db, rows: readonly object[]): Promise<void> {
  const columns =
    'project_id, webhook_id, id, kind, record_id, sequence, customer_id, payload, state';
  await trx.raw(
    `INSERT INTO webhook_deliveries (${columns}, next_attempt_at)
     SELECT ${columns}, CASE state WHEN 'pending' THEN now() END
       FROM json_populate_recordset(NULL::webhook_deliveries, ?)`,
    [JSON.stringify(rows)],
  );
}

/** Runs something once a transaction has been committed. */
export function afterCommit(trx: Db, then: () => void): void {
  if ('executionPromise' in trx) void trx.executionPromise.then(then, () => {});
  else then();
}
