import type { StoredChanges } from '../short-links/history.ts';
import { type ShownChanges, toShownChanges } from '../short-links/history-record.ts';
import { historyRoutes } from '../short-links/history-routes.ts';
import { CONTENT_NAMES } from './content/index.ts';
import { withoutPassword } from './content/wifi.ts';
import { DESIGN_FIELDS } from './design.ts';
import { qrCodeJobs } from './jobs.ts';
import { QR_CODE_TABLES } from './model.ts';
import { qrCodeQueries } from './queries.ts';
import { qrCodeRecord } from './record.ts';
import { QR_CODE_DEFAULTS, qrCodeParams } from './schema.ts';

/** Names of the own fields of QR codes by column. */
const FIELDS = {
  type: 'type',
  use_display_page: 'useDisplayPage',
  template_id: 'templateId',
  ...Object.fromEntries(DESIGN_FIELDS.map((name) => [`design.${name}`, name])),
};

/** Fields of the design that are null by default in records. */
const NULL_BY_DEFAULT = new Set(['frameColor', 'frameText', 'frameTextColor', 'frameTextStyles']);

/** Endpoints of the history of QR codes. */
export const qrCodeHistoryRoutes = historyRoutes({
  tables: QR_CODE_TABLES,
  tag: 'QR codes',
  path: '/qrcodes/{qrcodeId}',
  params: qrCodeParams,
  record: qrCodeRecord,
  findByRef: (projectId, ref) => qrCodeQueries.findByRef(projectId, ref),
  toShown: toShownQrCode,
  revert: qrCodeJobs['qrcode.revert'],
});

/** Converts stored changes of a QR code to fields. */
export function toShownQrCode(changes: StoredChanges, canReadPasswords: boolean): ShownChanges {
  // The URL of a code is its content.
  const { url: _, content, ...columns } = changes;
  const shown = toShownChanges(columns, FIELDS);
  for (const name of DESIGN_FIELDS) {
    if (shown[name] !== undefined) shown[name] = withDefaults(name, shown[name]);
  }
  const [from, to] = (content ?? [{}, {}]) as Readonly<Record<string, unknown>>[];
  for (const name of CONTENT_NAMES) {
    const [before, after] = [from![name] ?? null, to![name] ?? null];
    if (JSON.stringify(before) !== JSON.stringify(after)) shown[name] = { from: before, to: after };
  }
  if (shown['wifi'] !== undefined && !canReadPasswords) {
    const { from: before, to: after } = shown['wifi'];
    shown['wifi'] = { from: withoutPassword(before), to: withoutPassword(after) };
  }
  return shown;
}

/** Shows the default in place of a member that a design does not have. */
function withDefaults(name: string, { from, to }: { from?: unknown; to?: unknown }) {
  const defaults: Readonly<Record<string, unknown>> = QR_CODE_DEFAULTS;
  const value = NULL_BY_DEFAULT.has(name) ? null : (defaults[name] ?? null);
  return { from: from ?? value, to: to ?? value };
}
