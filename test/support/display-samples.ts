import type { DisplayPage } from '../../src/lookup/display-page.ts';
import { CONTENT_NAMES } from '../../src/qrcodes/content/index.ts';
import { encodeMatrix, plainPath } from '../../src/qrcodes/render/matrix.ts';
import { pageOf } from '../qr/contents.ts';

const PIX =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

function code(label: string, payload: string): NonNullable<DisplayPage['code']> {
  const matrix = encodeMatrix(payload, 'M');
  return { label, size: matrix.size, path: plainPath(matrix) };
}

/** Texts with which a page could be attacked. */
export const HOSTILE = {
  script: `</title></style></script><script>document.title = 'owned'</script>`,
  quotes: `" onfocus="document.title = 'owned'" autofocus x='`,
  override: 'photo_\u202egpj.exe\u2066',
  long: 'Lorem ipsum dolor sit amet '.repeat(371).slice(0, 10_000),
  unbroken: 'x'.repeat(2_000),
  emoji: '👩🏽‍🚀🏳️‍🌈 \ud83d',
};

/** The pages as content types build them. */
const MADE = Object.fromEntries(
  CONTENT_NAMES.flatMap((name) => {
    const page = pageOf(name);
    return page === undefined ? [] : [[`made-${name}`, page]];
  }),
);

/** Display pages of each content type: a typical one, and one with hostile texts. */
export const SAMPLES: Readonly<Record<string, DisplayPage>> = {
  ...MADE,
  wifi: {
    type: 'wifi',
    title: 'Café Lumière',
    subtitle: 'Join this Wi-Fi network with the password below.',
    actions: [],
    rows: [
      { label: 'Network', value: 'Café Lumière – Guests' },
      { label: 'Password', value: 'croissant; "au beurre" 2025', copy: true },
      { label: 'Security', value: 'WPA2 / WPA3' },
    ],
    code: code(
      'Scan to join with another phone',
      'WIFI:T:WPA;S:Café Lumière – Guests;P:croissant\\; \\"au beurre\\" 2025;;',
    ),
  },
  vcard: {
    type: 'vcard',
    title: 'Amélie Laurent-Okafor',
    subtitle: 'Head of Partnerships, Northwind Trading',
    actions: [
      { label: 'Call', href: 'tel:+33142685300' },
      { label: 'Email', href: 'mailto:amelie.laurent@northwind.example' },
    ],
    rows: [
      { label: 'Mobile', value: '+33 6 12 34 56 78', href: 'tel:+33612345678', copy: true },
      { label: 'Work', value: '+33 1 42 68 53 00', href: 'tel:+33142685300', copy: true },
      {
        label: 'Email',
        value: 'amelie.laurent@northwind.example',
        href: 'mailto:amelie.laurent@northwind.example',
        copy: true,
      },
      { label: 'Website', value: 'northwind.example/team', href: 'https://northwind.example/team' },
      { label: 'Address', value: '12 rue de la Paix\n75002 Paris\nFrance', copy: true },
      { label: 'Note', value: 'Met at the trade fair in Lyon.' },
    ],
    file: {
      label: 'Save contact',
      name: 'Amélie Laurent-Okafor.vcf',
      type: 'text/vcard',
      text: 'BEGIN:VCARD\r\nVERSION:3.0\r\nN:Laurent-Okafor;Amélie;;;\r\nFN:Amélie Laurent-Okafor\r\nEND:VCARD\r\n',
    },
  },
  text: {
    type: 'text',
    title: 'Text',
    actions: [],
    rows: [
      {
        label: 'Text',
        value:
          'Welcome to room 214!\n\nBreakfast is served from 7 to 10:30 in the winter garden.\nCheck-out is at noon; leave the key in the box beside the lift.\n\nWe wish you a pleasant stay.',
        copy: true,
      },
    ],
  },
  phone: {
    type: 'phone',
    title: '+49 30 901820',
    subtitle: 'Phone number',
    actions: [{ label: 'Call', href: 'tel:+4930901820' }],
    rows: [{ label: 'Number', value: '+49 30 901820', href: 'tel:+4930901820', copy: true }],
  },
  email: {
    type: 'email',
    title: 'Write an email',
    subtitle: 'to support@northwind.example',
    actions: [
      {
        label: 'Write email',
        href: 'mailto:support@northwind.example?subject=Order%204711&body=Hello%2C%0D%0A',
      },
    ],
    rows: [
      {
        label: 'To',
        value: 'support@northwind.example',
        href: 'mailto:support@northwind.example',
        copy: true,
      },
      { label: 'Subject', value: 'Order 4711', copy: true },
      {
        label: 'Message',
        value: 'Hello,\n\nmy parcel has arrived but one of the two lamps is missing.',
        copy: true,
      },
    ],
  },
  sms: {
    type: 'sms',
    title: 'Send a text message',
    subtitle: 'to +1 510 555 0101',
    actions: [{ label: 'Write message', href: 'sms:+15105550101?body=JOIN%20SUMMER' }],
    rows: [
      { label: 'Number', value: '+1 510 555 0101', href: 'tel:+15105550101', copy: true },
      { label: 'Message', value: 'JOIN SUMMER', copy: true },
    ],
  },
  facetime: {
    type: 'facetime',
    title: 'FaceTime',
    subtitle: 'Works on Apple devices',
    actions: [
      { label: 'Video call', href: 'facetime:kim@northwind.example' },
      { label: 'Audio call', href: 'facetime-audio:kim@northwind.example' },
    ],
    rows: [{ label: 'Contact', value: 'kim@northwind.example', copy: true }],
  },
  latlog: {
    type: 'latlog',
    title: 'Location',
    subtitle: 'Open it in the map app that you like',
    actions: [
      { label: 'Open map', href: 'geo:52.516275,13.377704?q=52.516275,13.377704' },
      { label: 'Google Maps', href: 'https://www.google.com/maps?q=52.516275,13.377704' },
      { label: 'Apple Maps', href: 'https://maps.apple.com/?ll=52.516275,13.377704' },
    ],
    rows: [
      { label: 'Latitude', value: '52.516275', copy: true },
      { label: 'Longitude', value: '13.377704', copy: true },
    ],
  },
  crypto: {
    type: 'crypto',
    title: 'Pay with Bitcoin',
    subtitle: '0.0025 BTC',
    actions: [
      {
        label: 'Open wallet',
        href: 'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0025',
      },
    ],
    rows: [
      { label: 'Address', value: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', copy: true },
      { label: 'Amount', value: '0.0025', copy: true },
    ],
    code: code(
      'Scan with a wallet',
      'bitcoin:bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq?amount=0.0025',
    ),
  },
  pix: {
    type: 'pix',
    title: 'Fulano de Tal',
    subtitle: 'Pix',
    actions: [],
    rows: [
      { label: 'Pix code', value: PIX, copy: true },
      { label: 'Key', value: '123e4567-e12b-12d1-a456-426655440000', copy: true },
      { label: 'City', value: 'Brasília' },
    ],
    code: code('Scan with the app of your bank', PIX),
  },
  strange: {
    type: 'constructor',
    title: `${HOSTILE.script} ${HOSTILE.override} ${HOSTILE.emoji}`,
    subtitle: HOSTILE.quotes,
    actions: [
      { label: HOSTILE.quotes, href: `https://example.com/${HOSTILE.quotes}` },
      { label: 'Run', href: "javascript:document.title='owned'" },
      { label: 'שלום, לחצו כאן', href: 'https://example.com/%D7%A9' },
    ],
    rows: [
      { label: HOSTILE.script, value: HOSTILE.script, copy: true },
      { label: HOSTILE.unbroken.slice(0, 80), value: HOSTILE.unbroken, copy: true },
      {
        label: 'Override',
        value: HOSTILE.override,
        href: ' JaVaScRiPt:document.title="owned"',
        copy: true,
      },
      { label: 'رسالة', value: 'مرحبا بكم في المقهى! Wi-Fi: 1234', copy: true },
      { label: '', value: HOSTILE.emoji, copy: true },
      { label: 'Empty', value: '' },
      { label: 'Long', value: HOSTILE.long, copy: true },
    ],
    code: code(HOSTILE.quotes, 'HELLO WORLD'),
    file: {
      label: HOSTILE.script,
      name: `../"a"\r\nX-Evil: 1 ${HOSTILE.override} ü${HOSTILE.emoji}.vcf`,
      type: 'text/html\r\nX-Evil: 1',
      text: HOSTILE.script,
    },
  },
};
