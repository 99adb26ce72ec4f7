import { newId } from '../ids.ts';
import { afterCommit, type Db, execute, rows } from '../infra/db.ts';
import { ALERT_KINDS } from '../mail/alert-kinds.ts';
import { addAlerts } from '../mail/alerts.ts';
import type { WebhookFilter } from './filter.ts';
import { isVisitKind, isWorkspaceKind, type WebhookKind } from './kinds.ts';
import { isInScope, type Place, type ScopeColumns } from './scope.ts';
import { wakeWebhooks } from './wake.ts';

/*
 * A transactional outbox: the deliveries of an event are written in the transaction of the change
 * that caused it, so that neither exists without the other. Sending starts after the commit; a
 * sweep finds deliveries whose job was lost.
 */

/** Kinds of events with alerts by email. */
const ALERTED: ReadonlySet<string> = new Set(ALERT_KINDS);

/** An event for webhooks. */
export interface WebhookEvent {
  kind: WebhookKind;
  occurredAt: Date;
  /** The link or QR code of the event; `null` if there is none. */
  recordId: string | null;
  /** The customer of the event, with whom its deliveries are erased. */
  customerId?: string | undefined;
  /** Place of the link or QR code; absent for events of the workspace. */
  place?: Place | undefined;
  /** Id of the webhook that the event is about, which does not receive it. */
  about?: string | undefined;
  /** Builds the field `data` of the payload; called only if a webhook receives the event. */
  data(): object;
}

/** The columns of a webhook that the outbox needs. */
export interface Subscriber extends ScopeColumns {
  id: string;
  kinds: WebhookKind[];
  filter: WebhookFilter | null;
  isDisabled: boolean;
  /** True if suspects count like people in its workspace. */
  countsSuspects: boolean;
}

/** An event and the webhooks that receive it, at least one. */
export interface SubscribedEvent {
  event: WebhookEvent;
  to: readonly Subscriber[];
}

/** The fields of an event that decide which webhooks receive it. */
export interface Occasion extends Pick<WebhookEvent, 'kind' | 'place' | 'about'> {
  /** For visits: ids of the webhooks that the link or QR code names. */
  named?: readonly string[] | undefined;
}

/**
 * Stores the deliveries of events to their subscribers, and sends them after the commit. Deliveries
 * to a disabled webhook are held. Alerts by email are stored too.
 */
export async function publishEvents(
  trx: Db,
  projectId: string,
  events: readonly WebhookEvent[],
): Promise<void> {
  if (events.length === 0) return;
  if (events.some(({ kind }) => ALERTED.has(kind))) await addAlerts(trx, projectId, events);
  const subscribers = (await subscribersOf(trx, [projectId])).get(projectId) ?? [];
  await publishTo(
    trx,
    projectId,
    events.map((event) => ({
      event,
      to: subscribers.filter((subscriber) => isSubscribed(subscriber, event)),
    })),
  );
}

/**
 * Stores the deliveries of events to the webhooks that receive them, and sends them after the
 * commit. Deliveries to a disabled webhook are held.
 */
export async function publishTo(
  trx: Db,
  projectId: string,
  events: readonly SubscribedEvent[],
): Promise<void> {
  const subscribed = events.filter(({ to }) => to.length > 0);
  if (subscribed.length === 0) return;
  const sequenceOf = await nextSequences(
    trx,
    projectId,
    subscribed.map(({ event }) => event),
  );
  const deliveries = subscribed.map(({ event, to }): NewDelivery => {
    const sequence = sequenceOf(event);
    return {
      kind: event.kind,
      record_id: event.recordId,
      sequence,
      customer_id: event.customerId ?? null,
      payload: JSON.stringify({
        type: event.kind,
        timestamp: event.occurredAt.toISOString(),
        sequence,
        data: event.data(),
      }),
      to: to.map(({ id, isDisabled }) => ({
        webhook_id: id,
        id: newId('delivery'),
        state: isDisabled ? 'held' : 'pending',
      })),
    };
  });
  for (const slice of inSlices(deliveries)) await insertDeliveries(trx, projectId, slice);
  afterCommit(trx, () => {
    const ids = deliveries.flatMap(({ to }) => to.map((one) => one.webhook_id));
    wakeWebhooks(projectId, new Set(ids));
  });
}

/**
 * Publishes a webhook event about a record, in the transaction that created, changed or deleted it.
 */
export function publishRecordEvent(
  trx: Db,
  projectId: string,
  kind: WebhookKind,
  record: PlacedRecord,
): Promise<void> {
  return publishEvents(trx, projectId, [recordEvent(kind, record)]);
}

/** The fields of a link or QR code that its webhook events need. */
export interface PlacedRecord {
  id: string;
  domain: string;
  folderId: string | null;
  tags: readonly { id: string }[];
}

/** Builds the webhook event about a link or QR code, at the present time. */
export function recordEvent(kind: WebhookKind, record: PlacedRecord): WebhookEvent {
  const { id, domain, folderId, tags } = record;
  return {
    kind,
    occurredAt: new Date(),
    recordId: id,
    place: { domain, folderId, tagIds: tags.map((tag) => tag.id) },
    data: () => withoutPassword(record),
  };
}

/** Removes the password of a record, which only its owner may see. */
export function withoutPassword<Item extends object>(item: Item): Item {
  const { password: _, ...rest } = item as Item & { password?: unknown };
  return rest as Item;
}

/** Returns true if a webhook receives an event. */
export function isSubscribed(subscriber: Subscriber, occasion: Occasion): boolean {
  const { id, kinds, scope } = subscriber;
  const { kind, named = [], place, about } = occasion;
  if (isVisitKind(kind) && scope === 'links') return named.includes(id);
  if (!kinds.includes(kind) || id === about) return false;
  return isWorkspaceKind(kind) || (place !== undefined && isInScope(subscriber, place));
}

/** Reads the webhooks of workspaces, by the id of the workspace; most have none. */
export async function subscribersOf(
  trx: Db,
  projectIds: readonly string[],
): Promise<Map<string, Subscriber[]>> {
  const webhooks = await rows<Subscriber & { project_id: string }>(
    trx,
    `SELECT w.project_id, w.id, w.kinds, w.scope, w.scope_values, w.filter,
            w.disabled_at IS NOT NULL AS "isDisabled", p.count_suspects AS "countsSuspects"
       FROM webhooks w JOIN workspaces p ON p.id = w.project_id
      WHERE w.project_id = ANY(?) ORDER BY w.project_id, w.id`,
    [projectIds],
  );
  const byWorkspace = new Map<string, Subscriber[]>();
  for (const { project_id, ...webhook } of webhooks) {
    const others = byWorkspace.get(project_id);
    if (others === undefined) byWorkspace.set(project_id, [webhook]);
    else others.push(webhook);
  }
  return byWorkspace;
}

/**
 * Takes the next sequence numbers of events per record, without gaps and in the order of the
 * commits: the row of a sequence stays locked until then. Rows are locked in the order of record
 * ids everywhere, so that transactions cannot deadlock.
 */
async function nextSequences(
  trx: Db,
  projectId: string,
  events: readonly WebhookEvent[],
): Promise<(event: WebhookEvent) => number | null> {
  const counts = new Map<string, number>();
  for (const { recordId } of events) {
    if (recordId !== null) counts.set(recordId, (counts.get(recordId) ?? 0) + 1);
  }
  if (counts.size === 0) return () => null;
  const sequences = await rows<{ record_id: string; last: number }>(
    trx,
    `INSERT INTO webhook_sequences AS s (project_id, record_id, last)
     SELECT :projectId, id, count FROM unnest(:ids::text[], :counts::bigint[]) AS new(id, count) ORDER BY id
     ON CONFLICT (project_id, record_id) DO UPDATE SET last = s.last + excluded.last, used_at = now()
     RETURNING record_id, last`,
    { projectId, ids: [...counts.keys()], counts: [...counts.values()] },
  );
  const next = new Map(
    sequences.map(({ record_id, last }) => [record_id, last - counts.get(record_id)!]),
  );
  return ({ recordId }) => {
    if (recordId === null) return null;
    const number = next.get(recordId)! + 1;
    next.set(recordId, number);
    return number;
  };
}

/** The deliveries of an event, one for each webhook in `to`. */
export interface NewDelivery {
  kind: WebhookKind;
  record_id: string | null;
  sequence: number | null;
  customer_id: string | null;
  payload: string;
  to: { webhook_id: string; id: string; state: 'pending' | 'held' }[];
}

/** Maximum number of payload characters per statement. */
const SLICE = 4_000_000;

/**
 * Splits deliveries into slices for one statement each; there may be a hundred thousand, with large
 * payloads.
 */
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

/**
 * Inserts deliveries; pending ones are due at once. Each payload is sent to Postgres once, however
 * many webhooks receive it.
 */
export async function insertDeliveries(
  trx: Db,
  projectId: string,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  await execute(
    trx,
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
