import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Sends every hostile value in every field of bodies, parameter of queries and part of paths, and
 * some of them where those of another route have the same name and rule. Each answer must be one of
 * the contract, never a 500, and the service must continue.
 */

const CONTRACT = [200, 201, 202, 400, 401, 403, 404, 409, 410, 422, 429];

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** Hostile values as JSON texts, since some cannot be written in JavaScript. */
const HOSTILE_JSON: [name: string, json: string][] = [
  ['null', 'null'],
  ['a number', '42'],
  ['a fraction below zero', '-0.5'],
  ['a number beyond doubles', '1e999'],
  ['true', 'true'],
  ['an empty text', '""'],
  ['a null character', '"a\\u0000b"'],
  ['half a surrogate pair', '"\\ud800"'],
  ['a long text', JSON.stringify('x'.repeat(100_000))],
  ['SQL', '"\'; DROP TABLE links; --"'],
  ['markup', '"<script>alert(1)</script>"'],
  ['line feeds', '"a\\r\\nSet-Cookie: x=1"'],
  ['right to left', '"\\u202eabc"'],
  ['an empty array', '[]'],
  ['an array of anything', '[1,null,"",{},[]]'],
  ['an object', '{"a":{"b":{"c":[]}}}'],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'],
  ['a deep array', deep(200)],
];

const HOSTILE_TEXT: [name: string, text: string][] = [
  ['nothing', ''],
  ['a null character', '%00'],
  ['bad UTF-8', '%ff%fe'],
  ['half an escape', '%e'],
  ['SQL', '%27%20OR%201%3D1--'],
  ['LIKE marks', '%25_%5C'],
  ['a long text', 'x'.repeat(20_000)],
  ['a number beyond doubles', '1e999'],
  ['a big integer', '99999999999999999999'],
  ['minus one', '-1'],
  ['not a number', 'NaN'],
  ['null', 'null'],
  ['JSON', '%7B%22a%22%3A%5B%5D%7D'],
  ['a date far off', '99999-12-31'],
  ['commas', ',,,,'],
];

/** Number of values that a field gets if a field of another route has its name and its rule. */
const SOME = 4;
/**
 * Requests at the same time. More of them wait for a connection to Postgres for longer than the API
 * does, when other programs take most of the processor.
 */
const AT_ONCE = 8;

interface Described {
  type?: string;
  keys?: Record<string, unknown>;
  items?: Described[];
}

describe('hostile inputs', function () {
  let world: World;
  const seen = new Map<number, number>();

  const PROCESSES = ['api', 'worker_writes', 'worker_bulk'];
  const restarts = () => PROCESSES.map((name) => stack().restarts(name));
  let restartsBefore: number[];

  before(async () => {
    world = await aWorkspace();
    restartsBefore = restarts();
  });

  async function send(method: string, path: string, body?: string): Promise<void> {
    const response = await fetch(stack().apiProcessUrl + path, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${world.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    // An event stream never ends.
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true;
    const text = isStream ? '' : await response.text();
    if (isStream) await response.body?.cancel();
    // On a slow machine, heavy requests wait for each other until this limit.
    if (response.status === 503 && text.includes('is busy with other requests for many records')) {
      expect(response.headers.get('retry-after')).to.match(/^\d+$/);
      return send(method, path, body);
    }
    const about = `${method} ${path.slice(0, 200)} ${body?.slice(0, 200) ?? ''} → ${text.slice(0, 300)}`;
    expect(CONTRACT, about).to.include(response.status);
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    if (response.status < 400) return;
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    expect(error.code, about).to.be.a('string');
    expect(error.message, about)
      .to.be.a('string')
      .and.not.match(/select |insert |relation "|syntax|undefined/i);
  }

  /** Names and rules of the fields that got every value. */
  const tried = new Set<string>();
  let offset = 0;

  /** Returns all values for a field with a new rule, otherwise the next few, in turns. */
  function valuesFor<T>(name: string, rule: unknown, values: T[]): T[] {
    const key = `${name} ${JSON.stringify(rule)}`;
    if (!tried.has(key)) {
      tried.add(key);
      return values;
    }
    offset += SOME;
    return Array.from({ length: SOME }, (_, n) => values[(offset + n) % values.length]!);
  }

  const withIds = (path: string) => path.replaceAll(/\{\w+\}/g, 'x_1');

  for (const route of routes) {
    const { method, path } = route;
    it(`${method} ${path} responds as documented`, async () => {
      const described = route.body?.describe() as Described | undefined;
      const fields = Object.entries(described?.keys ?? described?.items?.[0]?.keys ?? {});
      const wrap = (json: string) => (described?.items === undefined ? json : `[${json}]`);
      const attempts: Promise<void>[] = [];
      const attempt = async (...args: Parameters<typeof send>) => {
        attempts.push(send(...args));
        if (attempts.length === AT_ONCE) await Promise.all(attempts.splice(0));
      };
      if (route.body !== undefined) {
        for (const [, json] of valuesFor('body', described?.type, HOSTILE_JSON)) {
          await attempt(method, withIds(path), json);
          await attempt(method, withIds(path), `{"nope":${json}}`);
        }
        for (const [field, rule] of fields) {
          const url = field === 'url' ? '' : '"url":"https://example.com",';
          for (const [, json] of valuesFor(field, rule, HOSTILE_JSON)) {
            await attempt(method, withIds(path), wrap(`{${url}${JSON.stringify(field)}:${json}}`));
          }
        }
      }
      for (const [name, rule] of Object.entries(route.query?.describe().keys ?? { nope: 1 })) {
        for (const [, text] of valuesFor(`?${name}`, rule, HOSTILE_TEXT)) {
          await attempt(method, `${withIds(path)}?${name}=${text}`);
          await attempt(method, `${withIds(path)}?${name}=a&${name}=${text}`);
        }
      }
      if (route.params !== undefined) {
        for (const [, text] of valuesFor('params', route.params.describe(), HOSTILE_TEXT)) {
          await attempt(
            method,
            path.replaceAll(/\{\w+\}/g, text === '' ? '%20' : text),
            route.body === undefined ? undefined : '{}',
          );
          await attempt(
            method,
            path.replaceAll(/\{\w+\}/g, `ext_${text}`),
            route.body === undefined ? undefined : '{}',
          );
        }
      }
      await Promise.all(attempts);
    });
  }

  const paths: [path: string, status: number][] = [
    ['/stats/x/%00', 404],
    ['/stats/%00/a', 404],
    ['/stats/localhost/a?interval=constructor', 404],
    ['/jobs/events', 404],
    ['/jobs/meta', 404],
    ['/jobs/%00', 422],
    ['/links/%00', 422],
    ['/links?search=%00', 422],
    ['/analytics?timezone=PNT', 422],
    ['/analytics?timezone=SystemV/PST8PDT', 422],
    ['/analytics?timezone=%2B01:00', 422],
    ['/analytics?timezone=Europe/Kyiv&groupBy=timeseries', 200],
    ['/analytics?timezone=US/Pacific-New&interval=7d', 200],
    ['/analytics?end=0001-01-01&groupBy=timeseries', 200],
    ['/links?page=1e2', 422],
    ['/links?page=0x10', 422],
    ['/links?page=%201', 422],
    ['/links?page=1.0', 422],
    ['/links?clicksMin=99999999999999999999', 422],
    [`/links?geo=${'['.repeat(100)}${']'.repeat(100)}`, 422],
    [`/links?${'search=a&'.repeat(1_001)}`, 400],
  ];
  for (const [path, status] of paths) {
    it(`GET ${path.slice(0, 80)} responds with ${status}`, async () => {
      const response = await fetch(stack().apiProcessUrl + path, {
        // Earlier tests have used up the anonymous limit of this machine's address.
        headers: { authorization: `Bearer ${world.apiKey}`, 'x-forwarded-for': '198.51.100.21' },
      });
      expect(response.status, await response.text()).to.equal(status);
    });
  }

  it('are refused with the names of all invalid fields', async () => {
    const body =
      '{"url":"https://a.test","title":"\\u0000","geo":{"DE":"\\ud800"},"tagNames":["a","\\u0000"],' +
      '"archived":1,"__proto__":{"a":1}}';
    const { status, body: answer } = await world.api.post('/links', body);
    expect(status).to.equal(422);
    expect(answer.error.message.split('; ')).to.have.members([
      'title must not contain null characters',
      'geo.DE must not contain unpaired surrogates',
      'geo.DE must be a valid URL',
      'tagNames[1] must not contain null characters',
      '__proto__ is not a known field',
      'archived must be a boolean',
    ]);
  });

  it('in one link of a bulk request do not affect the others', async () => {
    const { status, body } = await world.api.post(
      '/links/bulk',
      '[{"url":"https://a.test"},{"url":"https://a.test","title":"\\u0000"},{"url":"https://a.test","__proto__":1}]',
    );
    expect(status).to.equal(200);
    expect(body[0].id).to.be.a('string');
    expect(body[1].error.message).to.equal('title must not contain null characters');
    expect(body[2].error.message).to.equal('__proto__ is not a known field');
  });

  it('with too many values or levels are refused before they are parsed', async () => {
    const refused: [body: string, message: RegExp][] = [
      [`{"url":"https://a.test","rules":[${'1,'.repeat(5_000)}1]}`, /more than 5000 members/],
      [`[${'[1,1],'.repeat(499)}${'['.repeat(32)}`, /nested deeper than 32/],
      [`{"a":[${`[${'1,'.repeat(400)}1],`.repeat(30)}1]}`, /more than 10000 values/],
      ['{"url":"[[[[{{{{,,,\\"]]]]"', /well-formed JSON/],
    ];
    for (const [body, message] of refused) {
      const { status, body: answer } = await world.api.post('/links', body);
      expect(status).to.equal(400);
      expect(answer.error.message).to.match(message);
    }
    const long = `{"url":"https://a.test/?${'[{,'.repeat(2_000)}","title":"\\\\"}`;
    expect((await world.api.post('/links', long)).status).to.equal(201);
  });

  it('leave the service healthy', async () => {
    expect((await world.api.get('/links')).status).to.equal(200);
    expect(restarts()).to.deep.equal(restartsBefore);
    expect((await fetch(`${stack().apiProcessUrl}/readyz`)).status).to.equal(200);
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(total).to.be.greaterThan(1_000);
  });
});
