import { expect } from 'chai';
import { networkOf } from '../../src/infra/network.ts';

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
