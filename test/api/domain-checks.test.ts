import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { type Findings, withActions } from '../../src/domains/advice.ts';
import { checkReachable } from '../../src/domains/checks.ts';
import { DNS_HOSTS, dnsHostOf } from '../../src/domains/dns-hosts.ts';
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
    const address = { purpose: 'address', name: host, hostField: null };
    expect(checks.records).to.deep.equal([
      { purpose: 'ownership', ...domain.verification, hostField: null, isAlternative: false },
      { ...address, type: 'CNAME', value: TARGET, isAlternative: false },
      { ...address, type: 'A', value: '198.51.100.7', isAlternative: true },
      { ...address, type: 'AAAA', value: '2001:db8::7', isAlternative: true },
    ]);
    expect(checks.verification.status).to.equal('missing');
    expect(checks.dns).to.deep.equal({
      status: 'missing',
      reason: `${host} has no DNS record yet.`,
      action: `${host.slice('go.'.length)} has no name servers: check the spelling, or register it.`,
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
    expect(checks.verification).to.deep.equal({ status: 'found', reason: null, action: null });
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
    const { body: own } = await api.get(`/domains/${here}/checks`);
    expect(own.dns.status).to.equal('ok');
    // Nothing is known about a service in a private network, which its visitors may well reach.
    const reason = 'Private IP addresses are not requested.';
    const unchecked = { reason, action: null };
    expect(own.reachable).to.deep.equal({ status: 'skipped', ...unchecked });
    expect(own.certificate).to.deep.equal({ status: 'unknown', ...unchecked });
    const { body } = await api.get(`/domains/${elsewhere}/checks`);
    expect(body.dns).to.include({ status: 'other', reason: `${elsewhere} leads to 10.0.0.1.` });
    // The check sends no request to a private address.
    expect(body.reachable).to.deep.equal({
      status: 'failed',
      reason: 'The domain must not point to a private IP address.',
      action: 'Correct the DNS record first.',
    });
  });

  describe('recognizes the DNS host', () => {
    const checksOf = async (host: string) => {
      const { api } = await aWorkspace();
      await api.post('/domains', { slug: host });
      const { status, body } = await api.get(`/domains/${host}/checks`);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    const addresses = (records: { purpose: string; type: string; isAlternative: boolean }[]) =>
      records
        .filter(({ purpose }) => purpose === 'address')
        .map(({ type, isAlternative }) => `${isAlternative ? 'or ' : ''}${type}`);

    it('by the name servers of the zone, also of an alias, with the words of its form', async () => {
      stack().dns.answer('cf.example', {
        nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
      });
      stack().dns.answer('go.cf.example', { cname: 'elsewhere.example' });
      stack().dns.answer('elsewhere.example', {
        addresses: ['104.16.0.1'],
        nameServers: ['ns1.porkbun.com'],
      });
      const { dnsHost, records, dns } = await checksOf('go.cf.example');
      expect(dnsHost).to.deep.equal({
        name: 'Cloudflare',
        url: 'https://dash.cloudflare.com/?to=/:account/cf.example/dns/records',
        note: 'Set “Proxy status” to “DNS only”.',
        zone: 'cf.example',
        nameServers: ['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com'],
      });
      expect(records.map(({ hostField }: { hostField: string }) => hostField)).to.deep.equal([
        '_shortlinks.go',
        'go',
        'go',
        'go',
      ]);
      expect(dns.action).to.equal('Set “Proxy status” to “DNS only” at Cloudflare.');
    });

    it('and shows records that the root of a zone can have there', async () => {
      const servers: [host: string, server: string, field: string, types: string[]][] = [
        ['cloudflare', 'ada.ns.cloudflare.com', '@', ['CNAME', 'or A', 'or AAAA']],
        ['porkbun', 'curitiba.ns.porkbun.com', '', ['A', 'AAAA', 'or ALIAS']],
        ['route53', 'ns-1.awsdns-01.co.uk', '', ['A', 'AAAA']],
        ['unknown', 'ns1.unknown.example', '@', ['A', 'AAAA', 'or ALIAS']],
      ];
      for (const [name, server, field, types] of servers) {
        const host = `${name}-root.example`;
        stack().dns.answer(host, { nameServers: [server] });
        const { dnsHost, records } = await checksOf(host);
        expect(dnsHost.zone).to.equal(host);
        expect(dnsHost.name === null, name).to.equal(name === 'unknown');
        expect(records.at(-1).hostField, name).to.equal(field);
        expect(addresses(records), name).to.deep.equal(types);
      }
    });

    it('with one pattern for each name server', () => {
      const known: Record<string, string> = {
        'ada.ns.cloudflare.com': 'Cloudflare',
        'ns-2048.awsdns-64.com': 'Amazon Route 53',
        'ns01.domaincontrol.com': 'GoDaddy',
        'dns1.registrar-servers.com': 'Namecheap',
        'ns-1-a.gandi.net': 'Gandi',
        'ns-cloud-a1.googledomains.com': 'Squarespace or Google Cloud',
        'ns1045.ui-dns.de': 'IONOS',
        'hydrogen.ns.hetzner.com': 'Hetzner',
        'dns10.ovh.net': 'OVHcloud',
        'docks12.rzone.de': 'STRATO',
        'maceio.ns.porkbun.com': 'Porkbun',
        'ns1.digitalocean.com': 'DigitalOcean',
        'ns1.vercel-dns.com': 'Vercel',
        'dns1.p04.nsone.net': 'NS1 or Netlify',
        'ns1-01.azure-dns.com': 'Azure DNS',
        'ns1.dnsimple.com': 'DNSimple',
        'ns1.hover.com': 'Hover',
        'ns1.name.com': 'Name.com',
      };
      for (const [server, name] of Object.entries(known)) {
        const matching = DNS_HOSTS.filter(({ servers }) => servers.test(server));
        expect(
          matching.map((host) => host.name),
          server,
        ).to.deep.equal([name]);
      }
      expect(Object.values(known)).to.have.members(DNS_HOSTS.map(({ name }) => name));
      expect(dnsHostOf(['ADA.ns.Cloudflare.com'])?.name).to.equal('Cloudflare');
      expect(dnsHostOf(['ada.ns.cloudflare.com', 'ns1.hover.com'])).to.equal(undefined);
      expect(dnsHostOf(['ada.ns.cloudflare.com.evil.example'])).to.equal(undefined);
      expect(dnsHostOf([])).to.equal(undefined);
    });
  });

  it('names no zone above the name that a registrar sells', async () => {
    const { api, slug } = await aWorkspace();
    const name = `${slug}.co.uk`;
    stack().dns.answer('co.uk', { nameServers: ['ns1.nic.uk'] });
    await api.post('/domains', { slug: `go.${name}` });
    const read = async () => (await api.get(`/domains/go.${name}/checks`)).body;
    const { dnsHost, verification, dns } = await read();
    expect(dnsHost).to.equal(null);
    const action = `${name} has no name servers: check the spelling, or register it.`;
    expect([verification.action, dns.action]).to.deep.equal([action, action]);

    stack().dns.answer(name, { nameServers: ['ns1.name.com'] });
    await api.post('/domains', { slug: `shop.${name}` });
    const { body } = await api.get(`/domains/shop.${name}/checks`);
    expect(body.dnsHost).to.include({ name: 'Name.com', zone: name });
    expect(body.dns.action).to.equal(
      'Add the record of the domain at Name.com. DNS changes can take some minutes to be visible.',
    );
  });

  it('blames no DNS record that it could not check', () => {
    const findings: Findings = {
      verification: { status: 'verified', reason: null },
      dns: { status: 'unknown', reason: null, found: [{ type: 'A', value: '192.0.2.1' }] },
      reachable: { status: 'failed', reason: null },
      certificate: { status: 'unknown', reason: null },
    };
    const actionOf = (hasTarget: boolean, dns: Findings['dns']['status'] = 'unknown') =>
      withActions({ ...findings, dns: { ...findings.dns, status: dns } }, { hasTarget }).reachable
        .action;
    expect(actionOf(true)).to.equal(null);
    expect(actionOf(false)).to.equal(
      'Ask your administrator to set DNS_TARGET, so that the DNS record can be checked.',
    );
    for (const status of ['other', 'missing'] as const) {
      expect(actionOf(true, status)).to.equal('Correct the DNS record first.');
    }
  });

  it('names the value of a TXT record that is not the right one', async () => {
    const { api, slug } = await aWorkspace();
    const { body: domain } = await api.post('/domains', { slug: `go.${slug}.example` });
    const { name, value } = domain.verification;
    stack().dns.records.set(name, 'shortlinks-verify=of-another');
    const { body } = await api.get(`/domains/${domain.id}/checks`);
    expect(body.verification).to.include({
      status: 'missing',
      reason: `The TXT record "${name}" has the value "shortlinks-verify=of-another" instead of "${value}".`,
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

  it('has another status with an expired certificate than with an untrusted one', async () => {
    const key = readFileSync('test/data/tls/localhost.key');
    for (const [file, status] of [
      ['expired', 'expired'],
      ['localhost', 'invalid'],
    ] as const) {
      const cert = readFileSync(`test/data/tls/${file}.crt`);
      const server = createServer({ key, cert });
      await once(server.listen(0, '127.0.0.1'), 'listening');
      try {
        const { port } = server.address() as AddressInfo;
        const { certificate } = await checkReachable(
          `https://127.0.0.1:${port}`,
          `http://127.0.0.1:${stack().redirectPort}`,
        );
        expect(certificate.status, file).to.equal(status);
      } finally {
        server.close();
      }
    }
  });
});
