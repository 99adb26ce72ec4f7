import type { CustomerFilters } from '../customers/conditions.ts';
import { listCustomersAfter } from '../customers/list.ts';
import { toCountedCustomer } from '../customers/record.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';
import { mapped, pages } from './pages.ts';

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
): Parts => {
  const customers = pages(projectId, (page) => listCustomersAfter(projectId, filters, page));
  const shown = mapped(customers, toCountedCustomer);
  return formatted(shown, format, COLUMNS, ({ firstClick, ...customer }) => ({
    ...customer,
    firstClickAt: firstClick?.timestamp,
    firstClickId: firstClick?.id,
    firstLinkId: firstClick?.linkId,
    firstShortLink: firstClick?.shortLink,
    firstCountry: firstClick?.country,
    firstSource: firstClick?.source,
  }));
};
