import { pbkdf2 } from 'node:crypto';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { parseHosts, readIfChanged } from '../../src/infra/names.ts';
import { NameServer } from '../support/name-server.ts';
import { get } from '../support/outbound.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';

describe('look-ups of names', () => {
  let site: Site;
  let dns: NameServer;
  let restore: () => void;

  before(async () => {
    restore = keepSettings();
    site = await Site.start();
    dns = await NameServer.start();
    setSettings({ OUTBOUND_ALLOW: '127.0.0.1', DNS_SERVERS: dns.address });
  });

  after(async () => {
    restore();
    await site.stop();
    await dns.stop();
  });

  for (const [what, name] of [
    ['localhost', 'localhost'],
    ['a name of a name server', 'site.test'],
  ] as const) {
    it(`use no thread of the pool: ${what} is fetched while all of them are busy`, async () => {
      dns.answer('site.test', ['127.0.0.1']);
      site.answer('/page', { body: 'page' });
      let isBusy = true;
      const hash = () => promisify(pbkdf2)('password', 'salt', 300_000, 64, 'sha512');
      // The thread pool has four threads, so the fifth task waits.
      const busy = Promise.all(Array.from({ length: 5 }, hash)).then(() => {
        isBusy = false;
      });

      const { status } = await get(`http://${name}:${site.port}/page`);

      expect(status).to.equal(200);
      expect(isBusy).to.equal(true);
      await busy;
    });
  }

  it('read the hosts file', () => {
    const hosts = parseHosts(
      '# names\n127.0.0.1 localhost\n::1\tlocalhost ip6-localhost # loopback\n10.0.0.7  Shop.Internal shop\nnonsense x\n\n10.0.0.7 shop',
    );
    expect([...hosts]).to.deep.equal([
      ['localhost', ['127.0.0.1', '::1']],
      ['ip6-localhost', ['::1']],
      ['shop.internal', ['10.0.0.7']],
      ['shop', ['10.0.0.7']],
    ]);
  });

  it('work without a hosts file, or with one that cannot be read', () => {
    expect(readIfChanged('/nowhere/hosts', 0)).to.deep.equal({ text: '', changed: -1 });
    // Reading a directory fails after a successful `stat`, as does reading a file without
    // permission.
    expect(readIfChanged(tmpdir(), 0)).to.deep.equal({ text: '', changed: -1 });
    const { text, changed } = readIfChanged('/etc/hosts', 0);
    expect(text).to.be.a('string');
    expect(readIfChanged('/etc/hosts', changed)).to.deep.equal({ changed });
  });
});
