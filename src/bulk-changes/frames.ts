import { Refusal } from '../errors.ts';
import { db } from '../infra/db.ts';
import { findFrameable } from '../metatags/framing.ts';
import { framingKey } from '../short-links/destination.ts';
import type { SharedChanges } from '../short-links/fields.ts';
import type { ShortLinkModel } from '../short-links/model.ts';
import { BULK_KINDS, type BulkKind, type BulkRow } from './kinds.ts';
import type { BulkChange } from './model.ts';
import { editOf, itemsOf } from './queries.ts';

/** Knows which new destinations of a slice may be shown in a frame. */
export interface Frames {
  /** Adds the new destination of a record to those that may be shown in a frame. */
  complete(
    before: Pick<ShortLinkModel, 'rewrite' | 'frameable'>,
    changes: SharedChanges,
  ): SharedChanges;
}

/**
 * Requests the new destinations of the records of the next slice that are shown in a frame. It is
 * called before the transaction of the slice, which would keep its locks for all the requests.
 */
export async function findFrames(row: BulkChange): Promise<Frames> {
  const isWritten = row.state === 'queued' || row.state === 'running';
  const urls = isWritten && row.replacement !== null ? await newDestinations(row) : [];
  const frameable = new Set(urls.length === 0 ? [] : await findFrameable({ urls }));
  const kind = BULK_KINDS[row.kind];
  return {
    complete(before, changes) {
      const url = before.rewrite ? framedUrl(kind, changes) : undefined;
      if (url === undefined || !frameable.has(url)) return changes;
      // The earlier ones stay, so that an undo needs no request.
      return { ...changes, frameable: [...new Set([...(before.frameable ?? []), url])] };
    },
  };
}

async function newDestinations(row: BulkChange): Promise<string[]> {
  const kind = BULK_KINDS[row.kind];
  const items = await itemsOf(db(), row);
  const edit = editOf(row);
  const records = await kind.listFramed(
    row.project_id,
    items.map((item) => item.record_id),
  );
  const urls = records.flatMap((record) => framedUrl(kind, accepted(kind, record, edit)) ?? []);
  return [...new Set(urls)];
}

/** Returns the changes of a record; none if they will be refused. */
function accepted(
  kind: BulkKind,
  record: BulkRow,
  edit: ReturnType<typeof editOf>,
): SharedChanges | undefined {
  try {
    return kind.changesOf(record, edit);
  } catch (thrown) {
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}

function framedUrl(kind: BulkKind, changes: SharedChanges | undefined): string | undefined {
  const url = changes === undefined ? undefined : kind.destinationOf(changes);
  return url !== undefined && /^https?:/i.test(url) ? framingKey(url) : undefined;
}
