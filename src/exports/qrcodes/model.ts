import type { Limits } from '../../infra/limits.ts';
import { type Narrowed, WorkspaceModel } from '../../infra/model.ts';
import type { PictureOptions } from './options.ts';

/*
 * POST /exports ─▶ queued ─▶ running ─▶ done, or failed if the file would be too large or nothing can be drawn
 *                     └─ cancel ─┴─▶ cancelled
 */
export const STATES = ['queued', 'running', 'done', 'cancelled', 'failed'] as const;
export type ExportState = (typeof STATES)[number];

/** States in which a worker has images to draw. */
export const OPEN: ExportState[] = ['queued', 'running'];

/** A row of `exports` with images of QR codes. */
export class PictureExport extends WorkspaceModel {
  static override readonly tableName = 'exports';

  declare id: string;
  /** Name of the file, without an extension. */
  declare name: string;
  declare format: 'zip' | 'pdf';
  declare state: ExportState;
  /** `null` for exports of other kinds. */
  declare options: PictureOptions | null;
  declare total: number;
  /** Number of codes that are drawn, or that cannot be drawn. */
  declare done: number;
  declare failed: number;
  /** Size of the parts so far. */
  declare bytes: number;
  /** Attempts to draw that failed since the last progress. */
  declare faults: number;
  declare failure: string | null;
  declare created_at: Date;
  declare expires_at: Date;
  /** Limits of the caller who created it; `null` for none. */
  declare limits: Limits | null;

  /** Leaves out exports that callers with other limits created. */
  static override narrow(rows: Narrowed, limits: Limits): void {
    rows.whereRaw('exports.limits = ?::jsonb', [JSON.stringify(limits)]);
  }
}
