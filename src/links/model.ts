import {
  BLANK_ROW,
  blankRow,
  type RowIds,
  type RowOf,
  ShortLinkModel,
  type ShortLinkTables,
} from '../short-links/model.ts';

/** A row of `links`; named as its columns. */
export class Link extends ShortLinkModel {
  static override readonly tableName = 'links';

  declare url: string;
  declare video: string | null;
  /** Clicks that another service had counted before the import. */
  declare imported_clicks: number;
}

export type LinkRow = RowOf<Link>;

/** Defaults of a new link. */
export const BLANK_LINK: Omit<LinkRow, keyof RowIds> = blankRow({
  ...BLANK_ROW,
  url: '',
  video: null,
  imported_clicks: 0,
});

export const LINK_TABLES: ShortLinkTables = {
  kind: 'link',
  table: 'links',
  tags: { table: 'link_tags', column: 'link_id' },
  noun: 'link',
};
