import { expect } from 'chai';
import { eventually } from '../support/eventually.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, visit, type World } from '../support/world.ts';
import { clickIds } from './decisions/click-ids.ts';
import { crawlers } from './decisions/crawlers.ts';
import { destination } from './decisions/destination.ts';
import { domains } from './decisions/domains.ts';
import { frames } from './decisions/frames.ts';
import { lifetime } from './decisions/lifetime.ts';
import { notFound } from './decisions/not-found.ts';
import { pagesBefore } from './decisions/pages-before.ts';
import { passwords } from './decisions/passwords.ts';
import { precedence } from './decisions/precedence.ts';
import { qrCodes } from './decisions/qr-codes.ts';
import type { Row, Topic } from './decisions/row.ts';
import { rules } from './decisions/rules.ts';
import { statistics } from './decisions/statistics.ts';
import { targets } from './decisions/targets.ts';

/** Topics of the decision table. */
const table: Topic[] = [
  ...precedence,
  ...lifetime,
  ...destination,
  ...targets,
  ...rules,
  ...crawlers,
  ...domains,
  ...qrCodes,
  ...frames,
  ...pagesBefore,
  ...passwords,
  ...clickIds,
  ...statistics,
  ...notFound,
];

/** Headers of framed pages, by path. */
const SITE: Record<string, Record<string, string>> = {
  '/free': {},
  '/deny': { 'x-frame-options': 'DENY' },
  '/same-origin': { 'x-frame-options': 'SAMEORIGIN' },
  '/none': { 'content-security-policy': "default-src *; frame-ancestors 'none'" },
  '/self': { 'content-security-policy': "frame-ancestors 'self'" },
  '/everybody': { 'content-security-policy': 'frame-ancestors *' },
  '/overruled': { 'x-frame-options': 'DENY', 'content-security-policy': 'frame-ancestors *' },
  '/two-policies': { 'content-security-policy': "frame-ancestors *, frame-ancestors 'none'" },
};

/** Values of the names in braces. */
type Names = Record<string, string>;

const fill = <T>(value: T, names: Names): T =>
  JSON.parse(
    JSON.stringify(value).replaceAll(/\{(\w+)\}/g, (whole, name: string) => names[name] ?? whole),
  ) as T;

const pattern = (text: string): RegExp =>
  new RegExp(
    `^${text
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );

/** Creates the records of a topic; the key of each row is its index. */
async function make({ api, domain: host }: World, rows: Row[], names: Names): Promise<void> {
  for (const kind of ['links', 'qrcodes'] as const) {
    const bodies = rows.flatMap(([, setup], place) =>
      setup.kind === kind ? [{ ...fill(setup.fields, names), key: keyOf(place) }] : [],
    );
    if (bodies.length === 0) continue;
    const { status, body } = await api.post(`/${kind}/bulk`, bodies);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.filter((one: object) => 'error' in one)).to.deep.equal([]);
  }
  for (const [place, [, { kind, fields, isUnverified = false }]] of rows.entries()) {
    if (kind !== 'domains') continue;
    const slug = `${keyOf(place)}.${host}`;
    const { status, body } = await api.post('/domains', { ...fill(fields, names), slug });
    expect(status, JSON.stringify(body)).to.equal(201);
    if (isUnverified) continue;
    stack().dns.records.set(body.verification.name, body.verification.value);
    expect((await api.post(`/domains/${body.id}/verify`)).status).to.equal(200);
  }
}

const keyOf = (place: number) => `row-${place}`;

async function ask(host: string, place: number, [, { kind }, asking, expected]: Row, names: Names) {
  const key = keyOf(place);
  const own = { ...names, key, host: kind === 'domains' ? `${key}.${host}` : host };
  const { earlier = [], path = kind === 'domains' ? '/' : '/{key}', ...options } = asking;
  for (const userAgent of earlier) await visit(`/${key}`, { host, userAgent });
  const answer = await visit(fill(path, own), {
    host: own.host,
    process: place % 2 === 0 ? 0 : 1,
    ...fill(options, own),
  });
  const { status, headers = {}, shows = [], hides = [] } = fill(expected, own);
  expect(answer.status).to.equal(status);
  for (const [name, text] of Object.entries(headers)) {
    const sent = answer.headers[name];
    if (text === null) expect(sent, name).to.equal(undefined);
    else expect(String(sent), name).to.match(pattern(text));
  }
  for (const text of shows) expect(answer.body).to.contain(text);
  const all = (JSON.stringify(answer.headers) + answer.body).toLowerCase();
  for (const text of hides) expect(all).not.to.contain(text);
  if (asking.method === 'HEAD' || headers['location']) expect(answer.body).to.equal('');
}

describe('the decision table:', () => {
  let site: Site;

  before(async () => {
    site = await Site.start();
    for (const [path, headers] of Object.entries(SITE))
      site.answer(path, { type: 'text/html', headers });
    site.answer('/moved', { status: 302, headers: { location: `${site.url}/deny` } });
  });

  after(() => site.stop());

  for (const { topic, domain: changes, rows } of table) {
    describe(topic, () => {
      let host: string;
      let names: Names;

      /** @param soonMs time from now until links with {soon} expire */
      const prepare = async (soonMs: number) => {
        const world = await aWorkspace();
        const { api } = world;
        host = world.domain;
        const texts = await api.post('/pages', { title: 'Please read this' });
        const questions = await api.post('/pages', {
          title: 'Tell us first',
          fields: [{ name: 'name', label: 'Your name' }],
        });
        const end = Date.now() + soonMs;
        names = {
          site: site.url,
          soon: new Date(end).toISOString(),
          page: texts.body.id,
          questions: questions.body.id,
        };
        if (changes !== undefined) {
          const [own] = (await api.get('/domains')).body;
          expect((await api.patch(`/domains/${own.id}`, changes)).status).to.equal(200);
        }
        await make(world, rows, names);
        if (JSON.stringify(rows).includes('{soon}')) {
          await eventually(() => expect(Date.now()).to.be.at.least(end));
        }
      };

      // On a busy machine, links can take longer to make than the shortest time.
      before(() => prepare(1_500).catch(() => prepare(60_000)));

      for (const [place, row] of rows.entries()) {
        it(row[0], () => ask(host, place, row, names));
      }
    });
  }

  it('has at least 150 rows', () => {
    expect(table.flatMap(({ rows }) => rows)).to.have.lengthOf.at.least(150);
  });
});
