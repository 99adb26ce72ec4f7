import { Customer } from '../customers/model.ts';
import { toCustomer } from '../customers/record.ts';
import { linkQueries } from '../links/queries.ts';
import { findPages } from '../pages/queries.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { openPassword } from '../records/record.ts';
import type { StoredEvent } from './queries.ts';
import { toEvent } from './record.ts';

/** Events with what they are about, which is read together for all of them. */
export async function toEvents(projectId: string, events: readonly StoredEvent[]) {
  const ids = (of: (event: StoredEvent) => string | null) => [
    ...new Set(events.map(of).filter((id) => id !== null)),
  ];
  const records = ids(({ link_id }) => link_id);
  const [links, qrcodes, pages, customers] = await Promise.all([
    linkQueries.findAll(projectId, records),
    qrCodeQueries.findAll(
      projectId,
      records.filter((id) => id.startsWith('qr_')),
    ),
    findPages(
      projectId,
      ids(({ page_id }) => page_id),
    ),
    Customer.of(projectId).whereIn(
      'id',
      ids(({ customer_id }) => customer_id),
    ),
  ]);
  const byId = <T extends { id: string }>(all: readonly T[]) =>
    new Map(all.map((one) => [one.id, one]));
  const known = {
    link: byId(links.map(openPassword)),
    qrcode: byId(qrcodes.map(openPassword)),
    page: byId(pages),
    customer: byId(customers.map(toCustomer)),
  };
  return events.map((event) => {
    const context = {
      link: known.link.get(event.link_id ?? ''),
      qrcode: known.qrcode.get(event.link_id ?? ''),
      page: known.page.get(event.page_id ?? ''),
      customer: known.customer.get(event.customer_id ?? ''),
    };
    return toEvent(event, withoutAbsent(context));
  });
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

const withoutAbsent = <T extends object>(some: T): Defined<T> =>
  Object.fromEntries(Object.entries(some).filter(([, value]) => value !== undefined)) as Defined<T>;
