import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { COUNTRY_CODES } from '../../src/visitors/countries.ts';
import { slowness } from '../support/machine-speed.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Guards the event loop of the API against slow input. Texts on which careless patterns and loops
 * take seconds go into every field at once, and the process reports how long its event loop was
 * blocked.
 */

/**
 * Longest block of the event loop by one request, in ms. Each MiB of a body adds more, since it is
 * parsed in one go: 15 to 30 ms on known machines, and seconds where a loop is quadratic.
 */
const LONGEST_MS = 50;
const LONGEST_MS_PER_MIB = 60;
/**
 * Garbage collection and first compilations by V8 block the loop too, so only blocks that occur on
 * every attempt count.
 */
const ATTEMPTS = 10;

/** Repeated units, each with an ending that makes patterns fail at the very end. */
const UNITS: [unit: string, end: string][] = [
  ['a', '!'],
  ['\ufe0f', '!'],
  ['\u0300\u0323', '!'],
  ['\u{1f469}\u200d', '!'],
  ['1', 'x'],
  [' ', 'x'],
  ['\t\n', 'x'],
  ['a,', ''],
  [',', ''],
  ['a.', '!'],
  ['-', '!'],
  ['/', '?'],
  ['a:', '@'],
  ['a@', '@'],
  ['+1 ', 'x'],
  ['(', ''],
  ['[', ''],
  ['<!--', '<'],
  ['%41', '%'],
  ['&a=b', '#'],
  ['http://', ''],
];

const textOf = ([unit, end]: (typeof UNITS)[number], length: number) =>
  `a${unit.repeat(Math.ceil(length / unit.length))}${end}`;

interface Described {
  type?: string;
  keys?: Record<string, Described>;
  items?: Described[];
  matches?: { schema?: Described; then?: Described; otherwise?: Described }[];
}

/** Builds a value of the described shape in which every text is `text`. */
function filled(schema: Described, text: string, depth = 0): unknown {
  const inner = schema.matches
    ?.flatMap(({ schema: one, then, otherwise }) => [one, then, otherwise])
    .find((one) => one?.keys !== undefined);
  if (inner !== undefined) return filled(inner, text, depth);
  if (schema.keys !== undefined && depth < 4) {
    return Object.fromEntries(
      Object.entries(schema.keys).map(([name, key]) => [name, filled(key, text, depth + 1)]),
    );
  }
  if (schema.type === 'array' && schema.items?.[0] !== undefined) {
    return [filled(schema.items[0], text, depth + 1)];
  }
  return text;
}

/** Counts the texts in a value of `filled`. */
function textsIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce<number>((sum, inner) => sum + textsIn(inner), 0);
}

interface Attempt {
  name: string;
  path: string;
  method: string;
  body?: string | undefined;
  idempotencyKey?: string;
}

describe('the event loop of the API', function () {
  let world: World;
  let restarts: number;
  let longest = 0;

  before(async () => {
    world = await aWorkspace();
    restarts = stack().restarts('api');
  });

  after(() => {
    expect(stack().restarts('api')).to.equal(restarts);
    process.stdout.write(`    longest blockage by one request: ${longest.toFixed(1)} ms\n`);
  });

  /** Reads the longest block of the event loop since the last call, in ms. */
  async function takeBlocked(): Promise<number> {
    const seconds = await stack().metric('api', 'shortlinks_event_loop_blocked_max_seconds');
    return Math.max(...seconds) * 1_000;
  }

  async function send({ path, method, body, name, idempotencyKey }: Attempt): Promise<void> {
    const response = await fetch(stack().apiUrl + path, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${world.apiKey}`,
        'content-type': 'application/json',
        ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(body === undefined ? {} : { body }),
    });
    await response.arrayBuffer();
    expect(response.status, name).to.be.within(200, 429);
  }

  const limitOf = ({ body = '' }: Attempt): number =>
    LONGEST_MS + LONGEST_MS_PER_MIB * (Buffer.byteLength(body) / (1 << 20));

  /**
   * Sends requests one after the other. If one of those with about the same limit may have blocked
   * the event loop, each of them is sent again by itself, until it did not. The limits fit an
   * ordinary machine.
   */
  async function expectSwift(attempts: Attempt[]): Promise<void> {
    const groups = new Map<number, Attempt[]>();
    for (const attempt of attempts) {
      const limit = Math.floor(limitOf(attempt));
      groups.set(limit, [...(groups.get(limit) ?? []), attempt]);
    }
    for (const [limit, group] of groups) {
      await takeBlocked();
      for (const attempt of group) await send(attempt);
      const most = await takeBlocked();
      if (most <= limit) longest = Math.max(longest, most);
      else for (const attempt of group) await expectOneSwift(attempt);
    }
  }

  async function expectOneSwift(attempt: Attempt): Promise<void> {
    const limit = limitOf(attempt);
    let least = Number.POSITIVE_INFINITY;
    for (let i = 0; i < ATTEMPTS && least > limit; i += 1) {
      await takeBlocked();
      await send(attempt);
      const blocked = await takeBlocked();
      least = Math.min(least, blocked > limit ? blocked / slowness() : blocked);
    }
    longest = Math.max(longest, least);
    expect(least, `${attempt.name} blocked for ms`).to.be.below(limit);
  }

  for (const { method, path, query, params, body, bodyLimit = 1 << 20 } of routes) {
    it(`is not blocked by ${method} ${path}`, async () => {
      const withIds = path.replaceAll(/\{\w+\}/g, 'x_1');
      const attempts: Attempt[] = [];
      for (const unit of UNITS) {
        const name = `${method} ${path} with ${JSON.stringify(unit)}`;
        const parameters = Object.keys(query?.describe().keys ?? {});
        if (parameters.length > 0) {
          const encoded = encodeURIComponent('\u{1f469}').length;
          const text = textOf(unit, Math.floor(50_000 / parameters.length / encoded));
          const search = parameters.map((one) => `${one}=${encodeURIComponent(text)}`).join('&');
          attempts.push({ name: `${name} in the query`, method, path: `${withIds}?${search}` });
        }
        if (params !== undefined) {
          const long = path.replaceAll(/\{\w+\}/g, encodeURIComponent(textOf(unit, 2_000)));
          attempts.push({ name: `${name} in the path`, method, path: long, body: body && '{}' });
        }
        if (body !== undefined) {
          const described = body.describe() as Described;
          const count = textsIn(filled(described, ''));
          const most = Math.min(60_000, Math.floor((bodyLimit * 0.3) / count));
          const json = JSON.stringify(filled(described, textOf(unit, most)));
          attempts.push({ name: `${name} in the body`, method, path: withIds, body: json });
        }
      }
      await expectSwift(attempts);
    });
  }

  it('is not blocked while bodies with an Idempotency-Key are compared', async () => {
    const geo = Object.fromEntries(
      COUNTRY_CODES.map((code) => [code, `https://example.com/${code}/${'ä'.repeat(20)}`]),
    );
    // Every item is refused, so no worker is busy while the next list is sent.
    const item = { url: 'javascript:', geo };
    await expectSwift(
      ['/links/bulk', '/qrcodes/bulk'].map((path) => ({
        method: 'post',
        path,
        name: `${path} with an Idempotency-Key`,
        body: JSON.stringify(Array.from({ length: 100 }, () => ({ ...item, type: 'url' }))),
        idempotencyKey: path,
      })),
    );
  });

  it('is not blocked while oversized requests are refused', async () => {
    const members = (count: number) => Array.from({ length: count }, (_, i) => `"k${i}":1`);
    const objects = '{"a":{"b":[]}},'.repeat(300_000);
    await expectSwift(
      [
        { path: '/links', body: `{"url":"https://a.test","key":"a${'\ufe0f'.repeat(180)}!"}` },
        { path: '/links', body: `{${members(60_000).join(',')}}` },
        { path: '/links', body: `{${members(4_999).join(',')}}` },
        { path: '/links', body: `{"url":"https://a.test","geo":{${members(4_999).join(',')}}}` },
        { path: '/qrcodes', body: `{"type":"vcard","vcard":{${members(4_999).join(',')}}}` },
        { path: '/links', body: `{"tagIds":[${'"a",'.repeat(200_000)}"a"]}` },
        { path: '/links', body: `{"tagIds":"${'a,'.repeat(400_000)}"}` },
        { path: '/links', body: `${'['.repeat(500_000)}${']'.repeat(500_000)}` },
        { path: '/links', body: `{"a":"${'\\"'.repeat(500_000)}"}` },
        { path: '/links/bulk', body: `[${objects}1]` },
        { path: '/links/bulk', body: `[${'1,'.repeat(2_000_000)}1]` },
        {
          path: '/links/bulk',
          body: `[${`{"url":"https://a.test/${'x'.repeat(30_000)}","rules":[]},`.repeat(99)}1]`,
        },
        { path: `/qr?${'url=a&'.repeat(10_000)}`, method: 'get' },
        {
          path: `/qr?${Array.from({ length: 8_000 }, (_, i) => `k${i}=1`).join('&')}`,
          method: 'get',
        },
        { path: `/links?${'tagIds=a&'.repeat(900)}`, method: 'get' },
        { path: `/links?tagIds=${'a,'.repeat(30_000)}`, method: 'get' },
        { path: `/links?geo=${'['.repeat(30_000)}`, method: 'get' },
        { path: `/${'a/'.repeat(30_000)}`, method: 'get' },
        { path: `/${'%41'.repeat(20_000)}`, method: 'get' },
      ].map((one) => ({
        method: 'post',
        name: `${one.path.slice(0, 30)} ${one.body?.slice(0, 60) ?? ''}`,
        ...one,
      })),
    );
  });
});
