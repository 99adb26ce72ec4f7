import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { pino } from 'pino';
import { convertAmount, refreshRates } from '../../src/currency/rates.ts';
import { ensureFirstRates } from '../../src/currency/store.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { eventually } from '../support/eventually.ts';
import { keepSettings, setSettings } from '../support/settings.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';

const FILE = readFileSync('test/data/eurofxref-daily.xml', 'utf8');

describe('exchange rates of a service', () => {
  it('are fetched when the service starts, and soon again after a failure', async () => {
    const { rates } = stack();
    await eventually(async () => {
      const [row] = await db()('rates').distinct('source');
      expect(row).to.deep.equal({ source: `${rates.url}/rates.xml` });
    });
    expect(rates.requests('/rates.xml')).to.be.greaterThan(2);
  });
});

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

  const context = () => ({
    jobId: newId('job'),
    projectId: '',
    isRepeat: false,
    log: pino({ level: 'silent' }),
  });

  async function refresh(answer: { status?: number; body: string }) {
    site.answer('/rates', answer);
    await refreshRates({}, context());
    return daysOfRates();
  }

  async function daysOfRates() {
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
  it('are kept when the source has older ones', async () => {
    expect(await refresh({ body: ofDay('2024-07-01') })).to.deep.equal(kept);
  });

  const bad: [what: string, answer: { status?: number; body: string }][] = [
    ['a fault of the source', { status: 500, body: 'no' }],
    ['a page instead of rates', { body: '<html>Moved</html>' }],
    ['nothing', { body: '' }],
    ['more than a file of rates can be', { body: 'x'.repeat(2 * 1024 * 1024) }],
  ];
  for (const [what, answer] of bad) {
    it(`are kept when the source has ${what}, and the job fails, so that it is tried again`, async () => {
      const failure = await refresh(answer).catch((error: Error) => error);
      expect(failure).to.be.instanceOf(Error);
      expect((failure as Error).message).to.contain('exchange rates could not be fetched: ');
      expect(await daysOfRates()).to.deep.equal(kept);
    });
  }

  it('convert nothing once they are older than the limit', async () => {
    const convert = (limit: string) => {
      setSettings({ RATES_MAX_AGE_DAYS: limit });
      return convertAmount({ amount: 100, currency: 'EUR' }, context());
    };
    expect(await convert('0')).to.include({ rateDate: '2024-07-02' });
    expect(await convert('36500')).to.include({ rateDate: '2024-07-02' });
    expect(await convert('30')).to.include({ amountCents: null, rate: null });
    const today = new Date().toISOString().slice(0, 10);
    await refresh({ body: ofDay(today) });
    expect(await convert('30')).to.include({ rateDate: today });
  });
});
