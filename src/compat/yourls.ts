import { Refusal } from '../errors.ts';
import type { Query } from '../http/input.ts';
import type { Answer } from '../http/route.ts';
import { trimmedEnd } from '../infra/trim.ts';
import { toAddress } from '../short-links/address.ts';
import { defaultDomain, findByDestination, findLink, isShortUrl, sliceOfLinks } from './links.ts';
import {
  type Call,
  ifReadable,
  type LinkRecord,
  lastValue,
  type Peer,
  type PeerRequest,
} from './peer.ts';
import { readSignature } from './yourls-signature.ts';

/** Imitated version of YOURLS, and of its database, which some clients request. */
const VERSION = '1.10.2';
const DB_VERSION = '507';

/** Maximum number of links in one answer. */
const MAX_LINKS = 1_000;
/** Maximum length of a URL in a message. */
const LONGEST_IN_MESSAGE = 60;
const OMISSION = '[...]';

/** Paths of the script; the second one names the key, for signatures with a timestamp. */
const PATHS = ['/yourls-api.php', '/{keyId}/yourls-api.php'];

/** A result of the YOURLS API; the format `simple` only shows the member of this name. */
interface Result {
  simple: string;
  [member: string]: unknown;
}

/** Returns the parameters of a request; those of the form take precedence, as in PHP. */
const parametersOf = ({ query, body }: PeerRequest): Query => ({
  ...query,
  ...(body as Query | undefined),
});

/**
 * The API of YOURLS (https://yourls.org/docs/guide/advanced/api): one script that takes an action.
 */
export const yourls: Peer = {
  path: '/compat/yourls',
  authorization(request) {
    const parameters = parametersOf(request);
    if (lastValue(parameters, 'timestamp') && lastValue(parameters, 'signature')) {
      return readSignature(request, parameters);
    }
    const key = lastValue(parameters, 'signature') ?? lastValue(parameters, 'password');
    if (key !== undefined) return `Bearer ${key}`;
    throw new Refusal(
      'unauthorized',
      'Please log in: send an API key as signature, or as password with any username',
    );
  },
  routes: PATHS.flatMap((path) => [
    { method: 'get', path, operation: 'listLinks', answer },
    { method: 'post', path, operation: 'listLinks', takes: 'form', answer },
  ]),
  toError({ message }, status, request) {
    const parameters = request === undefined ? {} : parametersOf(request);
    // YOURLS has no other status for requests without a key.
    const result = failure('', message, status === 401 ? 403 : status);
    const isRefused = request !== undefined && isJsonp(parameters) && isOwnOrigin(request);
    return format(isRefused ? { format: 'json' } : parameters, result);
  },
};

async function answer(request: PeerRequest, call: Call): Promise<Answer> {
  const parameters = parametersOf(request);
  if (isJsonp(parameters) && isOwnOrigin(request)) {
    throw new Refusal('forbidden', 'JSONP is only for pages of other sites: use format=json');
  }
  const name = lastValue(parameters, 'action') ?? '';
  const action = Object.hasOwn(ACTIONS, name) ? ACTIONS[name] : undefined;
  return format(parameters, action === undefined ? UNKNOWN : await action(parameters, call));
}

const isJsonp = (parameters: Query): boolean => lastValue(parameters, 'format') === 'jsonp';

/**
 * Returns true for a request from a page of the API's own origin, such as the console, whose policy
 * allows scripts of its origin. Otherwise an injection of markup would allow scripts too.
 */
const isOwnOrigin = (request: PeerRequest): boolean =>
  request.header('sec-fetch-site') === 'same-origin';

const UNKNOWN: Result = {
  errorCode: '400',
  message: 'Unknown or missing "action" parameter',
  simple: 'Unknown or missing "action" parameter',
};

const failure = (code: string, message: string, status: number): Result => ({
  status: 'fail',
  code,
  message,
  errorCode: String(status),
  statusCode: String(status),
  simple: message,
});

const NOT_SIMPLE = 'Need either XML or JSON format for stats';

const ACTIONS: Readonly<Record<string, (parameters: Query, call: Call) => Promise<Result>>> = {
  shorturl,
  async expand(parameters, call) {
    const shorturl = lastValue(parameters, 'shorturl') ?? '';
    const link = await linkNamed(call, shorturl);
    if (link === undefined) {
      const message = 'Error: short URL not found';
      return { keyword: shorturl, message, errorCode: '404', simple: 'not found' };
    }
    return {
      keyword: link.key,
      shorturl: link.shortLink,
      longurl: link.url,
      title: titleOf(link),
      message: 'success',
      statusCode: '200',
      simple: link.url,
    };
  },
  async 'url-stats'(parameters, call) {
    const link = await linkNamed(call, lastValue(parameters, 'shorturl') ?? '');
    return link === undefined
      ? { statusCode: '404', message: 'Error: short URL not found', simple: NOT_SIMPLE }
      : { statusCode: '200', message: 'success', link: statsOf(link), simple: NOT_SIMPLE };
  },
  async stats(parameters, call) {
    const links = await listed(call, parameters);
    return {
      ...(links.length === 0
        ? {}
        : {
            links: Object.fromEntries(
              links.map((link, index) => [`link_${index + 1}`, statsOf(link)]),
            ),
          }),
      stats: await totals(call),
      statusCode: '200',
      message: 'success',
      simple: NOT_SIMPLE,
    };
  },
  'db-stats': async (_, call) => ({
    'db-stats': await totals(call),
    statusCode: '200',
    message: 'success',
    simple: NOT_SIMPLE,
  }),
  version: async (parameters) => ({
    version: VERSION,
    ...(lastValue(parameters, 'db') === '1' ? { db_version: DB_VERSION } : {}),
    simple: VERSION,
  }),
};

/**
 * Creates a link. As in the default configuration of YOURLS, there is only one per destination, also
 * for another keyword, and none that leads to a short URL.
 */
async function shorturl(parameters: Query, call: Call): Promise<Result> {
  const url = (lastValue(parameters, 'url') ?? '').trim();
  const keyword = lastValue(parameters, 'keyword') || undefined;
  const title = lastValue(parameters, 'title') || undefined;
  if (await isShortUrl(call, url)) {
    return { ...failure('error:noloop', 'URL is a short URL', 400), simple: '' };
  }
  const domain = await defaultDomain(call);
  const same = await findByDestination(call, url, (link) => link.domain === domain);
  if (same !== undefined) {
    const short = same.shortLink.replace(/^https?:\/\//, '');
    const message = `${trimmed(same.url)} already exists in database (short URL: ${short})`;
    return {
      ...failure('error:url', message, 400),
      url: { ...urlOf(same), clicks: same.clicks },
      title: titleOf(same),
      shorturl: same.shortLink,
      simple: same.shortLink,
    };
  }
  const body = { url, key: keyword, title };
  try {
    const { body: link } = await call<LinkRecord>('createLink', { body });
    return {
      url: urlOf(link),
      status: 'success',
      code: '',
      message: `${trimmed(link.url)} added to database`,
      title: titleOf(link),
      shorturl: link.shortLink,
      errorCode: '',
      statusCode: '200',
      simple: link.shortLink,
    };
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    if (thrown.code === 'conflict') {
      const message = `Short URL ${keyword ?? ''} already exists in database or is reserved`;
      return { ...failure('error:keyword', message, 400), simple: '' };
    }
    if (thrown.code !== 'unprocessable_entity') throw thrown;
    const code = thrown.message.startsWith('url ') ? 'error:nourl' : 'error:keyword';
    return { ...failure(code, thrown.message, 400), simple: '' };
  }
}

/** Shortens a long text in a message. */
const trimmed = (message: string): string =>
  message.length > LONGEST_IN_MESSAGE
    ? `${message.slice(0, LONGEST_IN_MESSAGE - OMISSION.length)}${OMISSION}`
    : message;

/**
 * Finds the link with a keyword or a short URL, whose scheme may be missing and which may end with
 * a slash.
 */
async function linkNamed(call: Call, shorturl: string): Promise<LinkRecord | undefined> {
  const name = shorturl.trim();
  const keyword = trimmedEnd(name, /\//);
  const isKeyword = keyword !== '' && !/^https?:\/\//i.test(name);
  const link = isKeyword ? await findLink(call, await defaultDomain(call), keyword) : undefined;
  if (link !== undefined) return link;
  const address = toAddress(name);
  return address === undefined || address.key === ''
    ? undefined
    : findLink(call, address.host, address.key);
}

/** Lists the links that `filter`, `limit` and `start` select. */
async function listed(call: Call, parameters: Query): Promise<LinkRecord[]> {
  const number = (name: string) =>
    Math.max(Math.trunc(Number(lastValue(parameters, name) ?? 0)) || 0, 0);
  const limit = Math.min(number('limit'), MAX_LINKS);
  const start = number('start');
  if (limit === 0) return [];
  const filter = lastValue(parameters, 'filter');
  const sort = filter === 'last' ? 'createdAt' : 'clicks';
  if (filter !== 'bottom' && !isRandom(filter)) return slice(call, sort, start, limit);
  const count = (await call<number>('countLinks', { query: ALL })).body;
  if (isRandom(filter)) {
    const from = Math.floor(Math.random() * Math.max(count - limit + 1, 1));
    return slice(call, sort, from, limit);
  }
  // Lists of this API begin with the highest numbers; the lowest are at the end.
  const end = count - start;
  if (end <= 0) return [];
  const from = Math.max(end - limit, 0);
  return (await slice(call, sort, from, end - from)).toReversed();
}

const isRandom = (filter: string | undefined): boolean => filter === 'rand' || filter === 'random';

const ALL = { showArchived: 'true' };

/** Reads a slice of all links. */
async function slice(
  call: Call,
  sort: string,
  start: number,
  limit: number,
): Promise<LinkRecord[]> {
  const links: LinkRecord[] = [];
  for await (const page of sliceOfLinks(call, { ...ALL, sort }, start, limit)) links.push(...page);
  return links;
}

/** Counts links and clicks; without clicks if the key or plan has no analytics. */
async function totals(call: Call) {
  const links = await call<number>('countLinks', { query: ALL });
  const analytics = call<{ clicks: number }>('retrieveAnalytics', {
    query: { interval: 'all_unfiltered' },
  });
  const clicks = (await ifReadable(analytics))?.body.clicks;
  return { total_links: links.body, ...(clicks === undefined ? {} : { total_clicks: clicks }) };
}

const titleOf = ({ title, url }: LinkRecord): string => title ?? url;

/** Formats a time like MySQL, in UTC. */
const timestampOf = ({ createdAt }: LinkRecord): string => createdAt.slice(0, 19).replace('T', ' ');

/** IP addresses of people who create links are not stored. */
const NO_IP = '';

const urlOf = (link: LinkRecord) => ({
  keyword: link.key,
  url: link.url,
  title: titleOf(link),
  date: timestampOf(link),
  ip: NO_IP,
});

const statsOf = (link: LinkRecord) => ({
  shorturl: link.shortLink,
  url: link.url,
  title: titleOf(link),
  timestamp: timestampOf(link),
  ip: NO_IP,
  clicks: String(link.clicks),
});

/** Function names that JSONP may call: identifiers separated by dots. */
const CALLBACK = /^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)*$/;
const MAX_CALLBACK_LENGTH = 100;

/** Formats a result as requested. */
function format(parameters: Query, { simple, ...output }: Result): Answer {
  const status = Number(output['statusCode'] || output['errorCode'] || 200);
  const requestedFormat = lastValue(parameters, 'format') ?? 'xml';
  if (requestedFormat === 'json') return text(status, 'application/json', JSON.stringify(output));
  if (requestedFormat === 'xml') return text(status, 'application/xml', toXml(output));
  if (requestedFormat !== 'jsonp') return text(status, 'text/plain', simple);
  const callback = lastValue(parameters, 'callback') ?? lastValue(parameters, 'jsonp') ?? '';
  if (callback.length > MAX_CALLBACK_LENGTH || !CALLBACK.test(callback)) {
    const error = { errorCode: '400', error: 'Invalid callback parameter' };
    return text(400, 'application/json', JSON.stringify(error));
  }
  // The comment keeps the answer from beginning with a text that the client chooses.
  const script = JSON.stringify(output).replaceAll(
    /[<\u2028\u2029]/g,
    (unsafe) => `\\u${unsafe.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const answer = text(status, 'application/javascript', `/**/${callback}(${script})`);
  // JSONP is for scripts of other origins.
  return {
    ...answer,
    headers: { ...answer.headers, 'Cross-Origin-Resource-Policy': 'cross-origin' },
  };
}

const text = (status: number, type: string, body: string): Answer => ({
  status,
  body: Buffer.from(body),
  headers: { 'Content-Type': `${type}; charset=utf-8`, 'X-Content-Type-Options': 'nosniff' },
});

const toXml = (result: object): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n<root>${elements(result)}</root>\n`;

const elements = (members: object): string =>
  Object.entries(members)
    .map(([name, value]) => `<${name}>${content(value)}</${name}>`)
    .join('');

const content = (value: unknown): string =>
  typeof value === 'object' && value !== null ? elements(value) : escaped(String(value));

/** Escapes a text for XML, without the characters that XML does not allow. */
const escaped = (value: string): string =>
  value
    .replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;');
