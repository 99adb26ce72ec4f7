import { RoutedModel, type RowOf } from '../records/model.ts';
import type { RecordTables } from '../records/tables.ts';
import type { ContentName } from './content/index.ts';
import type { StoredDesign } from './design.ts';

/** A row of `qrcodes`; named as its columns. */
export class QrCode extends RoutedModel {
  static override readonly tableName = 'qrcodes';

  declare type: ContentName;
  declare static: boolean;
  /** The checked content under the name of its type. */
  declare content: Record<string, unknown>;
  declare design: StoredDesign;
  /** The content again where it is a URL: lists are searched by it. */
  declare url: string | null;
  declare use_display_page: boolean;
  declare template_id: string | null;
}

export type QrCodeRow = RowOf<QrCode>;

export const QR_CODE_TABLES: RecordTables = {
  table: 'qrcodes',
  tags: { table: 'qrcode_tags', column: 'qrcode_id' },
};
