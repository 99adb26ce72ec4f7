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
  const deliveries = told.map(({ message, to }): NewDelivery => {
    const sequence = numberOf(message);
    return {
      kind: message.kind,
      record_id: message.recordId,
      sequence,
      customer_id: message.customerId ?? null,
      payload: JSON.stringify({
        type: message.kind,
        timestamp: message.occurredAt.toISOString(),
        sequence,
        data: message.data(),
      }),
      to: to.map(({ id, isDisabled }) => ({
        webhook_id: id,
        id: newId('delivery'),
        state: isDisabled ? 'held' : 'pending',
      })),
    };
  });
  for (const some of inSlices(deliveries)) await insertDeliveries(trx, projectId, some);
  afterCommit(trx, () => {
    wakeWebhooks(new Set(deliveries.flatMap(({ to }) => to.map((one) => one.webhook_id))));
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

/** Something told, and to whom. */
export interface NewDelivery {
  kind: WebhookKind;
  record_id: string | null;
  sequence: number | null;
  customer_id: string | null;
  payload: string;
  to: { webhook_id: string; id: string; state: 'pending' | 'held' }[];
}

/** Most characters of payloads that one statement carries. */
const SLICE = 4_000_000;

/** Cuts what may be a hundred thousand large payloads into pieces that fit into a statement. */
function* inSlices(deliveries: readonly NewDelivery[]): Generator<NewDelivery[]> {
  let slice: NewDelivery[] = [];
  let size = 0;
  for (const delivery of deliveries) {
    slice.push(delivery);
    size += delivery.payload.length;
    if (size < SLICE) continue;
    yield slice;
    slice = [];
    size = 0;
  }
  if (slice.length > 0) yield slice;
}

/** Puts deliveries into the table; what is pending is due at once. A payload travels once, to however many it goes. */
export async function insertDeliveries(
  trx: Db,
  projectId: string,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await trx.raw(
    `INSERT INTO webhook_deliveries (project_id, webhook_id, id, kind, record_id, sequence, customer_id, payload,
                                     state, next_attempt_at)
     SELECT :projectId, t.webhook_id, t.id, d.kind, d.record_id, d.sequence, d.customer_id, d.payload, t.state,
            CASE t.state WHEN 'pending' THEN now() END
       FROM json_to_recordset(:deliveries) AS d(kind text, record_id text, sequence bigint, customer_id text,
                                                payload text, "to" json)
      CROSS JOIN LATERAL json_to_recordset(d."to") AS t(webhook_id text, id text, state text)`,
    { projectId, deliveries: JSON.stringify(deliveries) },
  );
}

/** Runs something once a transaction has been committed. */
export function afterCommit(trx: Db, then: () => void): void {
  if ('executionPromise' in trx) void trx.executionPromise.then(then, () => {});
  else then();
}
