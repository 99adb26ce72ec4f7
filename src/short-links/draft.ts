import type { LinkEntry } from '../lookup/entry.ts';
import type { ShortLinkRow } from './model.ts';
import type { TagReference } from './record-context.ts';

/** A link or QR code to insert. */
export interface Draft<Row extends ShortLinkRow> {
  row: Row;
  /** Name of its domain. */
  domain: string;
  tags: TagReference[];
  /** Draws another random key; absent where the caller chose the key. */
  drawKey: (() => string) | undefined;
  /** Builds the look-up entry of the row with its present key. */
  entry(): Promise<string>;
}

/** The workspace and the user to which a new link or QR code belongs. */
export interface Owner {
  projectId: string;
  userId: string;
  /** True for records of an archive, which keep UTM parameters that break rules of the workspace. */
  keepsUtm?: boolean;
}

/** A change of a link or QR code to store. */
export interface Change<Row extends ShortLinkRow> {
  /** The row after the change. */
  row: Row;
  /** Name of its domain. */
  domain: string;
  /** The new tags; absent if they stay. */
  tags: TagReference[] | undefined;
  /**
   * Builds the look-up entry of the row.
   *
   * @param previous the present entry if the password stays the same, whose hash is reused
   */
  entry(previous: LinkEntry | undefined): Promise<string>;
}
