import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import type { ApiClient } from '../support/client.ts';
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
import type { Expected, Row, Topic } from './decisions/row.ts';
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

/**
 * Creates the records of a topic; the key of each row is its index.
 *
 * @returns paths of the links and QR codes in the API, by row
 */
async function make(
  { api, domain: host }: World,
  rows: Row[],
  names: Names,
): Promise<Map<number, string>> {
  const paths = new Map<number, string>();
  for (const kind of ['links', 'qrcodes'] as const) {
    const places = [...rows.keys()].filter((place) => rows[place]![1].kind === kind);
    const bodies = places.map((place) => ({
      ...fill(rows[place]![1].fields, names),
      key: keyOf(place),
    }));
    if (bodies.length === 0) continue;
    const { status, body } = await api.post(`/${kind}/bulk`, bodies);
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.filter((one: object) => 'error' in one)).to.deep.equal([]);
    for (const [at, place] of places.entries()) paths.set(place, `/${kind}/${body[at].id}`);
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
  return paths;
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

/** Visitors' places by their addresses, as the database of places of the tests has them. */
const PLACES: Readonly<Record<string, { country: string; city?: string }>> = {
  '192.0.2.1': { country: 'DE', city: 'Berlin' },
  '198.51.100.7': { country: 'JP', city: 'Tokyo' },
  '203.0.113.9': { country: 'BR', city: 'São Paulo' },
};
/** Statuses of the pages that a simulation names. */
const PAGES: Readonly<Record<string, number>> = {
  frame: 200,
  displayPage: 200,
  linkset: 200,
  page: 200,
  preview: 200,
  password: 403,
  blocked: 403,
  notStarted: 404,
  notFound: 404,
  expired: 410,
};

/** Describes the visitor of a row for a simulation; `undefined` if it cannot be described. */
function describedVisitor(
  [, { fields }, asking]: Row,
  place: number,
): Record<string, unknown> | undefined {
  const { earlier, path = '/{key}', headers = {}, userAgent = browser(), method, form } = asking;
  const [, query] = /^\/\{key\}(?:\?([^#\s]+))?$/.exec(fill(path, { row: keyOf(place) })) ?? [];
  const { 'x-forwarded-for': ip, 'accept-language': language = 'en', ...others } = headers;
  const where = ip === undefined ? {} : PLACES[ip];
  // A limit of visits may be reached between the visit and its simulation.
  const isPlain =
    earlier === undefined &&
    method === undefined &&
    form === undefined &&
    fields['maxVisits'] === undefined;
  if (!isPlain || where === undefined || Object.keys(others).length > 0) return undefined;
  if (!path.startsWith('/{key}') || (path !== '/{key}' && query === undefined)) return undefined;
  return {
    ...where,
    ...(language !== '' && { language }),
    ...(query !== undefined && { query }),
    ...(userAgent !== '' && { userAgent }),
  };
}

/** Compares the answer of a row with its simulation. */
async function compareSimulated(
  api: ApiClient,
  record: string,
  visitor: object,
  { status, headers = {} }: Expected,
): Promise<void> {
  const { status: answered, body } = await api.post(`${record}/simulate`, visitor);
  expect(answered, JSON.stringify(body)).to.equal(200);
  const { answer, url } = body;
  // A simulated visit is by https, where a page by http is not shown in a frame.
  if (answer === 'redirect' && status === 200) {
    expect(new URL(url).protocol).to.equal('http:');
    return;
  }
  const location = headers['location'];
  if (typeof location === 'string') {
    expect(body.status, JSON.stringify(body)).to.equal(status);
    if (!location.includes('*')) expect(url).to.equal(location);
  } else {
    expect(body.status, JSON.stringify(body)).to.equal(null);
    expect(PAGES[answer], answer).to.equal(status);
  }
}

describe('the decision table:', () => {
  let site: Site;
  /** Number of rows of which a visit was simulated too. */
  let simulated = 0;

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
      let api: ApiClient;
      let paths: Map<number, string>;

      /** @param soonMs time from now until links with {soon} expire */
      const prepare = async (soonMs: number) => {
        const world = await aWorkspace();
        ({ api } = world);
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
        paths = await make(world, rows, names);
        if (JSON.stringify(rows).includes('{soon}')) {
          await eventually(() => expect(Date.now()).to.be.at.least(end));
        }
      };

      // On a busy machine, links can take longer to make than the shortest time.
      before(() => prepare(1_500).catch(() => prepare(60_000)));

      for (const [place, row] of rows.entries()) {
        it(row[0], async () => {
          await ask(host, place, row, names);
          const record = paths.get(place);
          const visitor = describedVisitor(row, place);
          if (record === undefined || visitor === undefined) return;
          await compareSimulated(
            api,
            record,
            visitor,
            fill(row[3], { ...names, key: keyOf(place), host }),
          );
          simulated += 1;
        });
      }
    });
  }

  describe('its rows', () => {
    // Nested, since these run after the tests of the rows.
    it('were simulated too', () => expect(simulated).to.be.above(100));
  });

  it('has at least 150 rows', () => {
    expect(table.flatMap(({ rows }) => rows)).to.have.lengthOf.at.least(150);
  });
});
