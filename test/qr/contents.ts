import { check } from '../../src/http/input.ts';
import type { DisplayPage } from '../../src/lookup/display-page.ts';
import type { ContentType } from '../../src/qrcodes/content/content-type.ts';
import { CONTENT_TYPES, type ContentName } from '../../src/qrcodes/content/index.ts';

const PARTY = { name: 'Robert Schneider AG', postalCode: '2501', city: 'Biel', country: 'CH' };

/** A short and a long content of each type, as callers send them. */
const SAMPLES: Record<ContentName, [short: unknown, long: unknown]> = {
  url: [
    'https://ex.am/a',
    `https://shop.example.com/sommer/kollektion?${Array.from({ length: 24 }, (_, n) => `filter${n}=value-${n}`).join('&')}`,
  ],
  text: ['Grüße', 'Bitte um 7 Uhr wecken – おはようございます. '.repeat(9)],
  email: [
    { email: 'a@ex.am' },
    {
      email: 'tickets+berlin@example.com',
      subject: 'Question? 50 % off & more #1',
      body: `Hello,\n\n${'I would like to know more. '.repeat(14)}\nKind regards`,
    },
  ],
  wifi: [
    { ssid: 'Home', password: 'abcd1234' },
    {
      ssid: 'カフェ;"Gäste":\\,',
      password: 'p;a:s,s\\w"o:r;d-0123456789-abcdefghijklmnopqrstuvwxyz-ABCDEFG',
      encryption: 'WPA2-EAP',
      eapMethod: 'PEAP',
      phase2: 'MSCHAPV2',
      identity: 'ada;"l"@example.edu',
      anonymousIdentity: 'anonymous@example.edu',
      hidden: true,
    },
  ],
  phone: ['110', '+49 (30) 1234-56789'],
  vcard: [
    { firstName: 'Jo', lastName: 'Li' },
    {
      firstName: 'Jürgen',
      prefix: 'Dr.',
      lastName: 'Müller; de la Peña',
      organization: 'Übermut, Söhne & Co.',
      department: 'Einkauf; Nord',
      title: 'Geschäftsführer',
      phones: [{ type: 'cell', value: '+49 170 1234567' }, '+49 30 123456'],
      emails: ['juergen@example.com'],
      urls: ['https://example.com/team/juergen', 'https://www.linkedin.com/in/juergen'],
      addresses: [{ type: 'home', street: 'Weg 2', city: 'Kiel' }],
      address: {
        street: 'Straße des 17. Juni 1',
        city: 'Berlin',
        postalCode: '10557',
        country: 'DE',
      },
      note: 'Erste Zeile\nZweite Zeile, mit Komma; und Strichpunkt\\',
      birthday: '1980-02-29',
    },
  ],
  crypto: [
    { currency: 'dogecoin', address: 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L' },
    {
      currency: 'ethereum',
      address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
      amount: '2.014000000000000001',
      token: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
      tokenDecimals: 18,
      chainId: 8453,
    },
  ],
  sms: [
    { number: '12345' },
    { number: '+15551212', message: `Directions: ${'turn left, then right; '.repeat(15)}` },
  ],
  whatsapp: [
    { number: '+15551234567' },
    { number: '+5511912345678', message: `Olá! ${'Gostaria de saber mais. '.repeat(12)}` },
  ],
  facetime: [
    { target: '+14085551234' },
    { target: 'somebody.with.a.long.name@example.com', audio: true },
  ],
  latlog: [
    { latitude: 0, longitude: -0.0000001 },
    {
      latitude: 52.5162746,
      longitude: 13.3777041,
      query: 'Brandenburger Tor (Pariser Platz), 日本',
    },
  ],
  pix: [
    { key: '+5561912345678', name: 'Zé', city: 'Rio' },
    {
      key: '123e4567-e12b-12d1-a456-426655440000',
      name: 'João da Conceição Silva',
      city: 'São José Campos',
      amount: '123456.78',
      txid: 'PEDIDO0000000000000000042',
      description: 'Mensalidade de maio',
    },
  ],
  event: [
    { title: 'Fest', start: '2026-12-24' },
    {
      title: 'Sommerfest, Teil 2; draußen',
      start: '2026-07-04T18:00',
      end: '2026-07-04T23:30',
      timezone: 'Europe/Berlin',
      location: 'Straße des 17. Juni 1, Berlin',
      description: 'Erste Zeile\nZweite Zeile, mit Komma; und Strichpunkt\\',
      url: 'https://example.com/fest?a=1,2',
    },
  ],
  epc: [
    { name: 'Jo', iban: 'DE33 1002 0500 0001 1947 00' },
    {
      name: 'Société à responsabilité limitée – Übermut',
      iban: 'CH9300762011623852957',
      bic: 'POFICHBEXXX',
      amount: '999999999.99',
      purpose: 'CHAR',
      text: `Rechnung ${'äöü '.repeat(20)}`,
      information: 'Danke',
    },
  ],
  upi: [
    { address: 'jo@upi', name: 'Jo' },
    {
      address: 'merchant.shop-1@okhdfcbank',
      name: 'चाय & Co. = 100 %',
      amount: '2500',
      note: 'Order #42: tea, sugar & milk',
      reference: 'ORDER000000000000000042',
      category: '5812',
    },
  ],
  lightning: [
    'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS',
    'lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqsfpp3qjmp7lwpagxun9pygexvgpjdc4jdj85fr9yq20q82gphp2nflc7jtzrcazrra7wwgzxqc8u7754cdlpfrmccae92qgzqvzq2ps8pqqqqqqpqqqqq9qqqvpeuqafqxu92d8lr6fvg0r5gv0heeeqgcrqlnm6jhphu9y00rrhy4grqszsvpcgpy9qqqqqqgqqqqq7qqzqj9n4evl6mr5aj9f58zp6fyjzup6ywn3x6sk8akg5v4tgn2q8g4fhx05wf6juaxu9760yp46454gpg5mtzgerlzezqcqvjnhjh8z3g2qqdhhwkj',
  ],
  swissqr: [
    { iban: 'CH9300762011623852957', creditor: PARTY },
    {
      iban: 'CH44 3199 9123 0008 8901 2',
      creditor: { ...PARTY, street: 'Rue du Lac', houseNumber: '1268' },
      amount: '1949.75',
      debtor: { ...PARTY, name: 'Pia-Maria Rutschmann-Schnyder', street: 'Große Marktgasse' },
      reference: '21 00000 00003 13947 14300 09017',
      message: 'Auftrag vom 15.06.2020',
      billInformation: '//S1/10/10201409/11/200615/20/140.000-53/30/102673386/31/200615',
      alternativeProcedures: ['Name AV1: UV;UltraPay005;12345'],
    },
  ],
  app: [
    { ios: 'https://apps.apple.com/app/id310633997' },
    {
      name: 'Northwind',
      ios: 'https://apps.apple.com/app/id310633997',
      android: 'https://play.google.com/store/apps/details?id=com.example',
    },
  ],
  links: [
    { title: 'Northwind', links: [{ title: 'Menu', url: 'https://example.com/menu' }] },
    {
      title: 'Northwind Café',
      text: 'Open every day from 8 to 18.',
      links: [
        { title: 'Menu', url: 'https://example.com/menu' },
        { title: 'Reserve a table', url: 'https://example.com/reserve' },
      ],
    },
  ],
  social: [
    { title: 'Northwind', profiles: [{ network: 'instagram', handle: 'northwind' }] },
    {
      title: 'Northwind Café',
      text: 'Follow us.',
      profiles: [
        { network: 'instagram', handle: '@northwind' },
        { network: 'mastodon', handle: 'northwind@mastodon.social' },
        { network: 'youtube', url: 'https://www.youtube.com/@northwind' },
        { network: 'website', url: 'https://example.com/' },
      ],
    },
  ],
  file: [
    { source: 'https://example.com/menu.pdf' },
    { source: 'https://example.com/menu.pdf', name: 'Menu', isDownload: true },
  ],
  gs1: [
    { data: '(01)09520123456788', url: 'https://example.com/rice' },
    {
      data: {
        '01': '09520123456788',
        '10': 'ABC/1',
        '21': '12345',
        '17': '290331',
        '3103': '000750',
      },
      url: 'https://example.com/rice',
      title: 'Rice',
      links: [
        { linkType: 'gs1:instructions', url: 'https://example.com/cook', title: 'How to cook it' },
        { linkType: 'gs1:pip', url: 'https://example.com/reis', title: 'Reis', language: 'de' },
      ],
    },
  ],
};

export type Length = 'short' | 'long';

/** Returns the content of a code as a caller sends it. */
export const contentOf = (name: ContentName, length: Length): unknown =>
  SAMPLES[name][length === 'short' ? 0 : 1];

/** Encodes a static code of a type as text. */
export function payloadOf(name: ContentName, length: Length): string {
  const type = CONTENT_TYPES[name] as ContentType;
  return type.encode(check(type.schema, contentOf(name, length), name));
}

/** Builds the page that a dynamic code of a type shows, or `undefined` if it redirects. */
export function pageOf(name: ContentName): DisplayPage | undefined {
  const type = CONTENT_TYPES[name] as ContentType;
  const content = check<never>(type.schema, SAMPLES[name][1], name);
  const visit = type.onVisit(content, { useDisplayPage: true });
  return 'page' in visit ? visit.page : undefined;
}

/** Builds the text of a dynamic code: a short link. */
export const shortLink = (length: Length): string =>
  length === 'short'
    ? 'https://ex.am/Ab3xY9z'
    : `https://links.a-rather-long-name.example.com/${'spring-summer/'.repeat(8)}Ab3xY9z`;
