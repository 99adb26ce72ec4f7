import { bech32 } from '@scure/base';
import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { check } from '../../src/http/input.ts';
import type { ContentType } from '../../src/qrcodes/content/content-type.ts';
import { isBase58, isSegwit } from '../../src/qrcodes/content/crypto-address.ts';
import { crc16, emvObject, readEmv, withCrc } from '../../src/qrcodes/content/emv.ts';
import { compact } from '../../src/qrcodes/content/iban.ts';
import { CONTENT_TYPES, type ContentName } from '../../src/qrcodes/content/index.ts';
import { seeded } from '../qr/pairwise.ts';

const type = (name: ContentName) => CONTENT_TYPES[name] as ContentType<unknown>;
const encode = (name: ContentName, content: unknown): string =>
  type(name).encode(check(type(name).schema, content, name));
const visit = (name: ContentName, content: unknown, useDisplayPage = true) =>
  type(name).onVisit(check(type(name).schema, content, name), { useDisplayPage });

function refusal(name: ContentName, content: unknown): string {
  try {
    check(type(name).schema, content, name);
  } catch (thrown) {
    if (thrown instanceof Refusal) return thrown.message;
    throw thrown;
  }
  return 'not refused';
}

const BCB =
  '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D';

const TRANSFER = { name: 'Wikimedia', iban: 'DE33100205000001194700' };

const ETHER = { currency: 'ethereum', address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed' };
const TOKEN = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48';
const SOLANA = 'mvines9iiHiQTysrwkJjGf2gb9Ex9jXJX8ns3qwf2kN';
const MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const TRON = 'TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t';
/** Examples of BOLT 11 (a payment of 20 mBTC) and of LUD-01. */
const INVOICE =
  'lnbc20m1pvjluezpp5qqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqqqsyqcyq5rqwzqfqypqhp58yjmdan79s6qqdhdzgynm4zwqd5d7xmw5fk98klysy043l2ahrqsfpp3qjmp7lwpagxun9pygexvgpjdc4jdj85fr9yq20q82gphp2nflc7jtzrcazrra7wwgzxqc8u7754cdlpfrmccae92qgzqvzq2ps8pqqqqqqpqqqqq9qqqvpeuqafqxu92d8lr6fvg0r5gv0heeeqgcrqlnm6jhphu9y00rrhy4grqszsvpcgpy9qqqqqqgqqqqq7qqzqj9n4evl6mr5aj9f58zp6fyjzup6ywn3x6sk8akg5v4tgn2q8g4fhx05wf6juaxu9760yp46454gpg5mtzgerlzezqcqvjnhjh8z3g2qqdhhwkj';
const LNURL =
  'LNURL1DP68GURN8GHJ7UM9WFMXJCM99E3K7MF0V9CXJ0M385EKVCENXC6R2C35XVUKXEFCV5MKVV34X5EKZD3EV56NYD3HXQURZEPEXEJXXEPNXSCRVWFNV9NXZCN9XQ6XYEFHVGCXXCMYXYMNSERXFQ5FNS';
const lnurl = (url: string) =>
  bech32.encode('lnurl', bech32.toWords(new TextEncoder().encode(url)), false);

const BILL = {
  iban: 'CH9300762011623852957',
  creditor: { name: 'Robert Schneider AG', postalCode: '2501', city: 'Biel', country: 'CH' },
};
const QR_IBAN = 'CH4431999123000889012';
const QR_REFERENCE = '210000000003139471430009017';

const UPI = { address: 'ada@okaxis', name: 'Ada' };

describe('the content of a QR code', () => {
  /** Published examples, and the exact text that each must become. */
  const VECTORS: [source: string, name: ContentName, content: unknown, text: string][] = [
    [
      'manual of Brazil’s central bank',
      'pix',
      { key: '123e4567-e12b-12d1-a456-426655440000', name: 'Fulano de Tal', city: 'BRASILIA' },
      BCB,
    ],
    ['the same as a whole code', 'pix', BCB, BCB],
    [
      'brazilian-utils, with an amount',
      'pix',
      { key: '123.456.789-09', name: 'Fulano de Tal', city: 'Brasilia', amount: '123.45' },
      '00020126330014br.gov.bcb.pix0111123456789095204000053039865406123.455802BR5913Fulano de Tal6008Brasilia62070503***630479EE',
    ],
    [
      'bacen/pix-api, dynamic with recurrence',
      'pix',
      '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
      '00020101021226760014br.gov.bcb.pix2554pix.example.com/qr/v2/8b3da2f39a4140d1a91abd93113bd4415204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***80800014br.gov.bcb.pix2558pix.example.com/qr/v2/rec/94ed2badcbc04c15b0bb7fa35319489063047741',
    ],
    [
      'ZXing wiki, Wi-Fi',
      'wifi',
      { ssid: 'mynetwork', password: 'mypass12', encryption: 'WPA' },
      'WIFI:T:WPA;S:mynetwork;P:mypass12;;',
    ],
    [
      'ZXing wiki, special characters',
      'wifi',
      { ssid: '"foo;bar\\baz"' },
      'WIFI:T:nopass;S:\\"foo\\;bar\\\\baz\\";;',
    ],
    [
      'ZXing tests, backslash',
      'wifi',
      { ssid: 'test', password: 'my_password\\' },
      'WIFI:T:WPA;S:test;P:my_password\\\\;;',
    ],
    [
      'ZXing tests, WEP',
      'wifi',
      { ssid: 'Ten;;Chars', password: '0123456789', encryption: 'WEP' },
      'WIFI:T:WEP;S:Ten\\;\\;Chars;P:0123456789;;',
    ],
    [
      'no quotes around what could be hexadecimal',
      'wifi',
      { ssid: 'ABCD', hidden: true },
      'WIFI:T:nopass;S:ABCD;H:true;;',
    ],
    [
      'a key of hexadecimal digits',
      'wifi',
      { ssid: '00', password: 'ABCDEF0123'.repeat(7).slice(0, 64), encryption: 'WPA3' },
      `WIFI:T:WPA;S:00;P:${'ABCDEF0123'.repeat(7).slice(0, 64)};;`,
    ],
    [
      'WPA2, in small letters',
      'wifi',
      { ssid: 'a', password: 'my password', encryption: 'wpa2' },
      'WIFI:T:WPA;S:a;P:my password;;',
    ],
    [
      'an open network whose password is empty',
      'wifi',
      { ssid: 'a', password: '', encryption: 'nopass' },
      'WIFI:T:nopass;S:a;;',
    ],
    [
      'an empty password and no encryption',
      'wifi',
      { ssid: 'a', password: '' },
      'WIFI:T:nopass;S:a;;',
    ],
    [
      'ZXing wiki, EAP, every value escaped',
      'wifi',
      {
        ssid: 'campus',
        encryption: 'wpa2-eap',
        eapMethod: 'ttls',
        phase2: 'MSCHAPV2',
        anonymousIdentity: 'anon@example.edu',
        identity: 'ada;lovelace',
        password: 'a:b',
      },
      'WIFI:T:WPA2-EAP;S:campus;E:TTLS;PH2:MSCHAPV2;A:anon@example.edu;I:ada\\;lovelace;P:a\\:b;;',
    ],
    [
      'EAP with certificates',
      'wifi',
      { ssid: 'campus', encryption: 'WPA2-EAP', eapMethod: 'TLS', identity: 'ada' },
      'WIFI:T:WPA2-EAP;S:campus;E:TLS;I:ada;;',
    ],
    [
      'OWE, which phones try without a password',
      'wifi',
      { ssid: 'Guests', encryption: 'OWE' },
      'WIFI:T:nopass;S:Guests;;',
    ],
    [
      'EPC069-12, in version 002',
      'epc',
      {
        name: 'Red Cross of Belgium',
        iban: 'BE72 0000 0000 1616',
        bic: 'BPOTBEB1',
        amount: 1,
        purpose: 'char',
        text: 'Urgency fund',
        information: 'Sample QR code',
      },
      'BCD\n002\n1\nSCT\nBPOTBEB1\nRed Cross of Belgium\nBE72000000001616\nEUR1.00\nCHAR\n\nUrgency fund\nSample QR code',
    ],
    [
      'Wikipedia, "EPC QR code", without lines at the end',
      'epc',
      {
        name: 'Wikimedia Foerdergesellschaft',
        iban: 'DE33100205000001194700',
        bic: 'BFSWDE33BER',
        amount: '123.45',
        text: 'Spende fuer Wikipedia',
      },
      'BCD\n002\n1\nSCT\nBFSWDE33BER\nWikimedia Foerdergesellschaft\nDE33100205000001194700\nEUR123.45\n\n\nSpende fuer Wikipedia',
    ],
    [
      'ISO 11649, a creditor reference',
      'epc',
      { ...TRANSFER, reference: 'rf18 5390 0754 7034' },
      'BCD\n002\n1\nSCT\n\nWikimedia\nDE33100205000001194700\n\n\nRF18539007547034',
    ],
    [
      'UPI Linking Specifications',
      'upi',
      {
        address: 'nadeem@npci',
        name: 'nadeem chinna',
        category: '0000',
        reference: '4894398cndhcd23',
        note: 'Pay to mystar & store',
        amount: 1010,
      },
      'upi://pay?pa=nadeem@npci&pn=nadeem%20chinna&mc=0000&tr=4894398cndhcd23&tn=Pay%20to%20mystar%20%26%20store&am=1010.00&cu=INR',
    ],
    [
      'Implementation Guidelines QR-bill, with a QR reference',
      'swissqr',
      {
        iban: 'CH44 3199 9123 0008 8901 2',
        creditor: {
          name: 'Robert Schneider AG',
          street: 'Rue du Lac',
          houseNumber: '1268',
          postalCode: '2501',
          city: 'Biel',
          country: 'ch',
        },
        amount: '1949.75',
        debtor: {
          name: 'Pia-Maria Rutschmann-Schnyder',
          street: 'Grosse Marktgasse',
          houseNumber: '28',
          postalCode: '9400',
          city: 'Rorschach',
          country: 'CH',
        },
        reference: '21 00000 00003 13947 14300 09017',
        message: 'Order of 15 June 2020',
        billInformation: '//S1/10/10201409/11/200615',
        alternativeProcedures: ['Name AV1: UV;UltraPay005;12345'],
      },
      `SPC\n0200\n1\nCH4431999123000889012\nS\nRobert Schneider AG\nRue du Lac\n1268\n2501\nBiel\nCH${'\n'.repeat(8)}1949.75\nCHF\nS\nPia-Maria Rutschmann-Schnyder\nGrosse Marktgasse\n28\n9400\nRorschach\nCH\nQRR\n210000000003139471430009017\nOrder of 15 June 2020\nEPD\n//S1/10/10201409/11/200615\nName AV1: UV;UltraPay005;12345`,
    ],
    [
      'Implementation Guidelines QR-bill, without amount, payer and reference',
      'swissqr',
      BILL,
      `SPC\n0200\n1\nCH9300762011623852957\nS\nRobert Schneider AG\n\n\n2501\nBiel\nCH${'\n'.repeat(8)}\nCHF${'\n'.repeat(8)}NON\n\n\nEPD`,
    ],
    [
      'Implementation Guidelines QR-bill, with a creditor reference',
      'swissqr',
      { ...BILL, currency: 'eur', amount: 199.95, reference: 'RF18 5390 0754 7034' },
      `SPC\n0200\n1\nCH9300762011623852957\nS\nRobert Schneider AG\n\n\n2501\nBiel\nCH${'\n'.repeat(8)}199.95\nEUR${'\n'.repeat(8)}SCOR\nRF18539007547034\n\nEPD`,
    ],
    [
      'RFC 6068, section 6.1',
      'email',
      { email: 'infobot@example.com', body: 'send current-issue' },
      'mailto:infobot@example.com?body=send%20current-issue',
    ],
    [
      'RFC 6068, line breaks',
      'email',
      { email: 'infobot@example.com', body: 'send current-issue\nsend index' },
      'mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index',
    ],
    [
      'RFC 6068, section 6.2, characters of queries',
      'email',
      { email: 'gorby%kremvax@example.com', subject: 'a&b=c#d?e+f%' },
      'mailto:gorby%25kremvax@example.com?subject=a%26b%3Dc%23d%3Fe%2Bf%25',
    ],
    [
      'ZXing tests, all recipients',
      'email',
      {
        email: 'bob@example.org',
        cc: 'foo@example.org',
        bcc: ['srowen@example.org'],
        subject: 'baz',
        body: 'buzz',
      },
      'mailto:bob@example.org?cc=foo@example.org&bcc=srowen@example.org&subject=baz&body=buzz',
    ],
    [
      'RFC 6068, section 2, several recipients',
      'email',
      { email: 'addr1@an.example, addr2@an.example', subject: '', body: '' },
      'mailto:addr1@an.example,addr2@an.example',
    ],
    [
      'the same as an array',
      'email',
      { email: ['addr1@an.example', 'b&b+c@an.example'] },
      'mailto:addr1@an.example,b%26b+c@an.example',
    ],
    ['ZXing tests', 'phone', '+15551212', 'tel:+15551212'],
    ['without the trunk zero, Germany', 'phone', '+49 (0)30 123456', 'tel:+4930123456'],
    ['without the trunk zero, Brazil', 'phone', '+55 (011) 91234-5678', 'tel:+5511912345678'],
    [
      'without the trunk zero, United Kingdom',
      'phone',
      '0044 (0)20 7946 0958',
      'tel:+442079460958',
    ],
    [
      'without a trunk zero that Spain does not have',
      'phone',
      '+34 (0)912 345 678',
      'tel:+34912345678',
    ],
    [
      'with the zero that is a part of the number, Italy',
      'phone',
      '+39 06 1234 5678',
      'tel:+390612345678',
    ],
    ['with its trunk zero within the country', 'phone', '(030) 123456', 'tel:030123456'],
    ['RFC 3966, section 5.3', 'phone', '+1 201 555 0123 ext. 89', 'tel:+12015550123;ext=89'],
    ['an extension after x', 'phone', '+1 (201) 555-0123 x89', 'tel:+12015550123;ext=89'],
    ['a service code', 'phone', '*100#', 'tel:*100%23'],
    ['3GPP TS 22.030, own number hidden', 'phone', '#31#+49 170 12345', 'tel:%2331%23+4917012345'],
    ['3GPP TS 22.030, calls forwarded', 'phone', '*21*+4917012345#', 'tel:*21*+4917012345%23'],
    ['directional marks', 'phone', '\u202a+1 201 555 0123\u202c', 'tel:+12015550123'],
    [
      'directional marks around an extension',
      'phone',
      '\u2068+1 201 555 0123 x89\u2069',
      'tel:+12015550123;ext=89',
    ],
    [
      'directional marks',
      'whatsapp',
      { number: '\u202a+1 555 123 4567\u202c' },
      'https://wa.me/15551234567',
    ],
    [
      'the digits of a link of wa.me',
      'whatsapp',
      { number: '15551234567' },
      'https://wa.me/15551234567',
    ],
    [
      'an empty list of cc',
      'email',
      { email: 'a@b.cd', cc: '', bcc: '', subject: '', body: '' },
      'mailto:a@b.cd',
    ],
    ['empty cc and bcc', 'email', { email: 'a@b.cd', cc: [], bcc: ' ' }, 'mailto:a@b.cd'],
    [
      'an address with spaces around it',
      'crypto',
      { currency: 'dogecoin', address: ' DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L\n' },
      'dogecoin:DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L',
    ],
    ['RFC 3966, section 6', 'phone', '+1-201-555-0123', 'tel:+12015550123'],
    ['ZXing tests, local number', 'phone', '(212) 555-1212', 'tel:2125551212'],
    [
      'ZXing tests, message with a colon',
      'sms',
      { number: '+15551212', message: 'Directions: Do this' },
      'SMSTO:+15551212:Directions: Do this',
    ],
    [
      'ZXing tests, message with an apostrophe',
      'sms',
      { number: '+15551212', message: "What's up?" },
      "SMSTO:+15551212:What's up?",
    ],
    ['an empty message', 'sms', { number: '+15551212', message: '' }, 'SMSTO:+15551212:'],
    [
      'RFC 5870, section 6.1',
      'latlog',
      { latitude: 13.4125, longitude: 103.8667 },
      'geo:13.4125,103.8667',
    ],
    ['RFC 5870, no exponent', 'latlog', { latitude: 1e-7, longitude: -1e-9 }, 'geo:0.0000001,0'],
    [
      'Android, a named place',
      'latlog',
      { latitude: 48.8584, longitude: 2.2945, query: 'Tour Eiffel (1)' },
      'geo:48.8584,2.2945?q=48.8584,2.2945(Tour%20Eiffel%20%281%29)',
    ],
    [
      'ERC-681',
      'crypto',
      {
        currency: 'ethereum',
        address: '0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359',
        amount: '2.014',
        message: '',
      },
      'ethereum:0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359?value=2014000000000000000',
    ],
    [
      'ERC-681, a token',
      'crypto',
      { ...ETHER, token: TOKEN, amount: '12.5', tokenDecimals: 6, chainId: 1 },
      `ethereum:${TOKEN}@1/transfer?address=${ETHER.address}&uint256=12500000`,
    ],
    [
      'ERC-681, a chain',
      'crypto',
      { ...ETHER, amount: '1', chainId: 8453 },
      `ethereum:${ETHER.address}@8453?value=1000000000000000000`,
    ],
    [
      'Solana Pay',
      'crypto',
      {
        currency: 'solana',
        address: SOLANA,
        amount: '1',
        label: 'Michael',
        message: 'Thanks & bye',
      },
      `solana:${SOLANA}?amount=1&label=Michael&message=Thanks%20%26%20bye`,
    ],
    [
      'Solana Pay, a token',
      'crypto',
      { currency: 'solana', address: SOLANA, amount: '0.01', token: MINT },
      `solana:${SOLANA}?amount=0.01&spl-token=${MINT}`,
    ],
    [
      'a payment in Tron',
      'crypto',
      { currency: 'tron', address: TRON, amount: 5 },
      `tron:${TRON}?amount=5`,
    ],
    [
      'BIP 21 with Lightning',
      'crypto',
      {
        currency: 'bitcoin',
        address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2',
        label: 'Luke-Jr',
        lightning: `LIGHTNING:${INVOICE.toUpperCase()}`,
      },
      `bitcoin:1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2?label=Luke-Jr&lightning=${INVOICE}`,
    ],
    ['BOLT 11, in capitals', 'lightning', INVOICE, `LIGHTNING:${INVOICE.toUpperCase()}`],
    ['LUD-01', 'lightning', `lightning:${LNURL}`, `LIGHTNING:${LNURL}`],
    [
      'LUD-01, an onion service',
      'lightning',
      lnurl('http://abc.onion/pay'),
      `LIGHTNING:${lnurl('http://abc.onion/pay').toUpperCase()}`,
    ],
    [
      'WhatsApp, click to chat',
      'whatsapp',
      { number: '+1 (555) 123-4567', message: "I'm interested" },
      "https://wa.me/15551234567?text=I'm%20interested",
    ],
    [
      'WhatsApp, click to chat',
      'whatsapp',
      { number: '0055 (011) 91234-5678', message: 'Hello there' },
      'https://wa.me/5511912345678?text=Hello%20there',
    ],
    [
      'Apple, FaceTime links',
      'facetime',
      { target: 'user@example.com' },
      'facetime:user@example.com',
    ],
    [
      'Apple, FaceTime Audio',
      'facetime',
      { target: '14085551234', audio: true },
      'facetime-audio:14085551234',
    ],
    [
      'RFC 3986, characters of queries',
      'facetime',
      { target: 'rock&roll?=%@example.com' },
      'facetime:rock%26roll%3F%3D%25@example.com',
    ],
    ['a URL as it was sent', 'url', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['a text as it was sent', 'text', 'a\r\nb', 'a\r\nb'],
  ];
  for (const [source, name, content, text] of VECTORS) {
    it(`${name} is encoded as in: ${source}`, () => {
      expect(encode(name, content)).to.equal(text);
    });
  }

  /**
   * Published examples with values that no network or wallet would accept: they are encoded without
   * validation.
   */
  const UNCHECKED: [source: string, text: string, encoded: () => string][] = [
    [
      'ZXing wiki, Wi-Fi',
      'WIFI:T:WPA;S:My_WiFi_SSID;P:abc123/;;',
      () =>
        CONTENT_TYPES.wifi.encode({ ssid: 'My_WiFi_SSID', password: 'abc123/', encryption: 'WPA' }),
    ],
    [
      'ZXing tests, quotes',
      'WIFI:T:WPA;S:test;P:\\"abcd\\";;',
      () => CONTENT_TYPES.wifi.encode({ ssid: 'test', password: '"abcd"', encryption: 'WPA' }),
    ],
    [
      'ERC-681, whose address has a wrong EIP-55 checksum',
      'ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2014000000000000000',
      () =>
        CONTENT_TYPES.crypto.encode({
          currency: 'ethereum',
          address: '0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359',
          amount: '2.014',
        }),
    ],
  ];
  for (const [source, text, encoded] of UNCHECKED) {
    it(`is encoded as in: ${source}`, () => expect(encoded()).to.equal(text));
  }

  it('crypto is encoded as in BIP 21, whose addresses are invalid on purpose', () => {
    const address = '175tWpb8K1S7NmH4Zx6rewF9WQrcZv245W';
    expect(
      CONTENT_TYPES.crypto.encode({
        currency: 'bitcoin',
        address,
        amount: '50',
        message: 'Donation for project xyz',
      }),
    ).to.equal(`bitcoin:${address}?amount=50&message=Donation%20for%20project%20xyz`);
    expect(refusal('crypto', { currency: 'bitcoin', address })).to.contain(
      'must have a wallet address of Bitcoin',
    );
  });

  const BITCOIN = '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2';
  const MONERO =
    '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
  /** Addresses of the main networks, mostly from their specifications. */
  const ADDRESSES: [currency: string, address: string][] = [
    ['bitcoin', BITCOIN],
    ['bitcoin', '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy'],
    ['bitcoin', 'BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4'],
    ['bitcoin', 'bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0'],
    ['litecoin', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
    ['dogecoin', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'],
    ['dash', 'XpESxaUmonkq8RaLLp46Brx2K39ggQe226'],
    ['bitcoincash', 'bitcoincash:qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a'],
    ['bitcoincash', 'BITCOINCASH:QPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVY22GDX6A'],
    ['bitcoincash', 'ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq'],
    ['bitcoincash', BITCOIN],
    ['ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'],
    ['ethereum', '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'],
    ['ethereum', 'pay.vitalik.eth'],
    ['monero', MONERO],
    [
      'monero',
      '888tNkZrPN6JsEgekjMnABU4TBzc2Dt29EPAvkRxbANsAnjyPbb3iQ1YBRk1UXcdRsiKc9dhwMVgN5S9cQUiyoogDavup3H',
    ],
  ];
  for (const [currency, address] of ADDRESSES) {
    it(`accepts an address of ${currency}: ${address.slice(0, 24)}`, () => {
      const isBech32 = /^bc1/i.test(address);
      const bare = isBech32 ? address.toUpperCase() : address.replace(/^bitcoincash:/i, '');
      expect(encode('crypto', { currency, address })).to.equal(`${currency}:${bare}`);
    });
  }

  const WRONG_ADDRESSES: [why: string, currency: string, address: string][] = [
    ['another coin', 'bitcoin', 'DH5yaieqoZN36fDVciNyRueRGvGLR3mr7L'],
    ['another coin', 'litecoin', BITCOIN],
    ['another coin', 'dogecoin', BITCOIN],
    ['another coin', 'dash', 'LM2WMpR1Rp6j3Sa59cMXMs1SPzj9eXpGc1'],
    ['another coin', 'litecoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4'],
    ['the test network', 'bitcoin', 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'],
    ['the test network', 'bitcoin', 'mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn'],
    [
      'Bech32 from version 1 on, which BIP 350 forbids',
      'bitcoin',
      'bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7k7grplx',
    ],
    ['a wrong letter', 'bitcoin', 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5'],
    ['a wrong letter', 'bitcoincash', 'qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6q'],
    ['a wrong letter', 'monero', `${MONERO.slice(0, -1)}B`],
    ['a wrong capital letter', 'ethereum', '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD'],
    ['half an address', 'ethereum', '0x5aAeb6053F3E94C9b9A0'],
  ];
  for (const [why, currency, address] of WRONG_ADDRESSES) {
    it(`refuses an address of ${currency}: ${why}`, () => {
      expect(refusal('crypto', { currency, address })).to.match(
        /^crypto must have a wallet address of /,
      );
    });
  }

  it('distinguishes valid and invalid addresses', () => {
    expect(isSegwit('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc')).to.equal(true);
    expect(
      isSegwit('bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'bc'),
    ).to.equal(true);
    expect(isSegwit('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'bc')).to.equal(false);
    expect(isSegwit('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', 'bc')).to.equal(false);
    expect(isBase58('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', [0x00, 0x05])).to.equal(true);
    expect(isBase58('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3', [0x00, 0x05])).to.equal(false);
    expect(isBase58('', [0x00, 0x05])).to.equal(false);
  });

  it('has the check value of CRC-16/CCITT-FALSE', () => {
    expect(crc16('123456789')).to.equal('29B1');
  });

  it('vcard encodes a whole contact of RFC 2426, every value escaped', () => {
    const text = encode('vcard', {
      firstName: 'Jürgen',
      lastName: 'Müller; de la Peña',
      organization: 'Übermut, Söhne',
      title: '',
      phones: [
        { type: 'work', value: '+49 (0)30 123456' },
        { type: 'mobile', value: '+49 170 1234567' },
        '+1 201 555 0123 ext. 89',
      ],
      emails: ['j@example.com'],
      urls: ['https://example.com/a,b;c?x=1,2\\'],
      address: { street: 'Hauptstraße 1\nHof', city: 'Berlin', postalCode: '10115' },
      note: 'eins\r\nzwei\\',
      birthday: '1980-02-29',
    });
    expect(text.split('\r\n')).to.deep.equal([
      'BEGIN:VCARD',
      'VERSION:3.0',
      'N:Müller\\; de la Peña;Jürgen;;;',
      'FN:Jürgen Müller\\; de la Peña',
      'ORG:Übermut\\, Söhne',
      'TEL;TYPE=WORK:+4930123456',
      'TEL;TYPE=CELL:+491701234567',
      'TEL;TYPE=CELL:+12015550123 ext. 89',
      'EMAIL;TYPE=INTERNET:j@example.com',
      'URL:https://example.com/a,b;c?x=1,2\\',
      'ADR;TYPE=WORK:;;Hauptstraße 1\\nHof;Berlin;;10115;',
      'BDAY:1980-02-29',
      'NOTE:eins\\nzwei\\\\',
      'END:VCARD',
      '',
    ]);
  });

  it('vcard encodes an organization without a person, and every part of a name', () => {
    const company = encode('vcard', {
      organization: 'Northwind; Trading',
      department: 'Sales, North',
      phones: [{ type: 'work-fax', value: '+49 30 1234' }],
      addresses: [
        { type: 'home', street: 'Weg 1', city: 'Kiel' },
        { city: 'Rio', country: 'BR' },
      ],
    });
    expect(company.split('\r\n').slice(2, -2)).to.deep.equal([
      'N:;;;;',
      'FN:Northwind\\; Trading',
      'ORG:Northwind\\; Trading;Sales\\, North',
      'TEL;TYPE=WORK,FAX:+49301234',
      'ADR;TYPE=HOME:;;Weg 1;Kiel;;;',
      'ADR;TYPE=WORK:;;;Rio;;;BR',
    ]);
    const person = encode('vcard', {
      firstName: 'Sean',
      lastName: 'Owen',
      prefix: 'Mr.',
      suffix: 'Esq.',
    });
    expect(person).to.contain('N:Owen;Sean;;Mr.;Esq.\r\nFN:Mr. Sean Owen Esq.\r\n');
  });

  it('vcard encodes any values reversibly', () => {
    const random = seeded(11);
    const alphabet = Array.from('\\;,":=\naZ09é日 ');
    const text = () =>
      `x${Array.from(
        { length: Math.floor(random() * 9) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('')}`;
    const single = () => text().replaceAll('\n', ' ');
    for (let round = 0; round < 300; round += 1) {
      const name = { lastName: single(), firstName: single(), prefix: single(), suffix: single() };
      const work = { organization: single(), department: single() };
      const addresses = [{ type: 'home', street: text(), city: single(), country: single() }];
      const note = text();
      const read = readVcard(encode('vcard', { ...name, ...work, addresses, note }));
      const { lastName, firstName, prefix, suffix } = name;
      expect(read.get('N')).to.deep.equal([lastName, firstName, '', prefix, suffix]);
      expect(read.get('ORG')).to.deep.equal([work.organization, work.department]);
      const [{ street, city, country }] = addresses as [(typeof addresses)[0]];
      expect(read.get('ADR')).to.deep.equal(['', '', street, city, '', '', country]);
      expect(read.get('NOTE')).to.deep.equal([note]);
    }
  });

  it('vcard names a company and the networks of its profiles on its page', () => {
    const shown = visit('vcard', {
      organization: 'Northwind',
      urls: ['https://www.linkedin.com/company/northwind', 'https://northwind.example'],
    });
    expect(shown).to.have.nested.property('page.title', 'Northwind');
    expect(shown).to.have.nested.property('page.subtitle', undefined);
    expect(shown).to.have.nested.property('page.rows[0].label', 'LinkedIn');
    expect(shown).to.have.nested.property('page.rows[1].label', 'Website');
  });

  it('event is encoded as RFC 5545 defines, in UTC, with an exclusive last day', () => {
    const meeting = { title: 'Bastille Day Party', start: '1997-07-14T13:00', url: '' };
    const zone = { timezone: 'America/New_York' };
    const times = (content: object) =>
      encode('event', { ...meeting, ...content })
        .split('\r\n')
        .slice(2, -2);
    expect(encode('event', { ...meeting, ...zone, end: '1997-07-15T04:00:00Z' })).to.equal(
      'BEGIN:VEVENT\r\nSUMMARY:Bastille Day Party\r\nDTSTART:19970714T170000Z\r\nDTEND:19970715T040000Z\r\nEND:VEVENT\r\n',
    );
    // The clocks of Berlin change between the two.
    expect(
      times({ start: '2026-03-28T12:00', end: '2026-03-29T12:00', timezone: 'Europe/Berlin' }),
    ).to.deep.equal(['DTSTART:20260328T110000Z', 'DTEND:20260329T100000Z']);
    expect(times({ start: '2026-02-28', end: '2026-02-28', ...zone })).to.deep.equal([
      'DTSTART;VALUE=DATE:20260228',
      'DTEND;VALUE=DATE:20260301',
    ]);
    expect(times({ start: '2026-12-31', allDay: true })).to.deep.equal([
      'DTSTART;VALUE=DATE:20261231',
    ]);
  });

  it('event encodes any texts reversibly, in the code and in the folded file', () => {
    const random = seeded(13);
    const alphabet = Array.from('\\;,":=\naZ09é日 🎉');
    const text = (length: number) =>
      `x${Array.from(
        { length: Math.floor(random() * length) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('')}`;
    for (let round = 0; round < 200; round += 1) {
      const title = text(60).replaceAll('\n', ' ');
      const description = text(200);
      const content = { title, start: '2026-12-24', description, url: 'https://a.test/b,c;d' };
      const page = visit('event', content);
      const file = 'page' in page ? page.page.file!.text : '';
      const longest = Math.max(...file.split('\r\n').map((one) => Buffer.byteLength(one)));
      expect(longest).to.be.at.most(75);
      for (const written of [encode('event', content), file.replaceAll('\r\n ', '')]) {
        const read = readVcard(written);
        expect(read.get('SUMMARY')).to.deep.equal([title]);
        expect(read.get('DESCRIPTION')).to.deep.equal([description]);
        expect(written).to.contain('\r\nURL:https://a.test/b,c;d\r\n');
      }
      expect(file).to.match(
        /^BEGIN:VCALENDAR\r\nVERSION:2\.0\r\nPRODID:\S.*\r\nBEGIN:VEVENT\r\nUID:[0-9a-f]{32}\r\nDTSTAMP:20261224T000000Z\r\n/,
      );
    }
  });

  it('event shows local times, and adds itself to calendars, on its page', () => {
    const content = {
      title: 'A & B',
      start: '2026-07-04T16:00:00Z',
      end: '2026-07-04T20:00:00Z',
      timezone: 'America/New_York',
    };
    const page = visit('event', content);
    expect(page).to.have.nested.property(
      'page.rows[0].value',
      '2026-07-04 12:00 (America/New York)',
    );
    expect(page).to.have.nested.property(
      'page.actions[0].href',
      'https://calendar.google.com/calendar/render?action=TEMPLATE&text=A%20%26%20B&dates=20260704T160000Z%2F20260704T200000Z',
    );
    expect(page).to.have.nested.property('page.file.type', 'text/calendar');
    const day = visit('event', { title: 'Fest', start: '2026-12-31' });
    expect(day).to.have.nested.property('page.rows[0].value', '2026-12-31');
    expect(day)
      .to.have.nested.property('page.actions[0].href')
      .that.contains('20261231%2F20270101');
  });

  it('epc knows IBANs and references by their check digits', () => {
    const ibans = [
      'BE72 0000 0000 1616',
      'de89370400440532013000',
      'NO9386011117947',
      'MT84MALT011000012345MTLCAST001S',
    ];
    for (const iban of ibans) expect(encode('epc', { name: 'a', iban })).to.contain(compact(iban));
    for (const iban of ibans) {
      for (const at of [5, 9, 12]) {
        const text = compact(iban);
        const wrong = `${text.slice(0, at)}${text[at] === '7' ? '8' : '7'}${text.slice(at + 1)}`;
        expect(refusal('epc', { name: 'a', iban: wrong })).to.match(/^iban must be an IBAN/);
      }
    }
  });

  it('epc has at most 331 bytes', () => {
    const iban = 'MT84MALT011000012345MTLCAST001S';
    const long = { name: 'é'.repeat(70), iban, bic: 'MALTMTMT', text: 'a'.repeat(132) };
    expect(Buffer.byteLength(encode('epc', long))).to.equal(331);
    expect(refusal('epc', { ...long, text: 'a'.repeat(133) })).to.equal(
      'epc must not be longer than 331 bytes, and has 332',
    );
  });

  it('upi encodes any texts reversibly', () => {
    const random = seeded(17);
    const alphabet = Array.from('&=#?%+@/:\\;"aZ09é日चा🎉 ');
    for (let round = 0; round < 300; round += 1) {
      const text = `x${Array.from(
        { length: Math.floor(random() * 30) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('')}y`;
      const { searchParams } = new URL(encode('upi', { ...UPI, name: text, note: text }));
      expect([searchParams.get('pn'), searchParams.get('tn')]).to.deep.equal([text, text]);
      expect([...searchParams.keys()]).to.deep.equal(['pa', 'pn', 'tn', 'cu']);
    }
  });

  it('wifi encodes any name reversibly', () => {
    const random = seeded(7);
    const alphabet = Array.from('\\;,":aZ09é日 \'');
    for (let round = 0; round < 500; round += 1) {
      const ssid = Array.from(
        { length: 1 + Math.floor(random() * 10) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('');
      const eap = { encryption: 'WPA2-EAP', eapMethod: 'PEAP', identity: ssid, password: ssid };
      const fields = readWifi(encode('wifi', { ssid, ...eap, anonymousIdentity: ssid }));
      for (const name of ['S', 'I', 'A', 'P']) expect(fields.get(name)).to.equal(ssid);
    }
  });

  it('pix encodes Latin names in ASCII, trimmed', () => {
    const named = (name: string) => {
      const code = encode('pix', { key: 'a@b.com', name, city: ' São Luís ' });
      const objects = new Map(readEmv(code)!.map(({ id, value }) => [id, value]));
      expect(objects.get('60')).to.equal('Sao Luis');
      return objects.get('59');
    };
    expect(
      ['Pão D’Ouro', 'Weiß', 'Søren Łódź', '  Ana\u00a0 Sá  ', '“Zé” – nº 1'].map(named),
    ).to.deep.equal(["Pao D'Ouro", 'Weiss', 'Soren Lodz', 'Ana Sa', '"Ze" - no 1']);
  });

  it('pix accepts the CNPJ with letters', () => {
    const keyOf = (key: string) => {
      const code = encode('pix', { key, name: 'a', city: 'b' });
      const account = readEmv(code)!.find(({ id }) => id === '26')!.value;
      return readEmv(account)![1]!.value;
    };
    // The first is an example of Receita Federal, the second has digits only.
    expect(keyOf('12.abc.345/01DE-35')).to.equal('12ABC34501DE35');
    expect(keyOf('11.444.777/0001-61')).to.equal('11444777000161');
    expect(keyOf('+55 (011) 91234-5678')).to.equal('+5511912345678');
    expect(refusal('pix', { key: '12ABC34501DE36', name: 'a', city: 'b' })).to.match(
      /must be a Pix key/,
    );
  });

  it('pix accepts complete codes with what banks accept', () => {
    const accepted = [
      { 54: '10' },
      { 54: '10.5' },
      { 54: '0.00', 59: 'x'.repeat(25), 60: 'y'.repeat(15) },
      { 26: emvObject('00', 'BR.GOV.BCB.PIX') + emvObject('01', 'a@b.com'), 61: '01310100' },
      { 62: `0525${'Ab3'.repeat(9).slice(0, 25)}` },
    ];
    for (const changes of accepted) {
      const code = brCode(changes);
      expect(encode('pix', code)).to.equal(code);
    }
  });

  it('pix removes accents and counts the encoded characters', () => {
    const code = encode('pix', {
      key: '+5561912345678',
      name: 'João Ávila',
      city: 'São Paulo',
      amount: 10,
      description: 'Café',
    });
    const objects = new Map(readEmv(code)!.map(({ id, value }) => [id, value]));
    expect(objects.get('59')).to.equal('Joao Avila');
    expect(objects.get('60')).to.equal('Sao Paulo');
    expect(objects.get('54')).to.equal('10.00');
    expect(readEmv(objects.get('26')!)!.map(({ value }) => value)).to.deep.equal([
      'br.gov.bcb.pix',
      '+5561912345678',
      'Cafe',
    ]);
    expect(code.slice(-4)).to.equal(crc16(code.slice(0, -4)));
  });

  it('pix encodes symbols in ASCII', () => {
    const nameOf = (name: string) => {
      const code = encode('pix', { key: 'a@b.com', name, city: 'b' });
      return readEmv(code)!.find(({ id }) => id === '59')!.value;
    };
    expect(nameOf('Sant´Ana')).to.equal("Sant'Ana");
    expect(nameOf('Café® 1°')).to.equal('Cafe(R) 1deg');
    expect(nameOf('Loja 1,99€ m²')).to.equal('Loja 1,99EUR m2');
  });

  it('whatsapp accepts its stored form', () => {
    const { schema } = type('whatsapp');
    const stored = check(schema, { number: '+1 (555) 123-4567' }, 'whatsapp');
    expect(stored).to.deep.equal({ number: '+15551234567' });
    expect(check(schema, stored, 'whatsapp')).to.deep.equal(stored);
    // Earlier records store the digits only.
    expect(check(schema, { number: '15551234567' }, 'whatsapp')).to.deep.equal(stored);
    expect(type('whatsapp').encode({ number: '15551234567' })).to.equal(
      'https://wa.me/15551234567',
    );
  });

  const REFUSED: [name: ContentName, content: unknown, message: RegExp][] = [
    ['url', 'javascript:alert(1)', /must not use the scheme/],
    ['text', '', /must not be empty/],
    ['email', { email: 'nobody' }, /email must be a valid email/],
    ['email', { email: 'a@b.c', subject: 'one\ntwo' }, /subject must not contain line breaks/],
    ['wifi', { ssid: 'a', encryption: 'WPA' }, /must have a password: its encryption is WPA/],
    ['wifi', { ssid: 'a', password: 'short' }, /must have a password of 8 to 63 characters/],
    ['wifi', { ssid: 'a', password: 'x', encryption: 'nopass' }, /the network has no encryption/],
    ['wifi', { ssid: 'a', password: 'abcdef', encryption: 'WEP' }, /hexadecimal digits \(WEP\)/],
    ['wifi', { ssid: 'a', password: 'x'.repeat(65) }, /must have a password of 8 to 63 characters/],
    ['wifi', { ssid: 'a', encryption: 'OWE', password: 'abcd1234' }, /a network with OWE has none/],
    ['wifi', { ssid: 'a', encryption: 'WPA2-EAP' }, /must have an eapMethod/],
    ['wifi', { ssid: 'a', encryption: 'WPA2-EAP', eapMethod: 'LEAP' }, /eapMethod must be one of/],
    [
      'wifi',
      { ssid: 'a', encryption: 'WPA2-EAP', eapMethod: 'PWD', phase2: 'PAP' },
      /must not have phase2: the method PWD has one phase/,
    ],
    [
      'wifi',
      { ssid: 'a', encryption: 'WPA2-EAP', eapMethod: 'TLS', password: 'x' },
      /the method TLS uses certificates/,
    ],
    [
      'wifi',
      { ssid: 'a', password: 'abcd1234', identity: 'ada' },
      /must not have identity: its encryption is WPA/,
    ],
    [
      'wifi',
      { ssid: 'a', encryption: 'WPA2-EAP', eapMethod: 'PEAP', identity: 'a\nb' },
      /identity must not contain line breaks/,
    ],
    ['wifi', { ssid: '日'.repeat(11) }, /must not be longer than 32 bytes/],
    ['phone', 'call me', /must be a phone number of 3 to 15 digits/],
    ['phone', '+1234567890123456', /must be a phone number/],
    [
      'vcard',
      { firstName: 'a\r\nTEL:666', lastName: 'b' },
      /firstName must not contain line breaks/,
    ],
    [
      'vcard',
      { firstName: '', lastName: '' },
      /must have a firstName, a lastName or an organization/,
    ],
    ['vcard', { department: 'Sales', prefix: 'Dr.' }, /must have a firstName, a lastName or an/],
    ['vcard', { organization: 'a\nTEL:666' }, /organization must not contain line breaks/],
    [
      'vcard',
      { organization: 'a', addresses: [{ type: 'x' }] },
      /addresses\[0\].type must be one of/,
    ],
    [
      'vcard',
      { firstName: 'a', lastName: 'b', birthday: '2001-02-30' },
      /birthday must be a date that exists/,
    ],
    [
      'vcard',
      { firstName: 'a', lastName: 'b', urls: ['javascript:1'] },
      /must be a URL that begins with http/,
    ],
    [
      'vcard',
      { firstName: 'a', lastName: 'b', urls: ['https://a.test/\r\nTEL:666'] },
      /urls\[0\] must not contain line breaks/,
    ],
    ['vcard', { firstName: 'a', lastName: 'b', nick: 'c' }, /nick is not a known field/],
    ['lightning', 'lnbc1', /lightning must be a Lightning invoice/],
    ['lightning', `${INVOICE.slice(0, -1)}k`, /must be a Lightning invoice/],
    ['lightning', INVOICE.replace('lnbc', 'lntb'), /must be a Lightning invoice/],
    ['lightning', lnurl('http://example.com/pay'), /must be a Lightning invoice/],
    ['lightning', lnurl('javascript:1'), /must be a Lightning invoice/],
    ['crypto', { ...ETHER, lightning: INVOICE }, /must not have a lightning/],
    [
      'crypto',
      { ...ETHER, label: 'Ada' },
      /must not have a label: payments in Ethereum carry none/,
    ],
    ['crypto', { ...ETHER, chainId: 1.5 }, /chainId must be an integer/],
    ['crypto', { ...ETHER, token: '0x5aAeb6' }, /must have a token of Ethereum/],
    ['crypto', { ...ETHER, token: TOKEN, amount: 1 }, /must have tokenDecimals/],
    ['crypto', { ...ETHER, amount: 1, tokenDecimals: 6 }, /must not have tokenDecimals without/],
    [
      'crypto',
      { ...ETHER, token: TOKEN, amount: '0.0000001', tokenDecimals: 6 },
      /at most 6 decimal places/,
    ],
    ['crypto', { currency: 'solana', address: SOLANA, chainId: 1 }, /must not have a chainId/],
    ['crypto', { currency: 'solana', address: SOLANA, token: 'x0' }, /must have a token of Solana/],
    ['crypto', { currency: 'solana', address: SOLANA.slice(1) }, /must have a wallet address of S/],
    ['crypto', { currency: 'tron', address: SOLANA }, /must have a wallet address of Tron/],
    ['crypto', { currency: 'tron', address: TRON, message: 'a' }, /must not have a message: Tron/],
    ['crypto', { currency: 'gold', address: 'x' }, /currency must be one of/],
    [
      'crypto',
      { currency: 'bitcoin', address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', amount: '0.000000001' },
      /at most 8 decimal places/,
    ],
    [
      'crypto',
      { currency: 'bitcoin', address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2', amount: '-1' },
      /must be an amount above zero/,
    ],
    ['event', { title: 'a', start: 'tomorrow' }, /start must be an ISO 8601 date or time/],
    ['event', { title: 'a', start: '2026-02-30' }, /start must be an ISO 8601 date or time/],
    ['event', { start: '2026-02-03' }, /title is required/],
    ['event', { title: 'a\nb', start: '2026-02-03' }, /title must not contain line breaks/],
    [
      'event',
      { title: 'a', start: '2026-02-03T10:00', end: '2026-02-03T10:00' },
      /must have an end that is after its start/,
    ],
    ['event', { title: 'a', start: '2026-02-03', end: '2026-02-02' }, /must have an end that is/],
    ['event', { title: 'a', start: '2026-02-03', end: '2026-02-04T10:00' }, /dates without times/],
    ['event', { title: 'a', start: '2026-02-03T10:00', allDay: true }, /dates without times/],
    ['event', { title: 'a', start: '2026-02-03', allDay: false }, /a start with a time/],
    ['event', { title: 'a', start: '2026-02-03T10:00', end: '2026-02-04' }, /an end with a time/],
    ['event', { title: 'a', start: '2026-02-03', timezone: 'PST' }, /timezone must be an IANA/],
    ['event', { title: 'a', start: '2026-02-03', url: 'javascript:1' }, /url must be a URL that/],
    [
      'epc',
      { name: 'a', iban: 'BR1800360305000010009795493C1' },
      /iban must be an IBAN of a country/,
    ],
    [
      'epc',
      { name: 'a', iban: 'DE893704004405320130' },
      /iban must be an IBAN of a country in SEPA/,
    ],
    [
      'epc',
      { name: 'a', iban: 'CH9300762011623852957' },
      /must have a bic: the IBAN is from outside/,
    ],
    ['epc', { ...TRANSFER, bic: 'POFICHB' }, /bic must be a BIC of 8 or 11/],
    ['epc', { ...TRANSFER, amount: '0.00' }, /amount must be an amount above zero/],
    ['epc', { ...TRANSFER, amount: '1000000000' }, /amount must not have more than 9 digits/],
    ['epc', { ...TRANSFER, amount: '1.005' }, /amount must be an amount above zero with at most 2/],
    ['epc', { ...TRANSFER, name: 'x'.repeat(71) }, /name must be at most 70 characters/],
    ['epc', { ...TRANSFER, name: 'a\nEUR1' }, /name must not contain line breaks/],
    ['epc', { ...TRANSFER, text: 'x'.repeat(141) }, /text must be at most 140 characters/],
    ['epc', { ...TRANSFER, purpose: 'CHARS' }, /purpose must be 1 to 4 letters and digits/],
    ['epc', { ...TRANSFER, reference: 'RF19539007547034' }, /reference must be a reference of ISO/],
    [
      'epc',
      { ...TRANSFER, reference: 'RF18539007547034', text: 'x' },
      /must not have reference and text/,
    ],
    ['upi', { address: 'ada', name: 'Ada' }, /address must be a UPI id such as ada@okaxis/],
    ['upi', { address: 'a&pn=b@upi', name: 'Ada' }, /address must be a UPI id/],
    ['upi', { address: 'ada@upi' }, /name is required/],
    ['upi', { ...UPI, amount: '0' }, /amount must be an amount above zero/],
    ['upi', { ...UPI, amount: -1 }, /^amount must be an amount above zero/],
    ['upi', { ...UPI, amount: '1.234' }, /amount must be an amount above zero with at most 2/],
    ['upi', { ...UPI, note: 'x'.repeat(81) }, /note must be at most 80 characters/],
    ['upi', { ...UPI, reference: 'a b' }, /reference must be 1 to 35 letters and digits/],
    ['upi', { ...UPI, category: '12' }, /category must be 4 digits/],
    ['swissqr', { ...BILL, iban: 'DE33100205000001194700' }, /iban must be an IBAN of CH or LI/],
    ['swissqr', { ...BILL, iban: 'CH9300762011623852958' }, /iban must be an IBAN of CH or LI/],
    ['swissqr', { iban: BILL.iban }, /creditor is required/],
    [
      'swissqr',
      { ...BILL, creditor: { ...BILL.creditor, city: undefined } },
      /creditor.city is required/,
    ],
    ['swissqr', { ...BILL, debtor: { name: 'a' } }, /debtor.postalCode is required/],
    ['swissqr', { ...BILL, currency: 'USD' }, /currency must be one of/],
    ['swissqr', { ...BILL, message: 'a\nb' }, /message must not contain line breaks/],
    ['swissqr', { ...BILL, message: '日本' }, /message must consist of Latin letters/],
    ['swissqr', { ...BILL, amount: '0.001' }, /amount must be an amount above zero/],
    ['swissqr', { ...BILL, reference: '210000000003139471430009018' }, /reference must be a QR/],
    ['swissqr', { ...BILL, reference: QR_REFERENCE }, /must not have a reference of 27 digits/],
    [
      'swissqr',
      { ...BILL, iban: QR_IBAN },
      /must have a reference of 27 digits: its iban is a QR-/,
    ],
    [
      'swissqr',
      { ...BILL, iban: QR_IBAN, reference: 'RF18539007547034' },
      /must have a reference of 27 digits/,
    ],
    [
      'swissqr',
      { ...BILL, message: 'x'.repeat(71), billInformation: 'y'.repeat(70) },
      /must have at most 140 characters in message and billInformation together/,
    ],
    ['app', { url: 'https://a.test' }, /app must have the URL of a store: ios or android/],
    ['links', { title: 'x', links: [] }, /^links must contain at least 1 item/],
    ['links', { title: 'x', links: [{ title: 'y', url: 'javascript:1' }] }, /links\[0\].url must/],
    [
      'links',
      { title: 'x', links: Array.from({ length: 51 }, () => ({ title: 'y', url: 'a.test' })) },
      /^links must contain at most 50/,
    ],
    ['social', { title: 'x', profiles: [{ network: 'myspace', handle: 'y' }] }, /must be one of/],
    ['social', { title: 'x', profiles: [{ network: 'x' }] }, /must have either handle or url/],
    ['social', { title: 'x', profiles: [{ network: 'x', handle: 'a/b' }] }, /handle must consist/],
    [
      'social',
      { title: 'x', profiles: [{ network: 'website', handle: 'y' }] },
      /must have url: website has no handles/,
    ],
    [
      'social',
      { title: 'x', profiles: [{ network: 'mastodon', handle: 'ada' }] },
      /must have a handle with its server/,
    ],
    [
      'social',
      { title: 'x', profiles: [{ network: 'instagram', url: 'https://evil.test/x' }] },
      /must have a url of Instagram/,
    ],
    [
      'vcard',
      { organization: 'a', profiles: [{ network: 'x' }] },
      /profiles\[0\] must have either/,
    ],
    ['vcard', { organization: 'a', photo: 'ftp://a.test/x' }, /photo must be a URL that begins/],
    ['gs1', { data: '01095' }, /data must have each application identifier once, in brackets/],
    ['gs1', { data: '(01)09520123456788', linkType: 'pip' }, /linkType must be a link type of GS1/],
    ['gs1', { data: '(01)09520123456788', stem: 'https://a.test/?b' }, /stem must have neither/],
    ['app', { ios: 'javascript:1' }, /ios must be a URL that begins with http/],
    ['sms', { message: 'x' }, /number is required/],
    ['whatsapp', { number: '0123' }, /the country code of "0123" is missing/],
    ['whatsapp', { number: '030123456' }, /the country code of "030123456" is missing/],
    ['whatsapp', { number: '123456' }, /the country code of "123456" is missing/],
    ['phone', '#31#+', /must be a phone number/],
    ['whatsapp', { number: '(201) 555-0123' }, /must begin with \+ and a country code/],
    ['whatsapp', { number: '+999 123456' }, /must begin with \+ and a country code that exists/],
    ['whatsapp', { number: '+1 555-0123' }, /is too short for its country/],
    ['whatsapp', { number: '*100#' }, /must be a phone number/],
    ['sms', { number: '+12015550123 ext. 5' }, /must be a phone number/],
    ['phone', '+1 201 555 0123 ext. 12345678', /must be a phone number/],
    ['phone', '1+2015550123', /must be a phone number/],
    ['email', { email: 'a@b.c, nobody' }, /email must be a valid email address, not "nobody"/],
    ['email', { email: [] }, /email must contain at least 1 item/],
    [
      'wifi',
      { ssid: 'a', password: '', encryption: 'WPA2' },
      /must have a password: its encryption is WPA2/,
    ],
    [
      'crypto',
      {
        currency: 'ethereum',
        address: '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
        message: 'Hi',
      },
      /must not have a message/,
    ],
    ['facetime', { target: 'a*b@c' }, /target must not contain \* or #/],
    ['latlog', { latitude: 91, longitude: 0 }, /latitude must be at most 90/],
    ['pix', { key: '12345678900', name: 'a', city: 'b' }, /must be a Pix key/],
    [
      'pix',
      { key: 'a@b.com', name: 'x'.repeat(26), city: 'b' },
      /name must not be longer than 25 characters/,
    ],
    ['pix', { key: 'a@b.com', name: '\ufe0f', city: 'b' }, /name must consist of Latin letters/],
    ['pix', { key: 'a@b.com', name: '日本', city: 'b' }, /name must consist of Latin letters/],
    [
      'pix',
      { key: 'a@b.com', name: 'a', city: 'b', amount: '0.00' },
      /amount must be an amount above zero/,
    ],
    ...[0, -1, 0.001, 1e-7, '-5', '1e3', '1,50', '0.001', ' ', 'ten'].map(
      (amount): [ContentName, unknown, RegExp] => [
        'pix',
        { key: 'a@b.com', name: 'a', city: 'b', amount },
        /^amount must be an amount above zero with at most 2 decimal places, such as "10.5"$/,
      ],
    ),
    [
      'pix',
      { key: 'a@b.com', name: 'a', city: 'b', amount: 12_345_678_901 },
      /^amount must not have more than 10 digits before the point$/,
    ],
    ['pix', { key: 'a@b.com', name: '  ', city: 'b' }, /name must not be empty/],
    [
      'pix',
      { key: 'a@b.com', name: 'a', city: 'b', txid: 'a b' },
      /txid must be 1 to 25 letters and digits/,
    ],
    [
      'pix',
      {
        key: '123e4567-e12b-12d1-a456-426655440000',
        name: 'a',
        city: 'b',
        description: 'x'.repeat(60),
      },
      /must have a shorter description/,
    ],
    ['pix', `${BCB.slice(0, -1)}E`, /must end with the right CRC, which is 1D3D/],
    ['pix', '00020126', /must be a complete BR Code/],
    ...(
      [
        [{ 59: 'Leone Parise Vieira da Silva' }, /a name \(59\) of 1 to 25 characters, not "Leone/],
        [{ 59: '' }, /a name \(59\) of 1 to 25 characters/],
        [{ 60: 'Sao Jose dos Campos' }, /a city \(60\) of 1 to 15 characters/],
        [{ 60: undefined }, /a city \(60\) of 1 to 15 characters$/],
        [{ 54: '350,00' }, /amount \(54\) of digits such as 10.50, not "350,00"/],
        [{ 54: '1.000.00' }, /amount \(54\)/],
        [{ 54: '10.505' }, /amount \(54\)/],
        [{ 58: undefined }, /a country \(58\) of BR$/],
        [{ 58: 'PT' }, /a country \(58\) of BR, not "PT"/],
        [{ 53: '840' }, /a currency \(53\) of 986 \(BRL\), not "840"/],
        [{ 52: undefined }, /a category \(52\) of 4 digits/],
        [
          { 62: '0510PED-1_2 x!' },
          /a txid \(62-05\) of 1 to 25 letters and digits, or \*\*\*, not/,
        ],
        [{ 62: `0526${'A'.repeat(26)}` }, /a txid \(62-05\)/],
        [{ 62: undefined }, /a txid \(62-05\) of 1 to 25 letters and digits, or \*\*\*$/],
        [{ 26: emvObject('00', 'com.example') }, /must be a BR Code of Pix/],
        [{ 26: emvObject('00', 'BR.GOV.BCB.PIX') }, /a Pix key \(26-01\) or a URL \(26-25\)/],
        [
          { 26: emvObject('00', 'br.gov.bcb.pix') + emvObject('01', 'a') + emvObject('25', 'b') },
          /and not both/,
        ],
      ] satisfies [Record<string, string | undefined>, RegExp][]
    ).map(([changes, message]): [ContentName, unknown, RegExp] => [
      'pix',
      brCode(changes),
      message,
    ]),
    ['pix', withCrc(`${BCB.slice(0, -8)}5802BR`), /must not have the object 58 twice/],
  ];
  for (const [name, content, message] of REFUSED) {
    it(`of type ${name} is refused: ${message.source} (${JSON.stringify(content)})`, () => {
      expect(refusal(name, content)).to.match(message);
    });
  }

  it('redirects, or shows a page, by its type', () => {
    expect(visit('url', 'https://example.com')).to.deep.equal({ open: 'https://example.com' });
    expect(visit('phone', '110', false)).to.deep.equal({ open: 'tel:110' });
    expect(visit('sms', { number: '110', message: 'a b' }, false)).to.deep.equal({
      open: 'sms:110?body=a%20b',
    });
    expect(visit('email', { email: 'a@b.cd' }, false)).to.deep.equal({ open: 'mailto:a@b.cd' });
    expect(visit('whatsapp', { number: '+15551234567' })).to.deep.equal({
      open: 'https://wa.me/15551234567',
    });
    const app = { ios: 'https://a.test/ios', android: 'https://a.test/android' };
    expect(visit('app', { ...app, url: 'https://a.test' })).to.deep.equal({
      open: 'https://a.test',
      ...app,
    });
    const pages = {
      text: 'x',
      phone: '110',
      email: { email: 'a@b.cd' },
      sms: { number: '110' },
      wifi: { ssid: 'x' },
      vcard: { firstName: 'x', lastName: 'y' },
      facetime: { target: 'a@b.cd' },
      latlog: { latitude: 1, longitude: 2 },
      crypto: { currency: 'bitcoin', address: '1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2' },
      pix: BCB,
      event: { title: 'x', start: '2026-12-24' },
      epc: TRANSFER,
      upi: UPI,
      lightning: LNURL,
      swissqr: BILL,
      app: { ios: 'https://apps.apple.com/app/id1' },
      links: { title: 'x', links: [{ title: 'y', url: 'a.test' }] },
      social: { title: 'x', profiles: [{ network: 'x', handle: 'y' }] },
      gs1: { data: '(01)09520123456788', url: 'https://a.test/' },
    };
    for (const [name, content] of Object.entries(pages)) {
      expect(visit(name as ContentName, content), name).to.have.nested.property('page.type', name);
    }
  });
});

/** Parses the properties of a vCard into their parts (RFC 2426), whose parameters it drops. */
function readVcard(text: string): Map<string, string[]> {
  return new Map(
    text.split('\r\n').flatMap((one) => {
      const [, name, value] = /^([A-Z]+)[^:]*:(.*)$/s.exec(one) ?? [];
      if (name === undefined) return [];
      const parts = [...`${value!};`.matchAll(/((?:\\.|[^\\;])*);/gs)].map(([, part]) =>
        part!.replaceAll(/\\(.)/gs, (_, character: string) =>
          character === 'n' ? '\n' : character,
        ),
      );
      return [[name, parts] as const];
    }),
  );
}

/** The example of Brazil’s central bank with other objects and the right CRC; `undefined` removes one. */
function brCode(changes: Record<string, string | undefined>): string {
  const objects = new Map(readEmv(BCB)!.map(({ id, value }) => [id, value]));
  objects.delete('63');
  for (const [id, value] of Object.entries(changes)) {
    if (value === undefined) objects.delete(id);
    else objects.set(id, value);
  }
  return withCrc([...objects].map(([id, value]) => emvObject(id, value)).join(''));
}

/** Parses the fields of a Wi-Fi code as phones do. */
function readWifi(code: string): Map<string, string> {
  const fields = new Map<string, string>();
  const body = /^WIFI:(.*);$/s.exec(code)![1]!;
  for (const [, name, value] of body.matchAll(/([A-Z0-9]+):((?:\\.|[^;\\])*);/gs)) {
    fields.set(name!, value!.replaceAll(/\\(.)/gs, '$1'));
  }
  return fields;
}
