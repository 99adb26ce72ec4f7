import { expect } from 'chai';
import {
  NetworkTable,
  readNetworks,
  readSections,
  SHIPPED_NETWORKS,
} from '../../src/visitors/networks.ts';
import { HEADER_RULES, Suspects, type SuspectVisit } from '../../src/visitors/suspects.ts';
import { trafficOf } from '../../src/visitors/traffic.ts';
import { RECORDED_VISITS, type RecordedVisit } from '../data/recorded-visits.ts';
import { browser } from '../support/browser.ts';

const OF = { projectId: 'ws_1', linkId: 'link_1' };

describe('suspects', () => {
  let networks: NetworkTable;

  before(() => {
    networks = new NetworkTable(readNetworks(SHIPPED_NETWORKS));
  });

  it('are at most 1 % of people, and at least 95 % of scanners', () => {
    const suspects = new Suspects(networks);
    const marked = new Map<RecordedVisit, string>();
    for (const visit of RECORDED_VISITS.toSorted((a, b) => a.at - b.at)) {
      const { headers, ip, isSecure, linkId, at } = visit;
      const userAgent = headers['user-agent']!;
      expect(trafficOf(headers, userAgent).class, visit.kind).to.equal('person');
      const reason = suspects.reasonOf(
        { headers, userAgent, ip, isSecure },
        { projectId: visit.label, linkId },
        at,
      );
      if (reason !== undefined) marked.set(visit, reason);
    }
    const shareOf = (label: RecordedVisit['label']) => {
      const all = RECORDED_VISITS.filter((visit) => visit.label === label);
      return all.filter((visit) => marked.has(visit)).length / all.length;
    };
    expect(RECORDED_VISITS.length).to.be.at.least(500);
    const people = [...marked].filter(([{ label }]) => label === 'person');
    expect(shareOf('person'), JSON.stringify(people)).to.be.at.most(0.01);
    const missed = RECORDED_VISITS.filter((one) => one.label === 'scanner' && !marked.has(one));
    expect(shareOf('scanner'), missed.map(({ kind }) => kind).join()).to.be.at.least(0.95);
    // Each rule finds scanners that no other finds.
    const reasons = new Set([...marked.values()].map((reason) => reason.replace(/:.*/, '')));
    expect([...reasons]).to.have.members([
      'network',
      'burst',
      ...HEADER_RULES.map(({ reason }) => reason),
    ]);
  });

  it('are not among private addresses', () => {
    const suspects = new Suspects(networks);
    const userAgent = browser();
    for (const ip of [
      '127.0.0.1',
      '10.1.2.3',
      '172.16.0.1',
      '192.168.7.7',
      '169.254.1.1',
      '::1',
      'fd00::1',
    ]) {
      const visit = { headers: {}, userAgent, ip, isSecure: false };
      expect(suspects.reasonOf(visit, OF, 1_000), ip).to.equal(undefined);
      expect(suspects.reasonOf(visit, { ...OF, linkId: 'link_2' }, 1_001), ip).to.equal(undefined);
    }
    const visit = { headers: {}, userAgent, ip: '192.0.2.1', isSecure: false };
    expect(suspects.reasonOf(visit, OF, 1_000)).to.equal('no-accept-language');
  });

  describe('by a burst', () => {
    const visit: SuspectVisit = {
      headers: { 'accept-language': 'de' },
      userAgent: 'Mozilla/5.0',
      ip: '192.0.2.1',
      isSecure: false,
    };
    const afterOne = (change: Partial<SuspectVisit>, of: Partial<typeof OF>, at: number) => {
      const suspects = new Suspects(networks);
      expect(suspects.reasonOf(visit, OF, 1_000)).to.equal(undefined);
      return suspects.reasonOf({ ...visit, ...change }, { ...OF, ...of }, at);
    };

    it('open another link of the workspace within half a second', () => {
      expect(afterOne({}, { linkId: 'link_2' }, 1_500)).to.equal('burst');
    });

    it('are not those who open the same link, later, or as somebody else', () => {
      expect(afterOne({}, {}, 1_100)).to.equal(undefined);
      expect(afterOne({}, { linkId: 'link_2' }, 1_501)).to.equal(undefined);
      expect(afterOne({ ip: '192.0.2.2' }, { linkId: 'link_2' }, 1_100)).to.equal(undefined);
      expect(afterOne({ userAgent: 'x' }, { linkId: 'link_2' }, 1_100)).to.equal(undefined);
      expect(afterOne({}, { projectId: 'ws_2', linkId: 'link_2' }, 1_100)).to.equal(undefined);
    });
  });
});

describe('networks', () => {
  const TEXT = `# a comment

[One] https://example.com/one.json
192.0.2.0/24
2001:db8::/32
[Two]
198.51.100.128/25
192.0.2.7/32
2001:db8:1::/48
2001:db9:0:8000::/49
255.255.255.255/32
0.0.0.0/8
`;

  it('are found by owner, the widest first', () => {
    const table = new NetworkTable(readSections(TEXT));
    const owners: [ip: string, owner: string | undefined][] = [
      ['192.0.1.255', undefined],
      ['192.0.2.0', 'One'],
      ['192.0.2.7', 'One'],
      ['192.0.2.255', 'One'],
      ['192.0.3.0', undefined],
      ['198.51.100.127', undefined],
      ['198.51.100.128', 'Two'],
      ['255.255.255.255', 'Two'],
      ['255.255.255.254', undefined],
      ['0.1.2.3', 'Two'],
      ['2001:db7:ffff:ffff:ffff:ffff:ffff:ffff', undefined],
      ['2001:db8::', 'One'],
      ['2001:DB8:1::1', 'One'],
      ['2001:db8:ffff:ffff:ffff:ffff:ffff:ffff', 'One'],
      ['2001:db9::1', undefined],
      ['2001:db9:0:7fff::1', undefined],
      ['2001:db9:0:8000::1', 'Two'],
      ['2001:db9:0:ffff:1:2:3:4', 'Two'],
      ['2001:db9:1::', undefined],
      ['::1', undefined],
      ['2001:db8:0:0:1:2:3:4', 'One'],
      ['2001:db9:0:8000::', 'Two'],
      ['2001:db9::8000:1:2:3:4', 'Two'],
      ['2001:db9::8000:1:2:3', undefined],
      ['::2001:db8:0:0', undefined],
      ['2001:db8::192.0.2.1', 'One'],
      ['::ffff:192.0.2.1', undefined],
      ['', undefined],
      ['text', undefined],
    ];
    for (const [ip, owner] of owners) expect(table.ownerOf(ip), ip).to.equal(owner);
  });

  it('are refused in another format', () => {
    expect(() => readSections('192.0.2.0/24')).to.throw('line 1 must be [owner]');
    for (const line of ['192.0.2.0', '192.0.2.0/33', '2001:db8::/65', '2001::/200', 'x', '[x']) {
      const sections = readSections(`[One]\n${line}`);
      expect(() => new NetworkTable(sections), line).to.throw(`${line} is not a network`);
    }
  });

  it('that are shipped have a source or a comment, and no addresses of people or tests', () => {
    const sections = readNetworks(SHIPPED_NETWORKS);
    expect(sections.length).to.be.at.least(10);
    const table = new NetworkTable(sections);
    for (const { networks } of sections) expect(networks.length).to.be.at.least(2);
    const people = ['192.0.2.1', '198.51.100.1', '203.0.113.1', '127.0.0.1', '10.1.2.3', '::1'];
    // iCloud Private Relay, Cloudflare WARP, Deutsche Telekom, Comcast, Zscaler.
    people.push('172.224.226.1', '104.28.30.1', '2a02:26f7::1', '84.160.1.1', '73.1.1.1');
    people.push('165.225.72.1', '2001:db8::1', 'fd00::1');
    for (const ip of people) expect(table.ownerOf(ip), ip).to.equal(undefined);
    expect(table.ownerOf('40.94.16.1')).to.equal('Microsoft');
    expect(table.ownerOf('2600:1f18:1::1')).to.equal('Amazon');
    expect(table.ownerOf('2600:1900::1')).to.equal('Google Cloud');
  });
});
