import type { Query } from '../records/filters.ts';
import type { RecordKind } from '../records/kind.ts';
import { blankRow } from '../records/rules.ts';
import { refuseLoop } from './destination.ts';
import { linkEntry } from './entry.ts';
import { LINK_TABLES, Link, type LinkRow } from './model.ts';
import { type SealedLink, toSealedLink } from './record.ts';
import { applyChanges, refuseFixedDestination } from './rules.ts';
import type { LinkChanges } from './schema.ts';

/** Links among the kinds of records. */
export const LINKS: RecordKind<LinkRow, LinkChanges, SealedLink> = {
  ...LINK_TABLES,
  noun: 'link',
  rows: (projectId, connection) => Link.of(projectId, connection) as unknown as Query,
  blank: (ids, now) => ({ ...blankRow(ids, now), url: '', video: null }),
  apply: applyChanges,
  refuseFixed: refuseFixedDestination,
  finish(row, domain) {
    refuseLoop(row.url, domain, row.key);
    return row;
  },
  entry: (row, _domain, known) => linkEntry(row, known),
  toSealed: toSealedLink,
};
