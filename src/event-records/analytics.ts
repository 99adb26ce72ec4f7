import type { EventFilter } from '../events/filter.ts';
import type { RecordCounters, ShownName } from '../events/records.ts';
import { eventsStore } from '../events/store/index.ts';
import { LINK_TABLES } from '../links/model.ts';
import { sumViews } from '../pages/queries.ts';
import { QR_CODE_TABLES } from '../qrcodes/model.ts';
import { findNames as findIn, sumCounters } from '../short-links/analytics.ts';

/**
 * Names of links and QR codes: as they are now; of deleted ones, as their newest event has them, or as retention kept
 * them.
 */
export async function findNames(
  projectId: string,
  ids: readonly string[],
): Promise<Map<string, ShownName>> {
  const [links, qrcodes, kept] = await Promise.all([
    findIn(LINK_TABLES, projectId, ids),
    findIn(QR_CODE_TABLES, projectId, ids),
    eventsStore.findKeptNames(projectId, ids),
  ]);
  const existing = new Map([...links, ...qrcodes].map((record) => [record.id, record]));
  const deleted = ids.filter((id) => !existing.has(id));
  const newest = await eventsStore.findNewestNames(projectId, deleted);
  return new Map(
    ids.map((id) => {
      const record = existing.get(id);
      const names = [record, newest.get(id), kept.get(id)];
      const first = (field: 'domain' | 'key' | 'url') =>
        names.find((name) => typeof name?.[field] === 'string')?.[field] ?? '';
      const createdAt = record?.createdAt ?? null;
      return [id, { domain: first('domain'), key: first('key'), url: first('url'), createdAt }];
    }),
  );
}

/** Sums of the counters of links, QR codes and pages; pages have no domain, and are not counted with a filter. */
export async function readCounters(
  projectId: string,
  filter: Pick<EventFilter, 'records' | 'domain'>,
): Promise<RecordCounters> {
  const isFiltered = filter.records !== undefined || filter.domain !== undefined;
  const [link, qrcode, views] = await Promise.all([
    sumCounters(LINK_TABLES, projectId, filter),
    sumCounters(QR_CODE_TABLES, projectId, filter),
    isFiltered ? 0 : sumViews(projectId),
  ]);
  return { link, qrcode, views };
}
