import { Customer } from '../customers/model.ts';
import { toCustomer } from '../customers/record.ts';
import { type Db, db } from '../infra/db.ts';
import { linkQueries } from '../links/queries.ts';
import { findPages } from '../pages/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { openPassword } from '../records/record.ts';
import type { StoredEvent } from './queries.ts';
import { type EventContext, toEvent } from './record.ts';

/** Events with what they are about, as callers get them. */
export async function toEvents(projectId: string, events: readonly StoredEvent[]) {
  const contextOf = await contextsOf(projectId, events, openPassword);
  return events.map((event) => toEvent(event, contextOf(event)));
}

/**
 * What events are about, which is read together for all of them.
 *
 * @param prepare makes of a link or QR code what is shown of it
 */
export async function contextsOf(
  projectId: string,
  events: readonly StoredEvent[],
  prepare: <Item extends object>(item: Item) => Item,
  connection: Db = db(),
): Promise<(event: StoredEvent) => EventContext> {
  const ids = (of: (event: StoredEvent) => string | null) => [
    ...new Set(events.map(of).filter((id) => id !== null)),
  ];
  const records = ids(({ link_id }) => link_id);
  const [links, qrcodes, pages, customers] = await Promise.all([
    linkQueries.findAll(projectId, records, connection),
    qrCodeQueries.findAll(
      projectId,
      records.filter((id) => id.startsWith('qr_')),
      connection,
    ),
    findPages(
      projectId,
      ids(({ page_id }) => page_id),
      connection,
    ),
    Customer.of(projectId, connection).whereIn(
      'id',
      ids(({ customer_id }) => customer_id),
    ),
  ]);
  const byId = <T extends { id: string }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.id, one]));
  const known = {
    link: byId(links.map(prepare)),
    qrcode: byId(qrcodes.map(prepare)),
    page: byId(pages),
    customer: byId(customers.map(toCustomer)),
  };
  return (event) =>
    withoutAbsent({
      link: known.link.get(event.link_id ?? ''),
      qrcode: known.qrcode.get(event.link_id ?? ''),
      page: known.page.get(event.page_id ?? ''),
      customer: known.customer.get(event.customer_id ?? ''),
    });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutAbsent = <T extends object>(some: T): Defined<T> =>
  Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Defined<T>;
