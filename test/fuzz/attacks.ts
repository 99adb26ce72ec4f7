import fc from 'fast-check';
import { routes } from '../../src/api/routes.ts';
import { PEERS } from '../../src/compat/peers.ts';
import type { AnyJob } from '../../src/queues/job.ts';
import { ALL_JOBS } from '../../workers/jobs.ts';
import type { Random } from './random.ts';
import { type RawHeader, rawRequest } from './raw-request.ts';
import { type Described, hostileJson, hostileText, mutate, opaqueUrl, sampleOf } from './values.ts';

/** Credentials and records that the attacks use. */
export interface Attacker {
  projectId: string;
  apiKey: string;
  host: string;
  /** Keys of links and QR codes of every kind. */
  keys: readonly string[];
  /** Ids of records of every kind. */
  ids: readonly string[];
}

/** Bytes to send on one connection. */
export interface Attack {
  bytes: Buffer;
  /** If true, the client resets the connection without waiting for the answer. */
  reset: boolean;
  /** If true, the request is well-formed and must be answered. */
  isWellFormed: boolean;
}

const encode = (text: string) => encodeURIComponent(text.toWellFormed());
/** Removes line breaks and NUL, the only characters that would end a header's value. */
const oneLine = (text: string) => text.replaceAll(/[\0\r\n]/g, ' ').trim();

/** Headers that either process reads. */
const HEADERS = [
  'accept',
  'accept-encoding',
  'accept-language',
  'cf-connecting-ip',
  'cookie',
  'dnt',
  'forwarded',
  'idempotency-key',
  'if-match',
  'if-none-match',
  'origin',
  'prefer',
  'purpose',
  'range',
  'referer',
  'sec-ch-ua-platform',
  'sec-gpc',
  'sec-purpose',
  'user-agent',
  'x-forwarded-for',
  'x-forwarded-proto',
  'x-request-id',
];

/** Routes with described schemas, computed once since that takes long. */
const OWN_ROUTES = routes.map((route) => ({
  operation: route.operationId,
  method: route.method.toUpperCase(),
  path: route.path,
  parameters: Object.entries((route.query?.describe() as Described | undefined)?.keys ?? {}),
  body: route.body?.describe() as Described | undefined,
}));

/**
 * Compatible endpoints, with the input of the endpoints they call, since many names are the same.
 */
const PEER_ROUTES = PEERS.flatMap((peer) =>
  peer.routes.map(({ method, path, operation = 'createLink' }) => ({
    ...OWN_ROUTES.find((route) => route.operation === operation)!,
    method: method.toUpperCase(),
    path: peer.path + path,
  })),
);

const ROUTES = [...OWN_ROUTES, ...PEER_ROUTES];

/** Actions of YOURLS, without which its endpoint does nothing. */
const YOURLS_ACTIONS = ['shorturl', 'expand', 'url-stats', 'stats', 'db-stats', 'version'];

function hostileHeaders(random: Random): RawHeader[] {
  return Array.from({ length: random.int(4) }, () => [
    random.pick(HEADERS),
    oneLine(hostileText(random)).slice(0, random.pick([100, 8_000])),
  ]);
}

/** Builds a request to the API that is mostly valid, and wrong somewhere. */
export function apiAttack({ apiKey, ids }: Attacker, random: Random): Attack {
  const { method, path, parameters, body: described } = random.pick(ROUTES);
  const target = path.replaceAll(/\{\w+\}/g, () =>
    random.chance(0.6) ? random.pick(ids) : encode(hostileText(random)) || '%20',
  );
  const pairs = Array.from({ length: random.pick([0, 1, 2, 4, 300]) }, () => {
    if (parameters.length === 0 || random.chance(0.1)) {
      return `${encode(hostileText(random))}=${encode(hostileText(random))}`;
    }
    const [name, schema] = random.pick(parameters);
    const value = random.chance(0.5) ? sampleOf(schema, random) : hostileText(random);
    return `${name}=${encode(String(value)).slice(0, 3_000)}`;
  });
  if (path.endsWith('.php')) {
    pairs.unshift(`signature=${apiKey}`, `action=${random.pick(YOURLS_ACTIONS)}`);
  }
  const query = pairs.length === 0 ? '' : `?${pairs.join('&')}`.slice(0, 50_000);
  const headers: RawHeader[] = [
    ['host', 'localhost'],
    ['authorization', random.chance(0.95) ? `Bearer ${apiKey}` : oneLine(hostileText(random))],
    ...(path.startsWith('/compat/shlink') ? [['x-api-key', apiKey] as RawHeader] : []),
    ...hostileHeaders(random),
  ];
  if (described === undefined && random.chance(0.9)) {
    return whole(rawRequest(method, target + query, headers));
  }
  const valid = sampleOf(described ?? {}, random);
  let value = valid;
  for (let times = random.int(4); times > 0; times -= 1) value = mutate(value, random);
  const body = random.chance(0.9)
    ? Buffer.from(JSON.stringify(value) ?? '')
    : random.bytes(random.int(3_000));
  const type = random.chance(0.95)
    ? 'application/json'
    : oneLine(hostileText(random)).slice(0, 200);
  return whole(rawRequest(method, target + query, [...headers, ['content-type', type]], body));
}

const REDIRECT_PREFIXES = [
  '',
  '',
  '',
  '_/file/',
  '_/stats/',
  '_/continue/x/',
  '_/domains/ask?domain=',
];

/**
 * Builds a request to the redirect process, mostly for an existing key, with hostile headers and
 * query.
 */
export function redirectAttack({ host, keys }: Attacker, random: Random): Attack {
  const key = random.chance(0.7) ? encodeURI(random.pick(keys)) : encode(hostileText(random));
  const after = random.pick([
    '',
    '',
    '',
    '+',
    '/',
    '/more/path',
    `/${encode(hostileText(random))}`,
  ]);
  const queryName = random.pick([
    'qr',
    'password',
    'click_id',
    'utm_source',
    encode(hostileText(random)),
  ]);
  const query = random.chance(0.3) ? `?${queryName}=${encode(hostileText(random))}` : '';
  const target = `/${random.pick(REDIRECT_PREFIXES)}${key}${after}${query}`.slice(0, 40_000);
  const headers: RawHeader[] = [
    ['host', random.chance(0.9) ? host : oneLine(hostileText(random)).slice(0, 400) || host],
    ...hostileHeaders(random),
  ];
  if (random.chance(0.8)) {
    return whole(rawRequest(random.pick(['GET', 'GET', 'HEAD', 'OPTIONS']), target, headers));
  }
  const field = random.pick(['password', 'email', 'consent', hostileText(random)]);
  const body = random.chance(0.7)
    ? Buffer.from(`${encode(field)}=${encode(hostileText(random))}`)
    : random.bytes(random.int(3_000));
  const form: RawHeader = ['content-type', 'application/x-www-form-urlencoded'];
  return whole(rawRequest('POST', target, [...headers, form], body));
}

const whole = (bytes: Buffer): Attack => ({ bytes, reset: false, isWellFormed: true });

/** Builds bytes that are no request, or a request with random damage. */
export function byteAttack(attacker: Attacker, random: Random, regular: typeof apiAttack): Attack {
  const isNoise = random.chance(0.2);
  const bytes = isNoise
    ? random.bytes(random.int(4_000))
    : Buffer.from(regular(attacker, random).bytes);
  for (let times = random.int(6); times > 0 && bytes.length > 0; times -= 1) {
    // The first bytes mostly decide how a request is parsed.
    const at = random.int(Math.min(bytes.length, random.pick([40, 400, 100_000])));
    bytes[at] = random.int(256);
  }
  const end = random.chance(0.3) ? random.int(bytes.length + 1) : bytes.length;
  const repeated = random.chance(0.1) ? [bytes, bytes, bytes] : [bytes];
  return {
    bytes: Buffer.concat(repeated).subarray(0, end),
    // The server waits for the rest of an incomplete request; most are reset to save time.
    reset: end < bytes.length || random.chance(0.3),
    isWellFormed: false,
  };
}

/** A job that no producer of this service would add. */
export interface HostileJob {
  job: AnyJob;
  data: unknown;
  projectId: string;
}

const NAMES = [
  'id',
  'linkId',
  'link',
  'changes',
  'domain',
  'key',
  'url',
  'tags',
  'at',
  'source',
  'urls',
];

export function hostileJob({ projectId, ids }: Attacker, random: Random): HostileJob {
  const job = random.pick(ALL_JOBS);
  const data =
    job.name === 'visits.record' && random.chance(0.8)
      ? Array.from({ length: 1 + random.int(5) }, () => hostileVisit(projectId, ids, random))
      : random.chance(0.5)
        ? hostileJson(random)
        : Object.fromEntries(
            Array.from({ length: random.int(5) }, () => [
              random.pick(NAMES),
              random.chance(0.3) ? random.pick(ids) : hostileJson(random),
            ]),
          );
  return {
    job,
    data,
    projectId: random.chance(0.8) ? projectId : hostileText(random).slice(0, 500),
  };
}

/**
 * Builds a visit as the redirect process sends it, with any text in every field that visitors
 * control.
 */
function hostileVisit(projectId: string, ids: readonly string[], random: Random): object {
  const text = () => (random.chance(0.5) ? hostileText(random) : 'x');
  return {
    id: `fuzz_${random.int(2 ** 31)}_${random.int(2 ** 31)}`,
    at: random.chance(0.9) ? Date.now() : random.draw(fc.integer()),
    projectId,
    linkId: random.chance(0.8) ? random.pick(ids) : text(),
    domain: text(),
    key: text(),
    destination: random.chance(0.5) ? 'https://example.com/' : text(),
    ip: random.chance(0.5) ? '192.0.2.7' : text(),
    userAgent: text(),
    referer: random.chance(0.5) ? opaqueUrl(random, 1_990) : text(),
    via: random.chance(0.9) ? 'link' : text(),
    ...(random.chance(0.2) ? { view: { pageId: text() } } : {}),
    ...(random.chance(0.2)
      ? {
          lead: {
            eventId: `evt_${random.int(2 ** 31)}`,
            nonce: text(),
            pageId: '',
            answers: { a: text() },
          },
        }
      : {}),
  };
}
