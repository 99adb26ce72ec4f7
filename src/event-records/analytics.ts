import type { EventFilter } from '../events/filters.ts';
import type { RecordCounters, ShownName } from '../events/records.ts';
import { eventsStore } from '../events/store/index.ts';
import { LINK_TABLES } from '../links/model.ts';
import { sumViews } from '../pages/queries.ts';
import { QR_CODE_TABLES } from '../qrcodes/model.ts';
import { findNames as findIn, sumCounters } from '../short-links/analytics.ts';

/**
 * Finds the names of links and QR codes. Deleted ones have the names in their newest event, or the
 * names that retention kept.
 */
export async function findNames(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, ShownName>> {
  const isLink = (id: string) => id.startsWith('link_');
  const [links, qrcodes] = await Promise.all([
    findIn(LINK_TABLES, projectId, ids.filter(isLink)),
    findIn(
      QR_CODE_TABLES,
      projectId,
      ids.filter((id) => !isLink(id)),
    ),
  ]);
  const names = new Map<string, ShownName>();
  // Codes that do not lead to a URL have a name in their events.
  const unnamed: string[] = [];
  const deleted: string[] = [];
  for (const { id, domain, key, url, title, createdAt } of [...links, ...qrcodes]) {
    names.set(id, { domain, key, url: url ?? '', title, createdAt });
    if (url === null) unnamed.push(id);
  }
  for (const id of ids) if (!names.has(id)) deleted.push(id);
  if (unnamed.length + deleted.length === 0) return names;
  const [newest, retained] = await Promise.all([
    eventsStore().findNewestNames(projectId, deleted),
    eventsStore().findKeptNames(projectId, [...unnamed, ...deleted]),
  ]);
  for (const id of unnamed) names.get(id)!.url = retained.get(id)?.url ?? '';
  for (const id of deleted) {
    const then = { domain: '', key: '', url: '', ...retained.get(id), ...newest.get(id) };
    names.set(id, { ...then, createdAt: null });
  }
  return names;
}

/**
 * Sums the counters of links, QR codes and pages. Pages have no domain, and are left out if there
 * is a filter.
 */
export async function readCounters(
  projectId: string,
  filter: Pick<EventFilter, 'records' | 'domain'>,
): Promise<RecordCounters> {
  const isFiltered = filter.records !== undefined || filter.domain !== undefined;
  const [link, qrcode, page] = await Promise.all([
    sumCounters(LINK_TABLES, projectId, filter),
    sumCounters(QR_CODE_TABLES, projectId, filter),
    isFiltered ? { visits: 0, suspects: 0 } : sumViews(projectId),
  ]);
  return { link, qrcode, page };
}
