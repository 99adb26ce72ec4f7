import { moveCustomers } from '../destinations/erase.ts';
import { Refusal } from '../errors.ts';
import { eventsStore } from '../events/store/index.ts';
import { newId } from '../ids.ts';
import { type Db, execute, rows } from '../infra/db.ts';
import { moveDeliveries } from '../webhooks/erase.ts';
import { changeRow } from '../workspaces/change-row.ts';
import { moveCounters } from './counters.ts';
import { findByExternalId } from './find.ts';
import { Customer } from './model.ts';
import { readCustomer } from './queries.ts';
import type { CountedCustomerRecord } from './record.ts';

/**
 * Merges customers into another one, who gets their events, invoices and external ids, and their
 * details where it has none. A customer who was merged into it before is left out.
 *
 * @throws Refusal `not_found`
 */
export async function mergeCustomers(
  trx: Db,
  projectId: string,
  ids: readonly string[],
  into: string,
): Promise<CountedCustomerRecord> {
  const customers = new Map(
    (await lock(trx, projectId, [...ids, into])).map((row) => [row.id, row]),
  );
  const target = customers.get(into);
  if (target === undefined) throw noCustomer(into);
  const missing = ids.filter((id) => !customers.has(id));
  await refuseUnknown(trx, projectId, missing, into);
  const merged = ids.flatMap((id) => customers.get(id) ?? []);
  if (merged.length === 0) return readCustomer(projectId, into, trx);
  const from = merged.map(({ id }) => id);
  // Waits for refunds, which lock the invoice of their sale, so that their events are moved too.
  await moveInvoices(trx, projectId, from, into);
  await eventsStore().moveCustomers(trx, projectId, from, into);
  await moveDeliveries(trx, projectId, from, into);
  await moveCustomers(trx, projectId, from, into);
  await moveAliases(trx, projectId, merged, into);
  const details = { ...detailsOf(target, merged), updated_at: new Date() };
  await changeRow(Customer.of(projectId, trx), into, details);
  await moveCounters(trx, projectId, from, into);
  await Customer.of(projectId, trx).whereIn('id', from).delete();
  return readCustomer(projectId, into, trx);
}

/**
 * Makes a further external id name a customer. Another customer who has it is merged into this one,
 * unless that customer got it from a merge.
 */
export async function addExternalId(
  trx: Db,
  { project_id: projectId, id: into }: Customer,
  externalId: string,
): Promise<void> {
  const other = await findByExternalId(projectId, externalId, trx);
  if (other?.id === into) return;
  if (other !== undefined) {
    if (other.external_id === externalId) await mergeCustomers(trx, projectId, [other.id], into);
    return;
  }
  await execute(
    trx,
    `INSERT INTO customer_aliases (project_id, external_id, merged_id, customer_id)
     VALUES (:projectId, :externalId, :mergedId, :into) ON CONFLICT DO NOTHING`,
    { projectId, externalId, mergedId: newId('customer'), into },
  );
}

const noCustomer = (id: string) => new Refusal('not_found', `There is no customer "${id}"`);

/** Locks customers in the order of their ids, so that two merges cannot deadlock. */
const lock = (trx: Db, projectId: string, ids: readonly string[]): Promise<Customer[]> =>
  rows<Customer>(
    trx,
    `SELECT * FROM customers WHERE project_id = :projectId AND id = ANY(:ids)
      ORDER BY id FOR UPDATE`,
    { projectId, ids },
  );

/** @throws Refusal `not_found` for a customer who was not merged into this one before */
async function refuseUnknown(
  trx: Db,
  projectId: string,
  ids: readonly string[],
  into: string,
): Promise<void> {
  if (ids.length === 0) return;
  const before = await rows<{ merged_id: string }>(
    trx,
    `SELECT merged_id FROM customer_aliases
      WHERE project_id = :projectId AND merged_id = ANY(:ids) AND customer_id = :into`,
    { projectId, ids, into },
  );
  const unknown = ids.find((id) => !before.some(({ merged_id }) => merged_id === id));
  if (unknown !== undefined) throw noCustomer(unknown);
}

const moveInvoices = (
  trx: Db,
  projectId: string,
  from: readonly string[],
  into: string,
): Promise<unknown> =>
  execute(
    trx,
    `UPDATE invoices SET customer_id = :into
      WHERE project_id = :projectId AND customer_id = ANY(:from)`,
    { projectId, from, into },
  );

/** Gives the external ids of merged customers, and those they got by merges, to another one. */
async function moveAliases(
  trx: Db,
  projectId: string,
  merged: readonly Customer[],
  into: string,
): Promise<void> {
  const ids = merged.map(({ id }) => id);
  await execute(
    trx,
    `UPDATE customer_aliases SET customer_id = :into
      WHERE project_id = :projectId AND customer_id = ANY(:ids)`,
    { projectId, ids, into },
  );
  await execute(
    trx,
    `INSERT INTO customer_aliases (project_id, external_id, merged_id, customer_id)
     SELECT :projectId, external_id, id, :into
       FROM unnest(:externalIds::text[], :ids::text[]) AS merged(external_id, id)`,
    { projectId, into, ids, externalIds: merged.map(({ external_id }) => external_id) },
  );
}

/** Returns the details that a customer lacks and merged ones have, the first of them first. */
function detailsOf(target: Customer, merged: readonly Customer[]): Partial<Customer> {
  const all = [target, ...merged];
  const first = <Name extends 'name' | 'email' | 'avatar' | 'country'>(name: Name) =>
    all.map((customer) => customer[name]).find((value) => value !== null) ?? null;
  // The click with which the person came first; the time of imported ones can be unknown.
  const clicked = all.filter(({ click_id }) => click_id !== null);
  const dated = clicked.filter(({ first_click_at }) => first_click_at !== null);
  const [oldest] = (dated.length > 0 ? dated : clicked).toSorted(
    (a, b) => firstTimeOf(a) - firstTimeOf(b),
  );
  const latest = all
    .filter(({ last_click_at }) => last_click_at !== null)
    .toSorted((a, b) => b.last_click_at!.getTime() - a.last_click_at!.getTime())[0];
  return {
    last_click_id: latest?.last_click_id ?? null,
    last_click_at: latest?.last_click_at ?? null,
    name: first('name'),
    email: first('email'),
    avatar: first('avatar'),
    country: first('country'),
    click_id: oldest?.click_id ?? null,
    first_click_at: oldest?.first_click_at ?? null,
    first_click: oldest?.first_click ?? null,
  };
}

/** Time of the first click of a customer who has one, or else of their creation. */
const firstTimeOf = ({ first_click_at, created_at }: Customer): number =>
  (first_click_at ?? created_at).getTime();
