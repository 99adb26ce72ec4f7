import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { pino } from 'pino';
import { ensureFirstRates, refreshRates } from '../../src/currency/rates.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';

const FILE = readFileSync('test/data/eurofxref-daily.xml', 'utf8');

describe('exchange rates', () => {
  let site: Site;
  let restore: () => void;

  before(async () => {
    site = await Site.start();
    restore = keepSettings();
    setSettings({ RATES_URL: `${site.url}/rates`, OUTBOUND_ALLOW: '127.0.0.1' });
  });

  after(async () => {
    restore();
    await site.stop();
    await db()('rates').delete();
    await ensureFirstRates(db());
  });

  async function refresh(answer: { status?: number; body: string }) {
    site.answer('/rates', answer);
    const log = pino({ level: 'silent' });
    await refreshRates({}, { jobId: newId('job'), projectId: '', isRepeat: false, log });
    const { rows } = await db().raw<{ rows: { day: string; count: number }[] }>(
      "SELECT to_char(day, 'YYYY-MM-DD') AS day, count(*)::int FROM rates GROUP BY 1",
    );
    return rows;
  }
  const ofDay = (day: string) => FILE.replace('2024-06-28', day);

  it('are replaced by newer ones of one file', async () => {
    expect(await refresh({ body: ofDay('2024-07-01') })).to.deep.equal([
      { day: '2024-07-01', count: 31 },
    ]);
    const fewer = ofDay('2024-07-02').replace(/<Cube currency='ZAR'.*\n/, '');
    expect(await refresh({ body: fewer })).to.deep.equal([{ day: '2024-07-02', count: 30 }]);
  });

  const kept = [{ day: '2024-07-02', count: 30 }];
  const bad: [what: string, answer: { status?: number; body: string }][] = [
    ['older ones', { body: ofDay('2024-07-01') }],
    ['a fault of the source', { status: 500, body: 'no' }],
    ['a page instead of rates', { body: '<html>Moved</html>' }],
    ['nothing', { body: '' }],
    ['more than a file of rates can be', { body: 'x'.repeat(2 * 1024 * 1024) }],
  ];
  for (const [what, answer] of bad) {
    it(`are kept when the source has ${what}`, async () => {
      expect(await refresh(answer)).to.deep.equal(kept);
    });
  }
});
