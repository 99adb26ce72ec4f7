import { request } from 'undici';
import { processorMs } from './baselines.ts';
import { type BenchOptions, inTurn, type Row } from './rows.ts';
import { API, type BenchService, REDIRECT, seedLinks, withService, worker } from './service.ts';
import { load, requireWrk } from './wrk.ts';

const KEYS = 10_000;
const SECONDS = 3;
const CONNECTIONS = 512;
const BROWSER =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36';
const URL_BASE = 'https://example.com/landing?campaign=autumn&page=';

/** A range of consecutive keys of one kind; all other keys are those of plain links. */
interface Kind {
  name: string;
  keys: number;
  /** Fields of its links; `undefined` for keys without a link. */
  fields: object | undefined;
  /** Expected status. */
  status: number;
}

/** 5% of the keys are links that need a decision or a page, and 1% have no link. */
const kindsWith = (pageId: string): Kind[] => [
  {
    name: 'rules by country, device and language',
    keys: 100,
    fields: {
      rules: [
        { value: { country: ['DE', 'AT'] }, url: `${URL_BASE}de` },
        { value: { device: ['mobile', 'tablet'] }, url: `${URL_BASE}mobile` },
        { value: { language: ['en'] }, url: `${URL_BASE}en` },
      ],
    },
    status: 302,
  },
  {
    name: 'destinations by device and country',
    keys: 100,
    fields: {
      ios: `${URL_BASE}ios`,
      android: `${URL_BASE}android`,
      geo: { DE: `${URL_BASE}de`, US: `${URL_BASE}us` },
    },
    status: 302,
  },
  {
    name: 'A/B tests',
    keys: 100,
    fields: {
      testVariants: [
        { name: 'a', url: `${URL_BASE}a`, percentage: 50 },
        { name: 'b', url: `${URL_BASE}b`, percentage: 50 },
      ],
    },
    status: 302,
  },
  { name: 'passwords, asked for', keys: 100, fields: { password: 'correct horse' }, status: 403 },
  {
    name: 'pages before the destination',
    keys: 100,
    fields: { preRedirection: true, pageId },
    status: 200,
  },
  { name: 'keys without a link', keys: 100, fields: undefined, status: 404 },
];

/**
 * Measures the processor time of the redirect process per request of each kind separately, and for
 * a mix of all: the share of each kind, and how well the sum of the kinds explains the mix.
 */
export function benchMixed({ rounds }: BenchOptions): Promise<Row[]> {
  requireWrk();
  return withService(async (service) => {
    const kinds = await makeLinks(service);
    const runner = await service.run([REDIRECT]);
    const pid = runner.pidOf('redirect');
    const { redirectPort: port } = service;
    await load({ port, connections: 32, seconds: 3, keys: KEYS, from: 0 });
    await load({ port, connections: CONNECTIONS, seconds: 5, keys: KEYS });
    const measures = [{ name: 'mix', from: 0, keys: KEYS }, ...kinds].map(
      ({ name, from, keys }) => [name, () => costOf(pid, { port, first: from, keys })] as const,
    );
    const measured = await inTurn(rounds, Object.fromEntries(measures));
    const sums = measured['mix']!.map((_, round) =>
      kinds.reduce((sum, { name, keys }) => sum + (measured[name]![round]! * keys) / KEYS, 0),
    );
    const plain = measured[kinds[0]!.name]!;
    return [
      ...kinds.map(
        ({ name, keys }): Row => ({
          what: `processor time of a request: ${name} (${(keys * 100) / KEYS}% of the mix)`,
          unit: 'µs',
          better: 'less',
          ours: measured[name]!,
          ...(plain !== measured[name] && { baseline: { what: 'plain links', figures: plain } }),
        }),
      ),
      {
        what: 'processor time of a request of the mix',
        unit: 'µs',
        better: 'less',
        ours: measured['mix']!,
        baseline: { what: 'sum of its kinds by their shares', figures: sums },
      },
      ...kinds.map(
        ({ name, keys }): Row => ({
          what: `share of the mix’s time: ${name} (${(keys * 100) / KEYS}% of the requests)`,
          unit: '%',
          better: 'less',
          ours: measured[name]!.map((cost, round) => (100 * cost * keys) / KEYS / sums[round]!),
        }),
      ),
    ];
  });
}

/** @returns every kind, plain links first, with its first key */
async function makeLinks(
  service: BenchService,
): Promise<{ name: string; from: number; keys: number }[]> {
  const runner = await service.run([API, worker('writes'), worker('bulk'), REDIRECT]);
  const page = (await post(service, '/pages', {
    title: 'Before you go on',
    text: 'A moment.',
  })) as {
    id: string;
  };
  const kinds = kindsWith(page.id);
  const plain = KEYS - kinds.reduce((sum, { keys }) => sum + keys, 0);
  await seedLinks(service, plain);
  const placed = [{ name: 'plain links', from: 0, keys: plain }];
  let from = plain;
  for (const { name, keys, fields, status } of kinds) {
    if (fields !== undefined) {
      const links = Array.from({ length: keys }, (_, n) => ({
        ...fields,
        key: `k${from + n}`,
        url: `${URL_BASE}${from + n}`,
      }));
      await post(service, '/links/bulk', links);
    }
    const answer = await request(`http://127.0.0.1:${service.redirectPort}/k${from}`, {
      headers: { host: 'localhost', 'user-agent': BROWSER },
    });
    await answer.body.dump();
    if (answer.statusCode !== status) throw new Error(`${name}: status ${answer.statusCode}`);
    placed.push({ name, from, keys });
    from += keys;
  }
  await runner.stop();
  return placed;
}

async function post(
  { apiUrl, apiKey }: BenchService,
  path: string,
  body: object,
): Promise<unknown> {
  const answer = await fetch(apiUrl + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: status ${answer.status}, ${await answer.text()}`);
  return answer.json();
}

/** Measures the processor time of a request at saturation, in µs. */
async function costOf(
  pid: number,
  { port, first, keys }: { port: number; first: number; keys: number },
): Promise<number> {
  const before = processorMs(pid);
  const { perSecond } = await load({
    port,
    connections: CONNECTIONS,
    seconds: SECONDS,
    keys,
    first,
  });
  return ((processorMs(pid) - before) * 1_000) / (perSecond * SECONDS);
}
