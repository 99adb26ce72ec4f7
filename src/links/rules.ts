import { Refusal } from '../errors.ts';
import { applyRouted } from '../records/rules.ts';
import { readUtm, writeUtm } from './destination.ts';
import type { LinkRow } from './model.ts';
import type { LinkChanges } from './schema.ts';

/** The row as it is after the changes. Absent fields stay, `null` clears. */
export function applyChanges(row: LinkRow, changes: LinkChanges): LinkRow {
  const next = applyRouted(row, changes);
  if (changes.video !== undefined) next.video = changes.video;
  next.url = writeUtm(changes.url ?? row.url, changes);
  return Object.assign(next, readUtm(next.url));
}

/** @throws Refusal `conflict` when the destination changes although the link was made not to */
export function refuseFixedDestination(before: LinkRow, after: LinkRow): void {
  if (after.url === before.url || after.flexible) return;
  throw new Refusal(
    'conflict',
    'url cannot be changed: the link is not flexible. Set flexible to true to change its destination',
  );
}
