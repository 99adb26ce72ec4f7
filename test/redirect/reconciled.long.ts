import { Agent, request } from 'node:http';
import { expect } from 'chai';
import { newId } from '../../src/ids.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Sends visits of all classes in random order, and reconciles each answer with what is counted:
 * clicks, requests that are left out by program, and prefetches.
 */

const VISITS = 20_000;
const CONCURRENT = 24;
const SEED = 20_261_128;
const A = 'https://example.com/a';
const LINKS = 12;

type Headers = Record<string, string>;

/** Generates the same numbers from 0 to just below 1 in every run (mulberry32). */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Outcome of a visit: a click, a prefetch, or a row of the requests that are left out. */
type Outcome = 'click' | 'suspect' | 'prefetch' | `${'bot' | 'preview' | 'excluded'} ${string}`;

interface Kind {
  weight: number;
  outcome: Outcome;
  /** Number of the link that all of these visits open. */
  link?: number;
  headers(n: number): Headers;
}

const agent = (userAgent: string): Headers => ({ 'user-agent': userAgent });
const person = (n: number): Headers => ({
  ...agent(browser(n % 5_000)),
  'accept-language': 'en',
  'x-forwarded-for': `192.0.2.${n % 250}`,
});

const kindsWith = (cookie: string): Kind[] => [
  { weight: 40, outcome: 'click', headers: person },
  // The same visitor again and again, without a window in which visitors count once. Visits of two
  // links at once would be those of a scanner.
  {
    weight: 10,
    outcome: 'click',
    link: 0,
    headers: () => ({ ...person(7), ...agent(browser(6_000)) }),
  },
  // Suspects: of a network, and without Accept-Language.
  {
    weight: 6,
    outcome: 'suspect',
    headers: (n) => ({ ...person(n), 'x-forwarded-for': `40.94.16.${n % 250}` }),
  },
  {
    weight: 4,
    outcome: 'suspect',
    headers: (n) => ({ ...agent(browser(n)), 'x-forwarded-for': '192.0.2.251' }),
  },
  {
    weight: 6,
    outcome: 'bot Googlebot',
    headers: () =>
      agent('Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)'),
  },
  { weight: 4, outcome: 'bot curl', headers: (n) => agent(`curl/8.${n % 10}.0`) },
  { weight: 3, outcome: 'bot No user agent', headers: () => ({}) },
  {
    weight: 2,
    outcome: 'bot Image of a page',
    headers: (n) => ({ ...person(n), 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' }),
  },
  {
    weight: 3,
    outcome: 'bot Microsoft Office',
    headers: () => agent('Microsoft Office/16.0 (Windows NT 10.0; Microsoft Word 16.0.17126; Pro)'),
  },
  {
    weight: 5,
    outcome: 'preview Slackbot-LinkExpanding',
    headers: () => agent('Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'),
  },
  { weight: 5, outcome: 'preview WhatsApp', headers: () => agent('WhatsApp/2.24.10.76 i') },
  {
    weight: 6,
    outcome: 'prefetch',
    headers: (n) => ({ ...person(n), 'sec-purpose': 'prefetch;prerender' }),
  },
  {
    weight: 4,
    outcome: 'excluded Excluded visitors',
    headers: (n) => ({ ...person(n), 'x-forwarded-for': `198.51.100.${n % 250}` }),
  },
  { weight: 2, outcome: 'excluded Excluded visitors', headers: (n) => ({ ...person(n), cookie }) },
];

/** Number of prefetches that the redirect processes have answered. */
async function prefetches(): Promise<number> {
  const { runner } = stack();
  const names = runner.names.filter((name) => name.startsWith('redirect'));
  const texts = await Promise.all(
    names.map(async (name) => (await fetch(`${runner.healthUrlOf(name)}/metrics`)).text()),
  );
  return texts
    .flatMap((text) => [...text.matchAll(/^shortlinks_redirects_total\{.*"prefetch".*\} (\d+)$/gm)])
    .reduce((sum, [, count]) => sum + Number(count), 0);
}

describe('20,000 visits of all classes', () => {
  let world: World;
  let connections: Agent;

  before(() => {
    // A connection that the server closes while it is reused would leave the outcome unknown.
    connections = new Agent({ keepAlive: false, maxSockets: CONCURRENT });
  });

  after(() => connections.destroy());

  const send = (path: string, headers: Headers, port: number): Promise<number> =>
    new Promise((resolve, reject) => {
      const outgoing = request(
        {
          host: '127.0.0.1',
          port,
          path,
          headers: { host: world.domain, ...headers },
          agent: connections,
        },
        (answer) => {
          answer.resume().on('end', () => resolve(answer.statusCode!));
        },
      );
      outgoing.on('error', reject).end();
    });

  /** Creates a link; a busy machine answers 202 until a worker has done it. */
  async function create(link: object): Promise<void> {
    const headers = { 'Idempotency-Key': newId('event') };
    await eventually(async () => {
      const { status, body } = await world.api.post('/links', link, { headers });
      expect([200, 201], JSON.stringify(body)).to.include(status);
    });
  }

  /** The cookie of a member who does not count the visits of a browser. */
  async function ownCookie(): Promise<string> {
    const { body } = await world.api.get('/workspace/own-visits');
    const { url } = body.find((one: { domain: string }) => one.domain === world.domain);
    const { pathname, search } = new URL(url);
    const sent = await world.visit(pathname + search, { form: { count: 'no' } });
    return sent.headers['set-cookie']![0]!.split(';')[0]!;
  }

  it('are counted as clicks, left out by program, or prefetches, each once', async () => {
    world = await aWorkspace();
    const { api } = world;
    const settings = { clickDedupeSeconds: 0, excludedIps: ['198.51.100.0/24'] };
    await eventually(async () => {
      expect((await api.patch('/workspace', settings)).status).to.equal(200);
    });
    for (let n = 0; n < LINKS; n += 1) {
      const options = [{}, { trackConversion: true }, { proxy: true, title: 'A card' }][n % 3];
      await create({ url: A, key: `l${n}`, ...options });
    }
    const kinds = kindsWith(await ownCookie());
    const ports = stack().redirectPorts;
    const expected: Record<string, number> = {};
    const count = (outcome: Outcome) => {
      expected[outcome] = (expected[outcome] ?? 0) + 1;
    };
    // The network is excluded within a second.
    await create({ url: A, key: 'probe', trackConversion: true });
    for (const process of [0, 1] as const) {
      await eventually(async () => {
        const headers = { 'x-forwarded-for': '198.51.100.1', 'accept-language': 'en' };
        const { status, headers: sent } = await world.visit('/probe', { process, headers });
        expect(status).to.equal(302);
        const isExcluded = sent['set-cookie'] === undefined;
        count(isExcluded ? 'excluded Excluded visitors' : 'click');
        expect(isExcluded).to.equal(true);
      });
    }
    const total = async () => {
      const clicksOf = async (traffic: string) =>
        (await api.get('/analytics', { interval: 'all', traffic })).body.clicks;
      const [clicks, suspects, all] = await Promise.all(['person', 'suspect', 'all'].map(clicksOf));
      expect(clicks + suspects).to.equal(all);
      const { requests } = (await api.get('/analytics/left-out', { interval: 'all' })).body;
      return { clicks, suspects, requests };
    };
    const leftOut = async () => {
      const { programs } = (await api.get('/analytics/left-out', { interval: 'all' })).body;
      return Object.fromEntries(
        programs.map((row: { class: string; program: string; requests: number }) => [
          `${row.class} ${row.program}`,
          row.requests,
        ]),
      );
    };
    const probes = Object.values(expected).reduce((sum, requests) => sum + requests, 0);
    const earlier = await prefetches();
    const random = randomNumbers(SEED);
    const weights = kinds.reduce((sum, { weight }) => sum + weight, 0);
    const planned = Array.from({ length: VISITS }, (_, n) => {
      let left = random() * weights;
      const kind = kinds.find(({ weight }) => (left -= weight) < 0)!;
      const link = kind.link ?? Math.floor(random() * LINKS);
      return { kind, n, path: `/l${link}`, port: ports[Math.floor(random() * ports.length)]! };
    });
    const waiting = planned.values();
    const visitor = async () => {
      for (const { kind, n, path, port } of waiting) {
        const headers = kind.headers(n);
        let status = await send(path, headers, port);
        // An overloaded process answers 503 without counting, and the visitor tries again.
        while (status === 503 && kind.outcome !== 'prefetch')
          status = await send(path, headers, port);
        expect([200, 302, 503]).to.include(status);
        count(kind.outcome);
      }
    };
    await Promise.all(Array.from({ length: CONCURRENT }, visitor));

    const { click, suspect, prefetch, ...programs } = expected;
    const leftOutCount = Object.values(programs).reduce((sum, requests) => sum + requests, 0);
    expect(click! + suspect! + prefetch! + leftOutCount).to.equal(VISITS + probes);
    await eventually(async () => {
      expect(await total()).to.deep.equal({
        clicks: click,
        suspects: suspect,
        requests: leftOutCount,
      });
    });
    expect(await leftOut()).to.deep.equal(programs);
    expect((await prefetches()) - earlier).to.equal(prefetch);
  });
});
