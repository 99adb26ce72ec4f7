import { type CustomerFilters, listCustomersAfter } from '../customers/list.ts';
import { type CountedCustomerRecord, toCountedCustomer } from '../customers/record.ts';
import { readLagging } from '../infra/standbys.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';

const PAGE = 1_000;

async function* pages(
  projectId: string,
  filters: CustomerFilters,
): AsyncGenerator<CountedCustomerRecord[]> {
  for (let after = ''; ; ) {
    const page = { after, limit: PAGE };
    const rows = await readLagging(projectId, () => listCustomersAfter(projectId, filters, page));
    yield rows.map(toCountedCustomer);
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = last.id;
  }
}

const COLUMNS = [
  'id',
  'externalId',
  'name',
  'email',
  'avatar',
  'country',
  'createdAt',
  'updatedAt',
  'leads',
  'sales',
  'saleAmount',
  'refundAmount',
  'lastSeenAt',
  'firstClickAt',
  'firstClickId',
  'firstLinkId',
  'firstShortLink',
  'firstCountry',
  'firstSource',
];

/** Exports customers, in order of creation. */
export const exportCustomers = (
  projectId: string,
  filters: CustomerFilters,
  format: ExportFormat,
): Parts =>
  formatted(pages(projectId, filters), format, COLUMNS, ({ firstClick, ...customer }) => ({
    ...customer,
    firstClickAt: firstClick?.timestamp,
    firstClickId: firstClick?.id,
    firstLinkId: firstClick?.linkId,
    firstShortLink: firstClick?.shortLink,
    firstCountry: firstClick?.country,
    firstSource: firstClick?.source,
  }));
