import { type RecordKind, SHARED_FILTERS } from '../short-links/list-kind.ts';
import { countOf } from '../ui/count-of.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { payloadOf } from './drawn.ts';
import type { QrCode } from './look.ts';
import { nameOf } from './row.tsx';

/** QR codes as a kind of record for lists and bulk actions. */
export const QR_CODES: RecordKind<QrCode> = {
  title: 'QR codes',
  route: '/$workspace/qrcodes',
  ids: 'qrcodeIds',
  rowPx: 76,
  nameOf,
  copyOf: payloadOf,
  // Every deletion needs a confirmation, because codes may be printed.
  needsConfirmation: () => true,
  visitsOf: ({ scans }) => scans,
  visit: 'scan',
  visitsInWords: (count) => countOf(count, 'scan'),
  consequenceOf: () => 'Printed copies of dynamic codes stop working.',
  list: 'qrcodes',
  noun: { one: 'QR code', many: 'QR codes' },
  inWords: (count) => countOf(count, 'QR code'),
  searched: 'titles, short links, destinations, tags and comments',
  sorts: { createdAt: 'Newest', scans: 'Most scans', lastClicked: 'Last scanned' },
  filters: [...SHARED_FILTERS, 'type', 'format', 'scansMin', 'scansMax'],
  choices: [
    {
      name: 'type',
      label: 'Content',
      options: Object.entries(CONTENT_FORMS).map(([value, { label }]) => [value, label]),
    },
    {
      name: 'format',
      label: 'Kind',
      options: [
        ['dynamic', 'Dynamic'],
        ['static', 'Static'],
      ],
    },
  ],
  visits: { least: 'scansMin', most: 'scansMax', label: 'scans' },
};
