import { COUNTED } from '../customers/counters.ts';
import { Customer, firstClickColumns } from '../customers/model.ts';
import type { StoredEvent } from '../events/event.ts';
import { newId } from '../ids.ts';
import { type Db, rows } from '../infra/db.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { randomName } from './random-name.ts';
import type { CustomerBody } from './schema.ts';

/**
 * Finds or creates the customer of a body; an existing one is locked until the transaction ends.
 */
export async function takeCustomer(
  trx: Db,
  projectId: string,
  body: CustomerBody,
  click: StoredEvent | undefined,
): Promise<{ customer: Customer; isNew: boolean }> {
  const { customerExternalId: external_id, customerName, customerEmail, customerAvatar } = body;
  const [created] = await rows<Customer>(
    trx,
    `WITH created AS (
       INSERT INTO customers (project_id, id, external_id, name, email, avatar, click_id, first_click_at,
                              first_click, last_click_id, last_click_at, country)
       SELECT :projectId, :id, :external_id, :name, :email, :avatar, :clickId, :clickAt,
              :firstClick::jsonb, :clickId, :clickAt, :country
        WHERE NOT EXISTS (SELECT FROM customer_aliases
                           WHERE project_id = :projectId AND external_id = :external_id)
       ON CONFLICT (project_id, external_id) DO NOTHING RETURNING *),
     ${COUNTED}
     SELECT * FROM created`,
    {
      projectId,
      id: newId('customer'),
      external_id,
      name: customerName ?? randomName(),
      email: customerEmail ?? null,
      avatar: customerAvatar ?? null,
      clickId: click?.id ?? null,
      clickAt: click?.occurred_at ?? null,
      firstClick: click === undefined ? null : JSON.stringify(firstClickColumns(click).first_click),
      country: countryOf(click),
    },
  );
  const existing = await lockByExternalId(trx, projectId, external_id, created);
  if (existing !== undefined) return { customer: existing, isNew: false };
  if (created !== undefined) return { customer: created, isNew: true };
  throw new Error(`The customer "${external_id}" was deleted at the same moment`);
}

/**
 * Locks the customer whom an external id means, unless it is the one that was just created. The
 * insertion may have waited for a merge, whose external id it did not see yet.
 */
async function lockByExternalId(
  trx: Db,
  projectId: string,
  externalId: string,
  created: Customer | undefined,
): Promise<Customer | undefined> {
  const lock = (id: object) => Customer.of(projectId, trx).where(id).forUpdate().first();
  const same = created === undefined ? await lock({ external_id: externalId }) : undefined;
  if (same !== undefined) return same;
  const [alias] = await rows<{ customer_id: string }>(
    trx,
    'SELECT customer_id FROM customer_aliases WHERE project_id = ? AND external_id = ?',
    [projectId, externalId],
  );
  if (alias === undefined) return undefined;
  const merged = await lock({ id: alias.customer_id });
  if (merged === undefined) throw new Error(`The customer "${externalId}" is merged again`);
  if (created !== undefined) await Customer.of(projectId, trx).where({ id: created.id }).delete();
  return merged;
}

/** Country of a click; `null` if it is unknown. */
const countryOf = (click: StoredEvent | undefined): string | null =>
  click === undefined || click.country === UNKNOWN ? null : click.country;

/** True for a click that is not older than the latest one of a customer. */
const isLatest = (
  { id, occurred_at }: StoredEvent,
  { last_click_id, last_click_at }: Customer,
): boolean => last_click_id !== id && (last_click_at === null || occurred_at >= last_click_at);

/** True for a click that is older than the first one of a customer, or is that one without a time. */
const isFirst = (
  { id, occurred_at }: StoredEvent,
  { click_id, first_click_at }: Customer,
): boolean => {
  if (click_id === null) return true;
  return click_id === id
    ? first_click_at === null
    : first_click_at !== null && occurred_at < first_click_at;
};

/** Stores the details in a body for an existing customer. */
export async function keepDetails(
  trx: Db,
  customer: Customer,
  { customerName, customerEmail, customerAvatar }: CustomerBody,
  click: StoredEvent | undefined,
): Promise<void> {
  const details = {
    ...(typeof customerName === 'string' ? { name: customerName } : {}),
    ...(typeof customerEmail === 'string' ? { email: customerEmail } : {}),
    ...(typeof customerAvatar === 'string' ? { avatar: customerAvatar } : {}),
    ...(click !== undefined && isFirst(click, customer) ? firstClickColumns(click) : {}),
    ...(click !== undefined && isLatest(click, customer)
      ? { last_click_id: click.id, last_click_at: click.occurred_at }
      : {}),
  };
  if (Object.keys(details).length === 0) return;
  await Customer.of(customer.project_id, trx)
    .where({ id: customer.id })
    .patch({ ...details, updated_at: new Date() });
}
