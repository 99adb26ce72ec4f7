import { RoutedModel, type RowOf } from '../records/model.ts';
import type { RecordTables } from '../records/tables.ts';

/** A row of `links`; named as its columns. */
export class Link extends RoutedModel {
  static override readonly tableName = 'links';

  declare url: string;
  declare video: string | null;
}

export type LinkRow = RowOf<Link>;

export const LINK_TABLES: RecordTables = {
  table: 'links',
  tags: { table: 'link_tags', column: 'link_id' },
};
