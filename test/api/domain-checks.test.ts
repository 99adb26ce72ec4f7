import { expect } from 'chai';
import { checkReachable } from '../../src/domains/checks.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const TARGET = 'links.target.example';

describe('GET /domains/{id}/checks', () => {
  before(() => stack().dns.answer(TARGET, ['198.51.100.7', '2001:db8::7']));

  /** Creates a domain, and reads its checks. */
  async function aDomain() {
    const { api, slug } = await aWorkspace();
    const host = `go.${slug}.example`;
    const { body: domain } = await api.post('/domains', { slug: host });
    const { status, body: checks } = await api.get(`/domains/${domain.id}/checks`);
    expect(status).to.equal(200);
    return { api, host, domain, checks };
  }

  it('names the records to set, and that none is there', async () => {
    const { host, domain, checks } = await aDomain();
    const address = { purpose: 'address', name: host };
    expect(checks.records).to.deep.equal([
      { purpose: 'ownership', ...domain.verification, isAlternative: false },
      { ...address, type: 'CNAME', value: TARGET, isAlternative: false },
      { ...address, type: 'A', value: '198.51.100.7', isAlternative: true },
      { ...address, type: 'AAAA', value: '2001:db8::7', isAlternative: true },
    ]);
    expect(checks.verification.status).to.equal('missing');
    expect(checks.dns).to.deep.equal({
      status: 'missing',
      reason: `${host} has no DNS record yet.`,
      found: [],
    });
    expect([checks.reachable.status, checks.certificate.status]).to.deep.equal([
      'skipped',
      'unknown',
    ]);
  });

  it('finds records that are set, and is kept for some seconds', async () => {
    const { api, slug } = await aWorkspace();
    const host = `alias.${slug}.example`;
    const { body: domain } = await api.post('/domains', { slug: host });
    stack().dns.records.set(domain.verification.name, domain.verification.value);
    stack().dns.answer(host, { cname: TARGET });
    const { body: checks } = await api.get(`/domains/${host}/checks`);
    expect(checks.verification).to.deep.equal({ status: 'found', reason: null });
    expect(checks.dns.status).to.equal('ok');
    expect(checks.dns.found).to.deep.equal([
      { type: 'CNAME', value: TARGET },
      { type: 'A', value: '198.51.100.7' },
      { type: 'AAAA', value: '2001:db8::7' },
    ]);
    await api.post(`/domains/${host}/verify`);
    const { body: verified } = await api.get(`/domains/${host}/checks`);
    expect(verified.verification.status).to.equal('verified');
    expect(verified.records.map(({ type }: { type: string }) => type)).to.deep.equal([
      'CNAME',
      'A',
      'AAAA',
    ]);
  });

  it('takes the addresses of the service for its name, and tells of others', async () => {
    const { api, slug } = await aWorkspace();
    const [here, elsewhere] = [`here.${slug}.example`, `elsewhere.${slug}.example`];
    stack().dns.answer(here, ['198.51.100.7']);
    stack().dns.answer(elsewhere, ['10.0.0.1']);
    for (const host of [here, elsewhere]) await api.post('/domains', { slug: host });
    expect((await api.get(`/domains/${here}/checks`)).body.dns.status).to.equal('ok');
    const { body } = await api.get(`/domains/${elsewhere}/checks`);
    expect(body.dns).to.include({ status: 'other', reason: `${elsewhere} leads to 10.0.0.1.` });
    // The check sends no request to a private address.
    expect(body.reachable).to.deep.equal({
      status: 'failed',
      reason: 'The domain must not point to a private IP address.',
    });
  });

  it('says where no name server answers', async () => {
    const { api, slug } = await aWorkspace();
    const host = `broken.${slug}.example`;
    stack().dns.answer(host, { failure: 'SERVFAIL' });
    await api.post('/domains', { slug: host });
    const { body } = await api.get(`/domains/${host}/checks`);
    expect(body.dns).to.include({
      status: 'unknown',
      reason: 'No name server answers for this domain.',
    });
  });
});

describe('the server of a domain', () => {
  it('is recognized as of this installation, or as another one', async () => {
    const ours = `http://127.0.0.1:${stack().redirectPort}`;
    const site = await Site.start();
    try {
      const other = await checkReachable(site.url, site.url);
      expect(other.reachable.status).to.equal('other');
      const own = await checkReachable('https://127.0.0.1:1', ours);
      expect(own.reachable).to.deep.equal({ status: 'ok', reason: null });
      expect(own.certificate.status).to.equal('unknown');
    } finally {
      await site.stop();
    }
  });
});
