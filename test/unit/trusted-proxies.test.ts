import { expect } from 'chai';
import { TrustedProxies } from '../../src/infra/trusted-proxies.ts';
import { seeded } from '../qr/pairwise.ts';

type Headers = Record<string, string>;
type Row = [name: string, peer: string, headers: Headers, address: string];

const from = (header: string) => ({ 'x-forwarded-for': header });
const elements = (header: string) => ({ forwarded: header });
const requestOf = (remoteAddress: string | undefined, headers: Headers) => ({
  headers,
  socket: { remoteAddress },
});

/** Adds a test for each row. */
function addressesOf(proxies: TrustedProxies, rows: readonly Row[]): void {
  for (const [name, peer, headers, address] of rows) {
    it(`is ${name}`, () => {
      expect(proxies.clientAddress(requestOf(peer, headers))).to.equal(address);
    });
  }
}

const LOOPBACK = '127.0.0.1';
const CLIENT = '192.0.2.7';
const EDGE = '172.70.1.1';
const own = ['loopback', '10.0.0.0/8'];

describe('the address of a client', () => {
  describe('in X-Forwarded-For', () => {
    const chain = Array.from({ length: 50 }, (_, n) => `10.0.0.${n}`).join(', ');
    addressesOf(new TrustedProxies(own), [
      ['that of an untrusted peer', '203.0.113.5', from(CLIENT), '203.0.113.5'],
      ['that of a proxy without the header', LOOPBACK, {}, LOOPBACK],
      ['that of a proxy with an empty header', LOOPBACK, from(''), LOOPBACK],
      ['that of a proxy with an empty list', LOOPBACK, from(' , ,\t,'), LOOPBACK],
      ['found between empty parts', LOOPBACK, from(`, 6.6.6.6,, ${CLIENT} ,,`), CLIENT],
      ['not a forged one before it', LOOPBACK, from(`6.6.6.6, ${CLIENT}`), CLIENT],
      ['not a forged one that is a proxy', LOOPBACK, from(`10.0.0.1, ${CLIENT}`), CLIENT],
      ['before 50 proxies', LOOPBACK, from(`6.6.6.6, ${CLIENT}, ${chain}`), CLIENT],
      ['the first of 50 proxies', LOOPBACK, from(chain), '10.0.0.0'],
      ['read without its port', LOOPBACK, from(`${CLIENT}:4711`), CLIENT],
      ['read without brackets', LOOPBACK, from('[2001:db8::7]'), '2001:db8::7'],
      ['read without brackets and port', LOOPBACK, from('[2001:db8::7]:4711'), '2001:db8::7'],
      ['IPv4 that is mapped into IPv6', LOOPBACK, from(`::ffff:${CLIENT}`), CLIENT],
      ['IPv4 in mapped hexadecimal', LOOPBACK, from('::FFFF:c000:0207'), CLIENT],
      ['IPv4 in a long mapped form', LOOPBACK, from(`0:0:0:0:0:ffff:${CLIENT}`), CLIENT],
      ['behind a mapped peer', `::ffff:${LOOPBACK}`, from(CLIENT), CLIENT],
      [
        'behind a proxy with a mapped address',
        LOOPBACK,
        from(`${CLIENT}, ::ffff:10.1.1.1`),
        CLIENT,
      ],
      ...[
        'unknown',
        '_hidden',
        '1.2.3',
        '256.1.1.1',
        '1.2.3.4.5',
        `${CLIENT}:`,
        `${CLIENT}:x`,
        '[2001:db8::7',
        '2001:db8::7]',
        '[2001:db8::7]x',
        '[]',
        '[]:80',
        ':::',
        '<script>',
        '"',
        '\u00e4',
        'for=192.0.2.7',
      ].map(
        (part): Row => [`the proxy’s for ${part}`, LOOPBACK, from(`6.6.6.6, ${part}`), LOOPBACK],
      ),
    ]);

    it('is empty for a connection that is closed', () => {
      expect(new TrustedProxies(own).clientAddress(requestOf(undefined, {}))).to.equal('');
    });

    it('is not changed by Forwarded', () => {
      const proxies = new TrustedProxies(own);
      const address = (headers: Headers) => proxies.clientAddress(requestOf(LOOPBACK, headers));
      expect(address({ ...from(CLIENT), ...elements('for=6.6.6.6') })).to.equal(CLIENT);
      expect(address(elements('for=6.6.6.6'))).to.equal(LOOPBACK);
    });
  });

  describe('in Forwarded', () => {
    addressesOf(new TrustedProxies(own, 'forwarded'), [
      ['that of an untrusted peer', '203.0.113.5', elements(`for=${CLIENT}`), '203.0.113.5'],
      ['an address', LOOPBACK, elements(`for=${CLIENT}`), CLIENT],
      [
        'that of any parameter order',
        LOOPBACK,
        elements(`proto=https;For=${CLIENT};by=_a`),
        CLIENT,
      ],
      ['in quotes', LOOPBACK, elements(`for="${CLIENT}"`), CLIENT],
      ['in quotes with escapes', LOOPBACK, elements('for="192.0\\.2.7"'), CLIENT],
      ['with a port', LOOPBACK, elements(`for="${CLIENT}:4711"`), CLIENT],
      ['with a hidden port', LOOPBACK, elements(`for="${CLIENT}:_gazonk"`), CLIENT],
      ['IPv6', LOOPBACK, elements('For="[2001:db8:cafe::17]:4711"'), '2001:db8:cafe::17'],
      ['IPv6 without a port', LOOPBACK, elements('for="[2001:db8::1]"'), '2001:db8::1'],
      ['the last element', LOOPBACK, elements(`for=6.6.6.6, for=${CLIENT}`), CLIENT],
      [
        'before trusted elements',
        LOOPBACK,
        elements(`for=6.6.6.6,for=${CLIENT}, for=10.0.0.2`),
        CLIENT,
      ],
      ['found between empty elements', LOOPBACK, elements(`,, for=${CLIENT};;, ,`), CLIENT],
      ['read with spaces at semicolons', LOOPBACK, elements(`by=_a; for=${CLIENT} ; x=y`), CLIENT],
      [
        'not in the host of another parameter',
        LOOPBACK,
        elements(`for=${CLIENT};host="a,for=6.6.6.6;b=\\",for=6.6.6.6"`),
        CLIENT,
      ],
      ['safe from an open quote', LOOPBACK, elements(`for=6.6.6.6;x=", for=${CLIENT}`), CLIENT],
      [
        'safe from an open quote before quotes',
        LOOPBACK,
        elements('for=6.6.6.6;x=", for="[2001:db8::7]:4711"'),
        '2001:db8::7',
      ],
      ['safe from a backslash', LOOPBACK, elements(`for=6.6.6.6;x="\\, for="${CLIENT}"`), CLIENT],
      ['not in X-Forwarded-For', LOOPBACK, from('6.6.6.6'), LOOPBACK],
      ...[
        'for=unknown',
        'for=_hidden',
        'for="_hidden:4711"',
        'by=192.0.2.7',
        'for',
        'for=',
        'for=""',
        `for =${CLIENT}`,
        `for= ${CLIENT}`,
        'for=[2001:db8::7]',
        `for="${CLIENT}`,
        `for=${CLIENT}"`,
        `for="${CLIENT}"x`,
        `for=${CLIENT};for=${CLIENT}`,
        `for=${CLIENT};FOR=1.1.1.1`,
        `for=${CLIENT};\u00e4=1`,
        `for=${CLIENT};"x"`,
        CLIENT,
      ].map(
        (part): Row => [
          `the proxy’s for ${part}`,
          LOOPBACK,
          elements(`for=6.6.6.6, ${part}`),
          LOOPBACK,
        ],
      ),
    ]);
  });

  describe('behind Cloudflare', () => {
    const connecting = (ip: string, header?: string) => ({
      'cf-connecting-ip': ip,
      ...(header === undefined ? {} : from(header)),
    });
    addressesOf(new TrustedProxies([...own, 'cloudflare']), [
      ['CF-Connecting-IP', EDGE, connecting(CLIENT, '6.6.6.6'), CLIENT],
      ['CF-Connecting-IP without another header', EDGE, connecting(CLIENT), CLIENT],
      ['CF-Connecting-IP of IPv6', '2400:cb00::5', connecting('2001:db8::7'), '2001:db8::7'],
      ['not that of another peer', '203.0.113.5', connecting('6.6.6.6', EDGE), '203.0.113.5'],
      ['not that of a client of an own proxy', LOOPBACK, connecting('6.6.6.6', CLIENT), CLIENT],
      ['not one without a proxy before it', LOOPBACK, connecting('6.6.6.6'), LOOPBACK],
      ['not one with a forged edge', LOOPBACK, connecting('6.6.6.6', `${EDGE}, ${CLIENT}`), CLIENT],
      ['CF-Connecting-IP behind an own proxy', LOOPBACK, connecting(CLIENT, EDGE), CLIENT],
      ['that behind two', LOOPBACK, connecting(CLIENT, `6.6.6.6, ${EDGE}, 10.0.0.2`), CLIENT],
      ['the edge without CF-Connecting-IP', EDGE, from('6.6.6.6'), EDGE],
      ['the edge with an invalid one', EDGE, connecting('6.6.6.6, 1.1.1.1', '6.6.6.6'), EDGE],
    ]);

    it('is read from Forwarded of an own proxy', () => {
      const proxies = new TrustedProxies(['loopback', 'cloudflare'], 'forwarded');
      const headers = { ...connecting(CLIENT), ...elements(`for="${EDGE}:443"`) };
      expect(proxies.clientAddress(requestOf(LOOPBACK, headers))).to.equal(CLIENT);
    });

    it('is that of Cloudflare if it is not trusted', () => {
      const proxies = new TrustedProxies(['loopback']);
      const address = (peer: string, headers: Headers) =>
        proxies.clientAddress(requestOf(peer, headers));
      expect(address(EDGE, connecting('6.6.6.6'))).to.equal(EDGE);
      expect(address(LOOPBACK, connecting('6.6.6.6', EDGE))).to.equal(EDGE);
    });
  });

  describe('in random headers', () => {
    const random = seeded(11);
    const below = (count: number) => Math.floor(random() * count);
    const pick = <T>(all: readonly T[]): T => all[below(all.length)]!;
    const PIECES = [
      CLIENT,
      EDGE,
      ...'6.6.6.6 10.0.0.1 2001:db8::7 2400:cb00::1 fe80::1%e :: ::ffff:1.2.3.4'.split(' '),
      ...'for= for=" by= proto=https unknown _x \u00e4 % 0 [ ] [] : :80 " \\ \\" , ; ='.split(' '),
      ', ',
      ' ',
      '\t',
    ];
    const noise = () => Array.from({ length: below(12) }, () => pick(PIECES)).join('');
    const headers = () => ({
      'x-forwarded-for': noise(),
      forwarded: noise(),
      'cf-connecting-ip': noise(),
      'x-forwarded-proto': noise(),
      'x-real-ip': noise(),
    });
    const both = (proxies: number | string[]) =>
      (['x-forwarded-for', 'forwarded'] as const).map(
        (header) => new TrustedProxies(proxies, header),
      );
    const byAddress = both([...own, 'cloudflare']);
    const trusting = [...byAddress, ...both(2)];

    it('is one of an untrusted peer, and over http', () => {
      const distrusting = [...byAddress, ...both(0)];
      for (let n = 0; n < 1_000; n += 1) {
        const request = requestOf(pick(['203.0.113.5', '2001:db8::5']), headers());
        for (const proxies of distrusting) {
          expect(proxies.clientAddress(request)).to.equal(request.socket.remoteAddress);
          expect(proxies.isHttps(request)).to.equal(false);
        }
      }
    });

    it('is what the proxy has appended, whatever the client sent before', () => {
      const appended = [
        [CLIENT, CLIENT, `for=${CLIENT}`],
        ['2001:db8::7', '2001:db8::7', 'for="[2001:db8::7]:4711";host="a,b";proto=https'],
      ] as const;
      for (let n = 0; n < 1_500; n += 1) {
        const sent = headers();
        const [address, part, element] = pick(appended);
        const passedOn = {
          ...sent,
          'x-forwarded-for': `${sent['x-forwarded-for']}, ${part}`,
          forwarded: `${sent.forwarded}, ${element}`,
        };
        const request = requestOf(LOOPBACK, passedOn);
        for (const proxies of byAddress) {
          expect(proxies.clientAddress(request), JSON.stringify(passedOn)).to.equal(address);
        }
      }
    });

    it('is an address, and no header throws', () => {
      for (let n = 0; n < 1_500; n += 1) {
        const request = requestOf(pick([LOOPBACK, EDGE, '::1', '']), headers());
        for (const proxies of trusting) {
          proxies.isHttps(request);
          expect(proxies.clientAddress(request)).to.match(/^[\da-f.:]*(?:%[\w.:-]+)?$/i);
        }
      }
    });

    it('takes no more than linear time', () => {
      const long = 16_000;
      for (const text of [',', '"', '\\"', '\\', 'a=', 'a;', '[', ':', '",', '";a="', ' ', '0:']) {
        const header = text.repeat(long / text.length);
        const before = process.cpuUsage();
        for (const proxies of trusting) {
          const request = requestOf(LOOPBACK, { 'x-forwarded-for': header, forwarded: header });
          proxies.clientAddress(request);
          proxies.isHttps(request);
        }
        const { user, system } = process.cpuUsage(before);
        // Quadratic time would be 256 million steps.
        expect((user + system) / 1000, text).to.be.below(100);
      }
    });
  });
});

describe('the scheme of a request', () => {
  const rows: [
    peer: string,
    headers: Headers,
    isHttps: [forwardedFor: boolean, forwarded: boolean],
  ][] = [
    [LOOPBACK, {}, [false, false]],
    [LOOPBACK, { 'x-forwarded-proto': 'https' }, [true, false]],
    [LOOPBACK, { 'x-forwarded-proto': 'http, HTTPS' }, [true, false]],
    [LOOPBACK, { 'x-forwarded-proto': 'https, http' }, [false, false]],
    [LOOPBACK, { 'x-forwarded-proto': `${'x'.repeat(200)}, https` }, [true, false]],
    [LOOPBACK, elements(`for=${CLIENT};proto=https`), [false, true]],
    [LOOPBACK, elements('proto="HTTPS"'), [false, true]],
    [LOOPBACK, elements('proto=https, for=6.6.6.6'), [false, false]],
    ['203.0.113.5', { 'x-forwarded-proto': 'https', ...elements('proto=https') }, [false, false]],
    [EDGE, { 'x-forwarded-proto': 'https' }, [true, false]],
  ];
  for (const [peer, headers, expected] of rows) {
    it(`is read from ${peer}: ${JSON.stringify(headers).slice(0, 60)}`, () => {
      const proxies = ['loopback', 'cloudflare'];
      const read = (header: 'x-forwarded-for' | 'forwarded') =>
        new TrustedProxies(proxies, header).isHttps(requestOf(peer, headers));
      expect([read('x-forwarded-for'), read('forwarded')]).to.deep.equal(expected);
    });
  }
});
