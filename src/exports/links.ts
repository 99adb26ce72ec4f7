import { readLagging } from '../infra/standbys.ts';
import type { LinkFilters } from '../links/filters.ts';
import { linkQueries } from '../links/queries.ts';
import type { SealedLink } from '../links/record.ts';
import { fields } from '../short-links/fields.ts';
import { csvColumns } from '../short-links/record.ts';
import { type ExportFormat, formatted, type Parts } from './format.ts';

const PAGE = 1_000;

async function* pages(projectId: string, filters: LinkFilters): AsyncGenerator<SealedLink[]> {
  for (let after = ''; ; ) {
    const page = { after, limit: PAGE };
    const links = await readLagging(projectId, () =>
      linkQueries.listAfter(projectId, filters, page),
    );
    yield links.map((link) => ({ ...link, password: null }));
    const last = links.at(-1);
    if (last === undefined || links.length < PAGE) return;
    after = last.id;
  }
}

/** Columns that only links have, with their positions among the shared columns. */
const OWN_COLUMNS = { shortLink: 4, url: 5, clicks: 27, importedClicks: 34 };

const COLUMNS = Object.entries({ ...csvColumns(fields), ...OWN_COLUMNS })
  .toSorted(([, a], [, b]) => a - b)
  .map(([name]) => name);

/** Exports links, in order of creation. */
export const exportLinks = (projectId: string, filters: LinkFilters, format: ExportFormat): Parts =>
  formatted(pages(projectId, filters), format, COLUMNS, (link) => ({
    ...link,
    tags: link.tags.map(({ name }) => name).join(', '),
  }));
