import {
  BLANK_ROW,
  blankRow,
  type RowIds,
  type RowOf,
  ShortLinkModel,
  type ShortLinkTables,
} from '../short-links/model.ts';
import type { ContentName } from './content/index.ts';
import type { StoredDesign } from './render/stored-design.ts';

/** A row of `qrcodes`; named as its columns. */
export class QrCode extends ShortLinkModel {
  static override readonly tableName = 'qrcodes';

  declare type: ContentName;
  declare static: boolean;
  /** The validated content, under the name of its type. */
  declare content: Record<string, unknown>;
  declare design: StoredDesign;
  /** The content if it is a URL, since lists are searched by it. */
  declare url: string | null;
  declare use_display_page: boolean;
  declare template_id: string | null;
}

export type QrCodeRow = RowOf<QrCode>;

/** Defaults of a new QR code. */
export const BLANK_QR_CODE: Omit<QrCodeRow, keyof RowIds> = blankRow({
  ...BLANK_ROW,
  url: null,
  type: 'url',
  static: false,
  content: {},
  design: {},
  use_display_page: true,
  template_id: null,
});

export const QR_CODE_TABLES: ShortLinkTables = {
  kind: 'qrcode',
  table: 'qrcodes',
  tags: { table: 'qrcode_tags', column: 'qrcode_id' },
  noun: 'QR code',
};
