import { expect } from 'chai';
import { check } from '../../src/api/input.ts';
import { Refusal } from '../../src/errors.ts';
import type { ContentType } from '../../src/qrcodes/content/content-type.ts';
import { isBase58Check, isBech32 } from '../../src/qrcodes/content/crypto.ts';
import { crc16, readEmv } from '../../src/qrcodes/content/emv.ts';
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

describe('the content of a QR code', () => {
  /** Published examples, and the text that they must become, byte for byte. */
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
      'WIFI:T:WEP;S:Ten\\;\\;Chars;P:"0123456789";;',
    ],
    [
      'ZXing wiki, a name that could be hexadecimal',
      'wifi',
      { ssid: 'ABCD', hidden: true },
      'WIFI:T:nopass;S:"ABCD";H:true;;',
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
    ['RFC 3966, section 6', 'phone', '+1-201-555-0123', 'tel:+12015550123'],
    ['ZXing tests, local number', 'phone', '(212) 555-1212', 'tel:2125551212'],
    [
      'ZXing tests, message with a colon',
      'sms',
      { number: '+15551212', message: 'Directions: Do this' },
      'SMSTO:+15551212:Directions: Do this',
    ],
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
        address: '0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359',
        amount: '2.014',
      },
      'ethereum:0xfb6916095ca1df60bb79Ce92ce3ea74c37c5d359?value=2014000000000000000',
    ],
    [
      'WhatsApp, click to chat',
      'whatsapp',
      { number: '+1 (555) 123-4567', message: "I'm interested" },
      "https://wa.me/15551234567?text=I'm%20interested",
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
    ['a URL as it was sent', 'url', 'https://example.com/a?b=c#d', 'https://example.com/a?b=c#d'],
    ['a text as it was sent', 'text', 'a\r\nb', 'a\r\nb'],
  ];
  for (const [source, name, content, text] of VECTORS) {
    it(`${name} is encoded as in: ${source}`, () => {
      expect(encode(name, content)).to.equal(text);
    });
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
      'must have an address of Bitcoin',
    );
  });

  it('knows right addresses from wrong ones (BIP 173, BIP 350, Base58Check)', () => {
    expect(isBech32('BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4', 'bc')).to.equal(true);
    expect(
      isBech32('bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0', 'bc'),
    ).to.equal(true);
    expect(isBech32('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5', 'bc')).to.equal(false);
    expect(isBech32('bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3T4', 'bc')).to.equal(false);
    expect(isBase58Check('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2')).to.equal(true);
    expect(isBase58Check('1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN3')).to.equal(false);
    expect(isBase58Check('')).to.equal(false);
  });

  it('has the check value of CRC-16/CCITT-FALSE', () => {
    expect(crc16('123456789')).to.equal('29B1');
  });

  it('vcard is a whole contact of RFC 2426, every value escaped', () => {
    const text = encode('vcard', {
      firstName: 'Jürgen',
      lastName: 'Müller; de la Peña',
      organization: 'Übermut, Söhne',
      phones: [{ type: 'work', value: '+49 30 123456' }],
      emails: ['j@example.com'],
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
      'EMAIL;TYPE=INTERNET:j@example.com',
      'ADR;TYPE=WORK:;;Hauptstraße 1\\nHof;Berlin;;10115;',
      'BDAY:1980-02-29',
      'NOTE:eins\\nzwei\\\\',
      'END:VCARD',
      '',
    ]);
  });

  it('wifi gives back what went in, whatever the name', () => {
    const random = seeded(7);
    const alphabet = Array.from('\\;,":aZ09é日 \'');
    for (let round = 0; round < 500; round += 1) {
      const ssid = Array.from(
        { length: 1 + Math.floor(random() * 10) },
        () => alphabet[Math.floor(random() * alphabet.length)],
      ).join('');
      const fields = readWifi(encode('wifi', { ssid, encryption: 'nopass' }));
      expect(fields.get('S')).to.equal(ssid);
    }
  });

  it('pix folds accents and counts what it wrote', () => {
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

  const REFUSED: [name: ContentName, content: unknown, message: RegExp][] = [
    ['url', 'javascript:alert(1)', /must not use the scheme/],
    ['text', '', /not allowed to be empty/],
    ['email', { email: 'nobody' }, /email must be a valid email/],
    ['email', { email: 'a@b.c', subject: 'one\ntwo' }, /subject must not contain line breaks/],
    ['wifi', { ssid: 'a', encryption: 'WPA' }, /must have a password: its encryption is WPA/],
    ['wifi', { ssid: 'a', password: 'short' }, /must have 8 to 63 characters/],
    ['wifi', { ssid: 'a', password: 'x', encryption: 'nopass' }, /the network has no encryption/],
    ['wifi', { ssid: 'a', password: 'abcdef', encryption: 'WEP' }, /hexadecimal digits \(WEP\)/],
    ['wifi', { ssid: '日'.repeat(11) }, /must not be longer than 32 bytes/],
    ['phone', 'call me', /must be a phone number of 3 to 15 digits/],
    ['phone', '+1234567890123456', /must be a phone number/],
    [
      'vcard',
      { firstName: 'a\r\nTEL:666', lastName: 'b' },
      /firstName must not contain line breaks/,
    ],
    ['vcard', { firstName: '', lastName: '' }, /must have a firstName or a lastName/],
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
    ['vcard', { firstName: 'a', lastName: 'b', nick: 'c' }, /nick is not a known field/],
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
    ['sms', { message: 'x' }, /number is required/],
    ['whatsapp', { number: '0123' }, /must be an international number/],
    ['facetime', { target: 'a*b@c' }, /target must not contain \* or #/],
    ['latlog', { latitude: 91, longitude: 0 }, /latitude must be less than or equal to 90/],
    ['pix', { key: '12345678900', name: 'a', city: 'b' }, /must be a Pix key/],
    [
      'pix',
      { key: 'a@b.com', name: 'x'.repeat(26), city: 'b' },
      /name must not be longer than 25 characters/,
    ],
    ['pix', { key: 'a@b.com', name: '日本', city: 'b' }, /name must consist of Latin letters/],
    [
      'pix',
      { key: 'a@b.com', name: 'a', city: 'b', amount: '0.00' },
      /amount must be an amount above zero/,
    ],
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
  ];
  for (const [name, content, message] of REFUSED) {
    it(`of type ${name} is refused: ${message.source}`, () => {
      expect(refusal(name, content)).to.match(message);
    });
  }

  it('leads on, or to a page, as its type says', () => {
    expect(visit('url', 'https://example.com')).to.deep.equal({ open: 'https://example.com' });
    expect(visit('phone', '110', false)).to.deep.equal({ open: 'tel:110' });
    expect(visit('sms', { number: '110', message: 'a b' }, false)).to.deep.equal({
      open: 'sms:110?body=a%20b',
    });
    expect(visit('email', { email: 'a@b.cd' }, false)).to.deep.equal({ open: 'mailto:a@b.cd' });
    expect(visit('whatsapp', { number: '+15551234567' })).to.deep.equal({
      open: 'https://wa.me/15551234567',
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
    };
    for (const [name, content] of Object.entries(pages)) {
      expect(visit(name as ContentName, content), name).to.have.nested.property('page.type', name);
    }
  });
});

/** Reads the fields of a Wi-Fi code as ZXing does. */
function readWifi(code: string): Map<string, string> {
  const fields = new Map<string, string>();
  const body = /^WIFI:(.*);$/s.exec(code)![1]!;
  for (const [, name, value] of body.matchAll(/([A-Z]+):((?:\\.|[^;\\])*);/gs)) {
    const plain = value!.replaceAll(/\\(.)/gs, '$1');
    fields.set(name!, /^"[^"\\]*"$/.test(value!) ? plain.slice(1, -1) : plain);
  }
  return fields;
}
