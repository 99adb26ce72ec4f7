import { config } from '../config.ts';
import { sign } from '../infra/secrets.ts';

/** Time for which a large export can be downloaded, in ms. */
export const KEEP_MS = 24 * 3_600_000;

/** Download URL of an export, and its expiry. */
export interface ExportResult {
  url: string;
  expiresAt: string;
}

/** Returns the download URL of an export, and its expiry. */
export const addressOf = (id: string, expiresAt: Date): ExportResult => ({
  url: `${config().BASE_URL}/exports/${id}?token=${sign('export', id)}`,
  expiresAt: expiresAt.toISOString(),
});
