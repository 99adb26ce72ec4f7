import diagnostics from 'node:diagnostics_channel';
import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { isAllowed } from '../../src/infra/outbound-addresses.ts';
import { eventually } from '../support/eventually.ts';
import { NameServer } from '../support/name-server.ts';
import { get, REASONS, refusal } from '../support/outbound.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';

const { PRIVATE, PORT, SCHEME, CREDENTIALS, INVALID, UNKNOWN, LOOK_UP, SILENT } = REASONS;

/** The only allowed address; all others are forbidden or do not exist. */
const ALLOWED = '127.0.0.3';
/** Addresses whose listeners must not be reached. */
const GUARDED = ['127.0.0.1', '127.0.0.2', '::1'];

/** Names that resolve to forbidden addresses, by kind. */
const HOSTILE_NAMES: Record<string, string[]> = {
  'metadata.google.internal': ['169.254.169.254'],
  'metadata.goog': ['169.254.169.254', 'fd20:ce::254'],
  'instance-data.ec2.internal': ['169.254.169.254'],
  'metadata.azure.com': ['169.254.169.254'],
  'wireserver.azure.test': ['168.63.129.16'],
  'metadata.tencentyun.com': ['169.254.0.23'],
  'metadata.aliyun.test': ['100.100.100.200'],
  'kubernetes.default.svc': ['10.96.0.1'],
  'host.docker.internal': ['172.17.0.1'],
  'router.lan': ['192.168.1.1'],
  'localtest.test': ['127.0.0.1'],
  'six.test': ['::1'],
  'mapped.test': ['::ffff:127.0.0.1'],
  'nat64.test': ['64:ff9b::7f00:1'],
  'this.test': ['0.0.0.0'],
  'unspecified.test': ['::'],
};
/** Name that is allowed at web ports. */
const PUBLIC_NAME = 'public.test';

/** Spellings of hosts that are forbidden addresses. */
const HOSTS: [kind: string, hosts: string][] = [
  ['loopback', '127.0.0.1 127.0.0.2 127.255.255.254'],
  ['decimal', '2130706433 2130706434 2852039166'],
  ['octal', '0177.0.0.1 017700000001 0177.0000.00.02'],
  ['hexadecimal', '0x7f000001 0x7f.0x0.0x0.0x1 0X7F.0.0.2'],
  ['mixed', '0x7f.1 0177.0x0.1 127.0.0x1 0xa9.254.43518'],
  ['short', '127.1 127.0.1 127.2 0 10.1'],
  ['with a trailing dot', '127.0.0.1. 0x7f.1. 2130706433.'],
  ['full width', '１２７.0.0.1 ０x7f.1 127。0．0｡1'],
  ['other digits', '①②⑦.⓪.⓪.① 𝟏𝟐𝟕.𝟎.𝟎.𝟏 ¹²⁷.0.0.1'],
  ['percent-encoded', '%31%32%37.0.0.1 127%2e0%2e0%2e1 %30x7f.1'],
  ['with a soft hyphen', '127.0.0.\u00ad1 lo\u00adcalhost'],
  ['localhost', 'localhost LOCALHOST ｌocalhost'],
  ['unspecified', '0.0.0.0 [::] 0.1.2.3'],
  ['IPv6 loopback', '[::1] [0:0:0:0:0:0:0:1] [0000::0001]'],
  ['mapped', '[::ffff:127.0.0.1] [::ffff:7f00:1] [0:0:0:0:0:FFFF:7f00:2] [::ffff:a9fe:a9fe]'],
  ['compatible (RFC 4291, 2.5.5.1)', '[::127.0.0.1] [::7f00:2] [::a9fe:a9fe]'],
  ['translated (RFC 2765)', '[::ffff:0:127.0.0.1] [::ffff:0:7f00:1]'],
  ['NAT64', '[64:ff9b::127.0.0.1] [64:ff9b::a9fe:a9fe] [64:ff9b:1::7f00:1]'],
  ['6to4', '[2002:7f00:1::] [2002:a9fe:a9fe::1] 192.88.99.1'],
  ['Teredo', '[2001::1] [2001:0:7f00:1::] [2001:0:4136:e378:8000:63bf:80ff:fffe]'],
  ['private', '10.0.0.1 10.255.255.255 172.16.0.1 172.31.255.255 192.168.0.1'],
  ['shared (RFC 6598)', '100.64.0.1 100.127.255.255'],
  ['link-local', '169.254.0.1 [fe80::1] [febf::1] [fe80::5efe:7f00:1]'],
  ['site-local', '[fec0::1]'],
  ['unique local', '[fc00::1] [fd00::1] [fdff:ffff::1]'],
  ['multicast', '224.0.0.1 239.255.255.250 [ff02::1] [ff05::2]'],
  ['broadcast, reserved', '255.255.255.255 240.0.0.1 4294967295'],
  ['for protocols', '192.0.0.8 192.0.0.170 [100::1] [2001:20::1] [5f00::1]'],
  ['documentation', '192.0.2.1 198.51.100.1 203.0.113.1 [2001:db8::1] [3fff::1]'],
  ['benchmarks', '198.18.0.1 [2001:2::1]'],
  // IANA has assigned 2000::/3 only.
  ['of nobody', '[4000::1] [8000::1] [1::1]'],
  ['metadata of AWS', '169.254.169.254 169.254.170.2 [fd00:ec2::254]'],
  ['metadata of Google', '[fd20:ce::254]'],
  ['metadata of Azure', '168.63.129.16 [::ffff:168.63.129.16] 2822734096'],
  ['metadata of Alibaba', '100.100.100.200'],
  ['metadata of Oracle', '192.0.0.192 [fd00:c1::a9fe:a9fe]'],
  ['metadata of DigitalOcean', '0xA9FEA9FE [::ffff:169.254.169.254]'],
  ['metadata of Tencent, Scaleway', '169.254.0.23 169.254.42.42 [fd00:42::42]'],
  ['a name', Object.keys(HOSTILE_NAMES).join(' ')],
  ['a name, written else', 'METADATA.google.INTERNAL metadata.goog. metadata。google。internal'],
];

/** Whole URLs; `*` stands for the port of the listeners. */
const URLS: [reason: string, urls: string][] = [
  [PRIVATE, 'HTTP://127.0.0.1:*/ http:127.0.0.1:*/ http:/127.0.0.1:*/ http:\\\\127.0.0.1:*/'],
  [PRIVATE, 'http:////127.0.0.1:*/ http://127.0.0.1:*\\@8.8.8.8/ http://127.0.0.1:*?@8.8.8.8/'],
  [PRIVATE, 'http://127.0.0.1:*#@8.8.8.8/ https://127.0.0.1:*/ https://[::1]:*/ http://127.0.0.1'],
  [PRIVATE, 'http://169.254.169.254/latest/meta-data/ http://169.254.169.254/opc/v2/'],
  [PRIVATE, 'http://169.254.169.254/metadata/v1.json https://metadata.google.internal/'],
  [PORT, 'http://8.8.8.8:22/ http://8.8.8.8:6379/ https://8.8.8.8:5432/ http://8.8.8.8:0/'],
  [PORT, 'http://[2606:4700:4700::1111]:11211/ https://8.8.8.8:8443/ http://public.test:25/'],
  [SCHEME, 'file:///etc/passwd file://127.0.0.1/etc/passwd netdoc:///etc/passwd'],
  [SCHEME, 'gopher://127.0.0.1:*/_x dict://127.0.0.1:*/d ftp://127.0.0.1:*/ sftp://127.0.0.1:*/'],
  [SCHEME, 'ldap://127.0.0.1:*/ ldaps://127.0.0.1:*/ tftp://127.0.0.1:*/ ws://127.0.0.1:*/'],
  [SCHEME, 'jar:http://127.0.0.1:*/!/ view-source:http://127.0.0.1:*/ unix:/var/run/docker.sock'],
  [SCHEME, 'data:text/plain,a javascript:1 about:blank blob:http://127.0.0.1:*/a'],
  [CREDENTIALS, 'http://user@127.0.0.1:*/ http://:secret@127.0.0.1:*/ http://a:b@127.0.0.1:*/'],
  [CREDENTIALS, 'http://8.8.8.8@127.0.0.1:*/ http://8.8.8.8%2f@127.0.0.1:*/'],
  [CREDENTIALS, 'http://8.8.8.8:80@127.0.0.1:*/ https://user@8.8.8.8/'],
  [INVALID, 'http:// http://256.0.0.1/ http://127.0.0.1:70000/ http://127.0.0.1%00:*/'],
  [INVALID, 'http://1.2.3.4.5/ http://0x100000000/ http://[::1 http://[127.0.0.1]/ http://[::1]x/'],
  // Web URLs allow no zone ids (RFC 6874).
  [INVALID, 'http://[fe80::1%25lo]/ http://[::1%25lo]:*/ http://[fe80::1%lo]/'],
  [UNKNOWN, 'http://nobody.invalid/ http://127.0.0.1.nobody.invalid:*/ http://127.0.0.0x1g:*/'],
  [UNKNOWN, 'http://a..b/ http://metadata/'],
];

/** A port at which every connection to these addresses is counted. */
class Listeners {
  connections = 0;
  readonly port: number;
  readonly #servers: Server[];

  private constructor(port: number, servers: Server[]) {
    this.port = port;
    this.#servers = servers;
    for (const server of servers) {
      server.on('connection', (socket) => {
        this.connections += 1;
        socket.destroy();
      });
    }
  }

  static async start(addresses: readonly string[]): Promise<Listeners> {
    for (;;) {
      const servers: Server[] = [];
      try {
        // The system could assign a port that clients of a closed server still try.
        const port = await freePort();
        for (const address of addresses) {
          const server = createServer();
          await once(server.listen(port, address), 'listening');
          servers.push(server);
        }
        return new Listeners(port, servers);
      } catch (error) {
        // Another program uses the port at one of the addresses.
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
        for (const server of servers) server.close();
      }
    }
  }

  stop(): void {
    for (const server of this.#servers) server.close();
  }
}

/** Ports of the tested URLs, besides those of servers of the test. */
const PORTS = [
  80,
  443,
  ...URLS.flatMap(([, urls]) => [...urls.matchAll(/:(\d+)/g)].map(([, port]) => Number(port))),
];

/**
 * Records every address to which this process opens a connection at a tested port. Others are of
 * the service under test, such as new connections to its database.
 */
class Attempts {
  readonly #seen: string[] = [];
  readonly #ports = new Set(PORTS);
  readonly #watch = (message: unknown): void => {
    const { socket } = message as { socket: Socket };
    socket.on('connectionAttempt', (address: string, port: number) => {
      if (this.#ports.has(port)) this.#seen.push(address);
    });
  };

  /** Records attempts at another port too. */
  watch(port: number): void {
    this.#ports.add(port);
  }

  start(): void {
    diagnostics.subscribe('net.client.socket', this.#watch);
  }

  stop(): void {
    diagnostics.unsubscribe('net.client.socket', this.#watch);
  }

  /** Returns the addresses since the last call. */
  take(): string[] {
    return this.#seen.splice(0);
  }
}

describe('forbidden addresses', () => {
  let restore: () => void;
  const attempts = new Attempts();
  let dns: NameServer;
  let listeners: Listeners;
  /** Site on the allowed address. */
  let site: Site;

  before(async () => {
    restore = keepSettings();
    dns = await NameServer.start();
    listeners = await Listeners.start(GUARDED);
    site = await Site.start(ALLOWED);
    setSettings({ OUTBOUND_ALLOW: ALLOWED, DNS_SERVERS: dns.address });
    for (const [name, addresses] of Object.entries(HOSTILE_NAMES)) dns.answer(name, addresses);
    dns.answer(PUBLIC_NAME, ['8.8.8.8', '2606:4700:4700::1111']);
    for (const { port } of [listeners, site]) attempts.watch(port);
    attempts.start();
  });
  beforeEach(() => {
    setSettings({ OUTBOUND_ALLOW: ALLOWED });
    attempts.take();
  });
  after(async () => {
    attempts.stop();
    restore();
    listeners.stop();
    await Promise.all([site.stop(), dns.stop()]);
  });

  const nobodyWasReached = (): void => {
    expect(attempts.take().filter((address) => address !== ALLOWED)).to.deep.equal([]);
    expect(listeners.connections).to.equal(0);
  };

  describe('in any notation', () => {
    const hosts = HOSTS.flatMap(([kind, list]) =>
      list.split(' ').map((host) => ({ kind, reason: PRIVATE, url: `http://${host}:*/` })),
    );
    const urls = URLS.flatMap(([reason, list]) =>
      list.split(' ').map((url) => ({ kind: reason, reason, url })),
    );
    const cases = [...hosts, ...urls];

    it('are many and distinct', () => {
      expect(new Set(cases.map(({ url }) => url)).size).to.equal(cases.length);
      expect(cases.length).to.be.above(180);
    });

    /** Returns the refusal; repeats a look-up once that a busy machine did not finish in time. */
    const lookedUp = async (...args: Parameters<typeof refusal>) => {
      const said = await refusal(...args);
      return said === LOOK_UP ? refusal(...args) : said;
    };

    for (const { kind, reason, url } of cases) {
      it(`refuses ${JSON.stringify(url)}: ${kind}`, async () => {
        const address = url.replaceAll('*', String(listeners.port));
        expect(await lookedUp(address)).to.equal(reason);
        expect(await lookedUp(address, { keepAlive: true, compressed: true })).to.equal(reason);
        nobodyWasReached();
      });

      it(`refuses a redirect to ${JSON.stringify(url)}: ${kind}`, async () => {
        const address = url.replaceAll('*', String(listeners.port));
        // Servers send characters beyond Latin-1 as UTF-8.
        const Location = Buffer.from(address).toString('latin1');
        const said = await lookedUp(site.answer('/away', { status: 302, headers: { Location } }));
        nobodyWasReached();
        // An address without slashes is relative to the site, and non-ASCII characters can be read
        // in several ways.
        const isAbsolute = /^[a-z-]+:[!-~]+$/i.test(url) && !/^http:(?!\/\/)/i.test(url);
        const expected = reason === INVALID ? 'must not redirect to an invalid URL' : reason;
        if (isAbsolute) expect(said).to.equal(expected);
      });
    }

    it('are reached once they are allowed', async () => {
      const counted = await Listeners.start(GUARDED);
      attempts.watch(counted.port);
      setSettings({ OUTBOUND_ALLOW: GUARDED.join() });
      for (const host of ['127.0.0.1', '0x7f.2', '[::1]', 'localtest.test', 'six.test']) {
        expect(await refusal(`http://${host}:${counted.port}/`), host).to.equal(SILENT);
      }
      await eventually(() => expect(counted.connections).to.equal(5));
      expect(attempts.take()).to.deep.equal(['127.0.0.1', '127.0.0.2', '::1', '127.0.0.1', '::1']);
      counted.stop();
    });

    it('do not include public addresses', () => {
      const publicOnes = ['1.1.1.1', '8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8'];
      for (const address of publicOnes) expect(isAllowed(address), address).to.equal(true);
    });
  });

  describe('by name', () => {
    const url = (name: string, path = '/'): string => `http://${name}:${site.port}${path}`;

    before(() => {
      site.answer('/', { body: 'reached' });
    });

    it('are checked at the connection: one look-up for one connection', async () => {
      dns.answer('once.test', [ALLOWED], ['127.0.0.2']);
      expect((await get(url('once.test'))).body.toString()).to.equal('reached');
      expect(dns.lookups('once.test')).to.equal(1);
      expect(attempts.take()).to.deep.equal([ALLOWED]);
    });

    it('are checked at every look-up: allowed, then forbidden, then allowed', async () => {
      dns.answer('turns.test', [ALLOWED], ['127.0.0.2'], ['::1'], [ALLOWED], ['169.254.169.254']);
      const said = [];
      for (let at = 0; at < 5; at += 1) said.push(await refusal(url('turns.test')));
      expect(said).to.deep.equal([
        'not refused: 200',
        PRIVATE,
        PRIVATE,
        'not refused: 200',
        PRIVATE,
      ]);
      nobodyWasReached();
    });

    it('are checked again after a redirect to the same name', async () => {
      site.answer('/again', { status: 302, headers: { Location: '/again' } });
      dns.answer('again.test', [ALLOWED], ['127.0.0.2']);
      expect(await refusal(url('again.test', '/again'))).to.equal(PRIVATE);
      expect(site.requests('/again')).to.equal(1);
      expect(dns.lookups('again.test')).to.equal(2);
      nobodyWasReached();
    });

    it('are checked again after a redirect to another name', async () => {
      dns.answer('first.test', [ALLOWED]);
      for (const address of ['127.0.0.1', '::1', '169.254.169.254', '10.0.0.1']) {
        dns.answer('second.test', [ALLOWED], [address]);
        const there = url('second.test');
        site.answer('/hop', { status: 302, headers: { Location: there } });
        expect(await refusal(url('first.test', '/hop'))).to.equal('not refused: 200');
        expect(await refusal(url('first.test', '/hop')), address).to.equal(PRIVATE);
      }
      nobodyWasReached();
    });

    it('are refused when any address of the name is forbidden', async () => {
      const before = site.requests();
      for (const addresses of [
        [ALLOWED, '127.0.0.2'],
        ['127.0.0.2', ALLOWED],
        [ALLOWED, '::1'],
        [ALLOWED, '::ffff:127.0.0.2'],
        [ALLOWED, ALLOWED, ALLOWED, '10.0.0.1'],
        ['8.8.8.8', '10.0.0.1'],
        ['8.8.8.8', 'fd00:ec2::254'],
        ['2606:4700:4700::1111', '127.0.0.1'],
      ]) {
        dns.answer('mixed.test', addresses);
        expect(await refusal(url('mixed.test')), addresses.join()).to.equal(PRIVATE);
      }
      expect(site.requests()).to.equal(before);
      nobodyWasReached();
    });

    it('are reached at web ports only, unless the operator allows every address', async () => {
      dns.answer('ports.test', ['8.8.8.8'], [ALLOWED, '8.8.8.8']);
      expect(await refusal('http://ports.test:22/')).to.equal(PORT);
      expect(await refusal(url('ports.test'))).to.equal(PORT);
      nobodyWasReached();
    });

    it('are checked through a CNAME', async () => {
      dns.answer('alias.test', { cname: 'alias2.test' });
      dns.answer('alias2.test', { cname: 'inner.test' });
      dns.answer('inner.test', [ALLOWED], ['127.0.0.1'], [ALLOWED, '::1']);
      expect(await refusal(url('alias.test'))).to.equal('not refused: 200');
      expect(await refusal(url('alias.test'))).to.equal(PRIVATE);
      expect(await refusal(url('alias.test'))).to.equal(PRIVATE);
      dns.answer('inner.test', []);
      expect(await refusal(url('alias.test'))).to.equal(UNKNOWN);
      nobodyWasReached();
    });

    it('are tried in turn when one does not respond', async () => {
      setSettings({ OUTBOUND_ALLOW: `${ALLOWED},127.0.0.4` });
      dns.answer('several.test', ['127.0.0.4', ALLOWED]);
      expect((await get(url('several.test'))).body.toString()).to.equal('reached');
      expect(attempts.take()).to.deep.equal(['127.0.0.4', ALLOWED]);
    });

    it('are reached by a name that the operator allows, and by no other', async () => {
      dns.answer('named.test', ['127.0.0.4']);
      dns.answer('other.test', ['127.0.0.4']);
      setSettings({ OUTBOUND_ALLOW: `${ALLOWED},Named.test` });
      expect(await refusal(url('named.test'))).to.equal(SILENT);
      expect(attempts.take()).to.deep.equal(['127.0.0.4']);
      expect(await refusal(url('other.test'))).to.equal(PRIVATE);
      expect(await refusal(url('127.0.0.4'))).to.equal(PRIVATE);
      nobodyWasReached();
    });

    it('are not looked up at a name server for localhost', async () => {
      dns.answer('localhost', [ALLOWED]);
      dns.answer('a.localhost', [ALLOWED]);
      expect(await refusal(url('localhost'))).to.equal(PRIVATE);
      expect(await refusal(url('a.localhost'))).to.be.oneOf([PRIVATE, UNKNOWN]);
      expect([dns.lookups('localhost'), dns.lookups('a.localhost')]).to.deep.equal([0, 0]);
      nobodyWasReached();
      setSettings({ OUTBOUND_ALLOW: '127.0.0.1,::1' });
      expect(await refusal('http://localhost:9/')).to.equal(SILENT);
      attempts.take();
    });

    it('are resolved by the system when no name server is configured', async () => {
      setSettings({ DNS_SERVERS: '' });
      try {
        expect(await refusal(url('localhost'))).to.equal(PRIVATE);
        nobodyWasReached();
      } finally {
        setSettings({ DNS_SERVERS: dns.address });
      }
    });
  });

  describe('without a response of the name server', () => {
    const url = (name: string): string => `http://${name}:${site.port}/`;

    it('are distinguished from unknown names', async () => {
      dns.answer('nothing.test', []);
      dns.answer('fails.test', { failure: 'SERVFAIL' });
      dns.answer('gone.test', { failure: 'NXDOMAIN' });
      expect(await refusal(url('nothing.test'))).to.equal(UNKNOWN);
      expect(await refusal(url('gone.test'))).to.equal(UNKNOWN);
      expect(await refusal(url('fails.test'))).to.equal(LOOK_UP);
    });

    it('have the timeout of the request', async () => {
      dns.answer('silent.test', { silentOn: ['A', 'AAAA'] });
      const start = Date.now();
      for (const keepAlive of [false, true]) {
        expect(await refusal(url('silent.test'), { timeoutMs: 300, keepAlive })).to.equal(
          'must respond completely within 0.3 s',
        );
      }
      expect(Date.now() - start).to.be.below(5_000);
    });

    it('are given up before the timeout of the connection', async function () {
      dns.answer('silent.test', { silentOn: ['A', 'AAAA'] });
      expect(await refusal(url('silent.test'), { timeoutMs: 14_000 })).to.equal(LOOK_UP);
    });

    it('may be slow', async () => {
      dns.answer('slow.test', { addresses: [ALLOWED], delayMs: 200 });
      expect((await get(url('slow.test'))).status).to.equal(200);
      dns.answer('slow.test', { addresses: ['127.0.0.2'], delayMs: 200 });
      expect(await refusal(url('slow.test'))).to.equal(PRIVATE);
    });

    it('do not delay the addresses of the other family', async () => {
      dns.answer('half.test', { addresses: [ALLOWED], silentOn: ['AAAA'] });
      expect((await get(url('half.test'))).status).to.equal(200);
      dns.answer('half.test', { addresses: ['::1'], silentOn: ['A'] });
      expect(await refusal(url('half.test'))).to.equal(PRIVATE);
      nobodyWasReached();
    });

    it('are refused when the name server is unavailable', async () => {
      const gone = await NameServer.start();
      setSettings({ DNS_SERVERS: gone.address });
      await gone.stop();
      try {
        expect(await refusal(url('away.test'))).to.equal(LOOK_UP);
      } finally {
        setSettings({ DNS_SERVERS: dns.address });
      }
    });
  });
});
