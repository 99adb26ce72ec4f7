import { encodeLink, type LinkEntry } from '../lookup/entry.ts';
import { routedEntry } from '../records/entry.ts';
import type { LinkRow } from './model.ts';

/** What the redirect process needs to know of a link. */
export async function linkEntry(row: LinkRow, known?: LinkEntry): Promise<string> {
  return encodeLink(await routedEntry(row, { destination: row.url }, known));
}
