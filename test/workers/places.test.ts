import { renameSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { reloadConfig } from '../../src/config.ts';
import { placesOwner } from '../../src/visitors/places.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { mmdb } from '../support/mmdb.ts';
import { PLACES, stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

describe('the database of places', () => {
  it('is read again when its file was replaced, and kept while it is damaged', async () => {
    const world = await aWorkspace();
    const { body: link } = await world.api.post('/links', { url: 'https://example.com/' });
    const file = path.join(stack().dataDir, 'places.mmdb');
    const replaceBy = (content: Buffer) => {
      writeFileSync(`${file}.new`, content);
      renameSync(`${file}.new`, file);
    };
    let visitor = 0;
    const countriesOf = async (ip: string) => {
      visitor += 1;
      const headers = { 'x-forwarded-for': ip };
      await world.visit(`/${link.key}`, { headers, userAgent: browser(visitor) });
      const { body } = await world.api.get('/analytics', { groupBy: 'countries' });
      return body.map(({ country }: { country: string }) => country);
    };
    replaceBy(Buffer.from('no database'));
    const added = { cidr: '198.18.7.0/24', record: { country_code: 'NZ', state1: '', city: '' } };
    await eventually(() => {
      const logged = stack().lines.filter((line) => line.includes('database of places could not'));
      expect(logged).not.to.deep.equal([]);
    });
    await eventually(async () => {
      expect(await countriesOf('192.0.2.1')).to.deep.equal(['DE']);
    });
    replaceBy(mmdb([...PLACES, added]));
    await eventually(async () => {
      expect(await countriesOf('198.18.7.1')).to.include('NZ');
    });
    expect(await countriesOf('192.0.2.1')).to.include('DE');
  });

  it('asks for a link to its owner where it is one of DB-IP', async () => {
    const { GEOIP_DB: before } = process.env;
    const ownerOf = (file: string) => {
      process.env['GEOIP_DB'] = file;
      reloadConfig();
      return placesOwner();
    };
    const other = path.join(stack().dataDir, 'other.mmdb');
    writeFileSync(
      other,
      Buffer.from(mmdb(PLACES).toString('latin1').replace('DBIP', 'Geo2'), 'latin1'),
    );
    try {
      expect(await ownerOf(before!)).to.equal('DB-IP');
      expect(await ownerOf(other)).to.equal(null);
      expect(await ownerOf(`${other}.missing`)).to.equal(null);
    } finally {
      process.env['GEOIP_DB'] = before;
      reloadConfig();
    }
  });
});
