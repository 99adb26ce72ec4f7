import { expect } from 'chai';
import { AddressSet } from '../../src/infra/ip.ts';
import { networkOf, normalizeNetwork } from '../../src/infra/network.ts';

describe('the network of an address', () => {
  const CASES: [address: string, network: string][] = [
    ['192.0.2.1', '192.0.2.1'],
    ['::ffff:192.0.2.1', '192.0.2.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['2001:0db8:0001:0002::1', '2001:db8:1:2::/64'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['', ''],
  ];
  for (const [address, network] of CASES) {
    it(`of "${address}" is "${network}"`, () => expect(networkOf(address)).to.equal(network));
  }
});

describe('a network in CIDR notation', () => {
  const NETWORKS: [text: string, network: string | undefined][] = [
    ['203.0.113.9', '203.0.113.9/32'],
    ['203.0.113.9/32', '203.0.113.9/32'],
    ['203.0.113.9/24', '203.0.113.0/24'],
    ['203.0.113.129/25', '203.0.113.128/25'],
    ['255.255.255.255/1', '128.0.0.0/1'],
    ['1.2.3.4/0', '0.0.0.0/0'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['2001:0db8:0:0:1:0:0:1/128', '2001:db8::1:0:0:1/128'],
    ['2001:db8:ffff::1/33', '2001:db8:8000::/33'],
    ['::/0', '::/0'],
    ['::ffff:203.0.113.9', '203.0.113.9/32'],
    ['::ffff:203.0.113.9/120', '203.0.113.0/24'],
    ['::ffff:203.0.113.9/95', '::fffe:0:0/95'],
    ['', undefined],
    ['/24', undefined],
    ['203.0.113.9/', undefined],
    ['203.0.113.9/33', undefined],
    ['203.0.113.9/-1', undefined],
    ['203.0.113.9/2.5', undefined],
    ['203.0.113.9/24/8', undefined],
    ['203.0.113.9 /24', undefined],
    ['203.0.113', undefined],
    ['0xcb007109', undefined],
    ['3405803785', undefined],
    ['0313.0.0161.011', undefined],
    ['203.0.113.0-203.0.113.255', undefined],
    ['203.0.113.*', undefined],
    ['2001:db8::1/129', undefined],
    ['fe80::1%eth0', undefined],
    ['[2001:db8::1]', undefined],
    ['example.com', undefined],
  ];
  for (const [text, network] of NETWORKS) {
    it(`"${text}" is ${network ?? 'refused'}`, () =>
      expect(normalizeNetwork(text)).to.equal(network));
  }

  it('has its first and its last address, and not those beside them', () => {
    const set = new AddressSet([
      '203.0.113.64/26',
      '192.0.2.1/32',
      '2001:db8:8000::/33',
      '10.0.0.0/8',
    ]);
    for (const ip of [
      '203.0.113.64',
      '203.0.113.127',
      '192.0.2.1',
      '2001:db8:8000::',
      '2001:db8:ffff:ffff:ffff:ffff:ffff:ffff',
      '10.255.255.255',
    ]) {
      expect(set.has(ip), ip).to.equal(true);
    }
    for (const ip of [
      '203.0.113.63',
      '203.0.113.128',
      '192.0.2.0',
      '192.0.2.2',
      '2001:db8:7fff:ffff::1',
      '2001:db9::',
      '11.0.0.0',
      '',
      'unknown',
    ]) {
      expect(set.has(ip), ip).to.equal(false);
    }
    expect(new AddressSet(['0.0.0.0/0']).has('255.0.0.1')).to.equal(true);
    expect(new AddressSet(['0.0.0.0/0']).has('::1')).to.equal(false);
    expect(new AddressSet([]).has('127.0.0.1')).to.equal(false);
  });
});
