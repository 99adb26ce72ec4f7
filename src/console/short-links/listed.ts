import type { Schemas } from '../api/client.ts';

/** The fields of a record that bulk actions change. */
export interface Listed {
  id: string;
  archived: boolean;
  folderId: string | null;
  tags: Schemas['TagReference'][] | null;
}

/** A bulk change of records. */
export interface BulkEdit {
  data:
    | Pick<Schemas['BulkLinkChange'], 'addTagIds' | 'removeTagIds' | 'folderId' | 'archived'>
    | Schemas['BulkQrCodeChange'];
  /** Returns the changed fields of a record, to show them before the change is sent. */
  shown(record: Listed): Partial<Listed>;
  /** Formats the message about the result: "3 links archived". */
  say(records: string): string;
}

/** Archives records or restores them from the archive. */
export const archiving = (archived: boolean): BulkEdit => ({
  data: { archived },
  shown: () => ({ archived }),
  say: (records) => `${records} ${archived ? 'archived' : 'restored'}`,
});
