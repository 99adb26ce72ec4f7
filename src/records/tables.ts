/** Where a kind of record is stored: its own table, and the table that ties tags to it. */
export interface RecordTables {
  table: 'links' | 'qrcodes';
  tags: { table: 'link_tags'; column: 'link_id' } | { table: 'qrcode_tags'; column: 'qrcode_id' };
}
