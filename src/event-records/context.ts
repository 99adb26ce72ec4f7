import { Customer } from '../customers/model.ts';
import { toCustomer } from '../customers/record.ts';
import type { StoredEvent } from '../events/event.ts';
import { type Db, db } from '../infra/db.ts';
import { BLANK_LINK } from '../links/model.ts';
import { linkQueries } from '../links/queries.ts';
import { type SealedLink, toSealedLink } from '../links/record.ts';
import { findPages } from '../pages/queries.ts';
import { BLANK_QR_CODE } from '../qrcodes/model.ts';
import { qrCodeQueries } from '../qrcodes/queries.ts';
import { hidePasswords, type SealedQrCode, toSealedQrCode } from '../qrcodes/record.ts';
import type { RowIds } from '../short-links/model.ts';
import { hidePassword } from '../short-links/record.ts';
import { type EventContext, isQrCode, type ShownRecord, toEvent } from './record.ts';

/**
 * Makes event records for callers. Their records have no passwords, because many people read
 * events, and events are exported to files.
 */
export async function toEvents(
  projectId: string,
  events: readonly StoredEvent[],
): Promise<object[]> {
  const contextOf = await contextsOf(projectId, events, (record) =>
    'contentStatic' in record ? hidePasswords(record) : hidePassword(record),
  );
  return events.map((event) => toEvent(event, contextOf(event)));
}

/**
 * Reads the records that some events are about, for all events together.
 *
 * @param prepare selects what is shown of a link or QR code
 */
export async function contextsOf(
  projectId: string,
  events: readonly StoredEvent[],
  prepare: (record: SealedLink | SealedQrCode) => ShownRecord,
  connection: Db = db(),
): Promise<(event: StoredEvent) => EventContext> {
  const ids = (idOf: (event: StoredEvent) => string | null) => [
    ...new Set(events.map(idOf).filter((id) => id !== null)),
  ];
  const records = ids(({ link_id }) => link_id);
  const [links, qrcodes, pages, customers] = await Promise.all([
    linkQueries.findAll(projectId, records, connection),
    qrCodeQueries.findAll(projectId, records.filter(isQrCode), connection),
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
  const [link, qrcode] = [byId(links.map(prepare)), byId(qrcodes.map(prepare))];
  const [page, customer] = [byId(pages), byId(customers.map(toCustomer))];
  return (event) => ({
    record: isQrCode(event.link_id ?? '')
      ? (qrcode.get(event.link_id) ?? prepare(rememberedQrCode(event)))
      : (link.get(event.link_id) ?? prepare(rememberedLink(event))),
    page: page.get(event.page_id) ?? null,
    customer: customer.get(event.customer_id) ?? null,
  });
}

const byId = <T extends { id: string }>(records: readonly T[]) =>
  new Map<string | null, T>(records.map((record) => [record.id, record]));

const idsOf = (event: StoredEvent): RowIds => ({
  project_id: event.project_id,
  id: event.link_id ?? '',
  user_id: '',
  domain_id: '',
  key: event.key,
  created_at: event.occurred_at,
  updated_at: event.occurred_at,
});

/**
 * Makes a deleted link from the few fields that the event has. A visit of a domain's root has no
 * id.
 */
function rememberedLink(event: StoredEvent): SealedLink {
  const row = { ...BLANK_LINK, ...idsOf(event), url: event.url };
  return toSealedLink(row, { domain: event.domain, tags: [] });
}

function rememberedQrCode(event: StoredEvent): SealedQrCode {
  const { url } = event;
  const row = { ...BLANK_QR_CODE, ...idsOf(event), url, content: { url } };
  return toSealedQrCode(row, { domain: event.domain, tags: [] });
}
