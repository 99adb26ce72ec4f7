import type { Knex } from '../src/infra/db.ts';
import { linkEntry } from '../src/links/commands.ts';
import { LINK_TABLES, type LinkRow } from '../src/links/model.ts';
import { qrCodeEntry } from '../src/qrcodes/entry.ts';
import { QR_CODE_TABLES, type QrCodeRow } from '../src/qrcodes/model.ts';
import { rebuildEntries } from '../src/short-links/rebuild.ts';

/** Rebuilds look-up entries of older versions. */
export async function rebuildLookups(db: Knex): Promise<void> {
  await rebuildEntries<LinkRow>(db, LINK_TABLES, (row, _, previous) => linkEntry(row, previous));
  await rebuildEntries<QrCodeRow>(db, QR_CODE_TABLES, qrCodeEntry);
}
