import type { LinkFilters } from '../links/filters.ts';
import { linkQueries } from '../links/queries.ts';
import type { SealedLink } from '../links/record.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';

const PAGE = 1_000;

async function* pages(projectId: string, filters: LinkFilters): AsyncGenerator<SealedLink[]> {
  for (let after = ''; ; ) {
    const links = await linkQueries.listAfter(projectId, filters, { after, limit: PAGE });
    yield links.map((link) => ({ ...link, password: null }));
    const last = links.at(-1);
    if (last === undefined || links.length < PAGE) return;
    after = last.id;
  }
}

const COLUMNS = [
  'id',
  'domain',
  'key',
  'shortLink',
  'url',
  'title',
  'description',
  'image',
  'externalId',
  'archived',
  'expiresAt',
  'expiredUrl',
  'startsAt',
  'maxVisits',
  'tags',
  'folderId',
  'comments',
  'ios',
  'android',
  'geo',
  'rules',
  'utm_source',
  'utm_medium',
  'utm_campaign',
  'utm_term',
  'utm_content',
  'clicks',
  'leads',
  'sales',
  'saleAmount',
  'lastClicked',
  'createdAt',
  'updatedAt',
];

/** Links, in the order in which they were made. */
export const exportLinks = (projectId: string, filters: LinkFilters, format: ExportFormat): Parts =>
  formatted(pages(projectId, filters), format, COLUMNS, (link) => ({
    ...link,
    tags: link.tags.map(({ name }) => name).join(', '),
  }));
