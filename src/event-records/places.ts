import type { EventRow } from '../events/event.ts';
import { type Db, rows as query } from '../infra/db.ts';
import type { Subscriber } from '../webhooks/outbox.ts';
import type { Place } from '../webhooks/scope.ts';

/** Place of an event's link or QR code, and the webhooks that it names. */
export interface NamingPlace {
  place: Place;
  named: readonly string[];
}

interface PlaceRow {
  id: string;
  folder_id: string | null;
  webhook_ids: string[] | null;
  tag_ids: string[];
}

/**
 * Reads where the links and QR codes of events are now, for all events together. Columns that no
 * webhook needs are not read: at thousands of visits a second, each costs.
 */
export async function readPlaces(
  trx: Db,
  projectId: string,
  { rows, subscribers }: { rows: readonly EventRow[]; subscribers: readonly Subscriber[] },
): Promise<(row: EventRow) => NamingPlace> {
  const scopes = new Set(subscribers.map(({ scope }) => scope));
  const needsAll = scopes.has('folder') || scopes.has('tag');
  const ids = new Set(rows.map(({ link_id }) => link_id).filter((id) => id !== null));
  const places =
    ids.size > 0 && (needsAll || scopes.has('links'))
      ? await query<PlaceRow>(trx, sqlOf(needsAll, scopes.has('tag')), { projectId, ids: [...ids] })
      : [];
  const byId = new Map<string | null, PlaceRow>(places.map((place) => [place.id, place]));
  return ({ link_id, domain }) => {
    const place = byId.get(link_id);
    return {
      place: { domain, folderId: place?.folder_id ?? null, tagIds: place?.tag_ids ?? [] },
      named: place?.webhook_ids ?? [],
    };
  };
}

/**
 * Builds the query of places.
 *
 * @param needsAll false if only records that name webhooks are needed
 */
function sqlOf(needsAll: boolean, needsTags: boolean): string {
  const condition = needsAll ? '' : 'AND r.webhook_ids IS NOT NULL';
  const of = (table: string, tags: string, column: string) => {
    const tagIds = needsTags
      ? `ARRAY(SELECT tag_id FROM ${tags} t WHERE t.project_id = r.project_id AND t.${column} = r.id)`
      : `'{}'::text[]`;
    return `SELECT r.id, r.folder_id, r.webhook_ids, ${tagIds} AS tag_ids FROM ${table} r
             WHERE r.project_id = :projectId AND r.id = ANY(:ids) ${condition}`;
  };
  return `${of('links', 'link_tags', 'link_id')} UNION ALL ${of('qrcodes', 'qrcode_tags', 'qrcode_id')}`;
}
