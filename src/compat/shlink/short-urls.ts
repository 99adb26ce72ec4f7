import { Refusal } from '../../errors.ts';
import { type Answer, ok } from '../../http/route.ts';
import { defaultDomain } from '../links.ts';
import {
  type Call,
  definedFields,
  type Fields,
  fieldsOf,
  type LinkRecord,
  lastValue,
  type PeerRoute,
} from '../peer.ts';
import { keyOfLength } from '../random-key.ts';
import { findSame } from './find-if-exists.ts';
import { answerList } from './list.ts';
import { bearer, notImplemented, Problem } from './problem.ts';
import {
  findShortUrl,
  fromShortUrl,
  fromShortUrlChange,
  namedDomain,
  toShortUrl,
} from './short-url.ts';
import { makeTags } from './tags.ts';

export const shortUrlRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/short-urls',
    operation: 'listLinks',
    answer: async ({ query }, call) => answerList(query, await defaultDomain(call), call),
  },
  {
    method: 'post',
    path: '/short-urls',
    operation: 'createLink',
    takes: 'any',
    async answer({ body, query, header }, call) {
      const created = await createShortUrl(definedFields(fieldsOf(body)), call);
      return inFormat(created, lastValue(query, 'format'), header('accept'));
    },
  },
  {
    method: 'get',
    path: '/short-urls/shorten',
    operation: 'createLink',
    authorization: ({ query, header }) => bearer(lastValue(query, 'apiKey') ?? header('x-api-key')),
    async answer({ query, header }, call) {
      const created = await createShortUrl({ longUrl: lastValue(query, 'longUrl') }, call);
      return inFormat(created, lastValue(query, 'format'), header('accept'));
    },
  },
  {
    method: 'delete',
    path: '/short-urls/{shortCode}/visits',
    operation: 'deleteLink',
    answer: () =>
      Promise.reject(
        notImplemented('Visits can’t be deleted while their short URL is kept in this service'),
      ),
  },
  {
    method: 'get',
    path: '/short-urls/{shortCode}',
    operation: 'findLink',
    async answer(request, call) {
      const { link, main } = await findShortUrl(request, call);
      return ok(toShortUrl(link, main));
    },
  },
  {
    method: 'patch',
    path: '/short-urls/{shortCode}',
    operation: 'updateLink',
    takes: 'any',
    async answer(request, call) {
      const { link, main } = await findShortUrl(request, call);
      const changes = fromShortUrlChange(fieldsOf(request.body));
      await makeTags(call, changes['tagNames']);
      const input = { params: { linkId: link.id }, body: changes };
      return ok(toShortUrl((await call<LinkRecord>('updateLink', input)).body, main));
    },
  },
  {
    method: 'delete',
    path: '/short-urls/{shortCode}',
    operation: 'deleteLink',
    async answer(request, call) {
      const { link } = await findShortUrl(request, call);
      await call('deleteLink', { params: { linkId: link.id } });
      return { status: 204, body: undefined };
    },
  },
];

/** Creates a short URL, or finds the one that there is. */
async function createShortUrl(body: Fields, call: Call): Promise<Fields> {
  const main = await defaultDomain(call);
  const { findIfExists, shortCodeLength, domain, ...fields } = fromShortUrl(body);
  const named = typeof domain === 'string' ? namedDomain({ domain }) : undefined;
  if (findIfExists === true) {
    const same = await findSame(call, { ...fields, domain: named ?? main });
    if (same !== undefined) return toShortUrl(same, main);
  }
  const link: Fields = { ...fields, domain: named };
  if (typeof shortCodeLength === 'number' && link['key'] === undefined) {
    const prefix = typeof link['prefix'] === 'string' ? link['prefix'] : '';
    link['key'] = prefix + keyOfLength(shortCodeLength, 'shortCodeLength');
    delete link['prefix'];
  }
  await makeTags(call, link['tagNames']);
  try {
    return toShortUrl((await call<LinkRecord>('createLink', { body: link })).body, main);
  } catch (thrown) {
    if (!(thrown instanceof Refusal) || thrown.code !== 'conflict') throw thrown;
    const customSlug = link['key'];
    if (typeof customSlug !== 'string') throw thrown;
    throw slugTaken(customSlug, named);
  }
}

/** Answers with a short URL as text if the client asks for that, else with its record. */
function inFormat(
  shortUrl: Fields,
  format: string | undefined,
  accept: string | undefined,
): Answer {
  const isText =
    format === undefined
      ? accept?.split(',')[0]!.includes('text/plain') === true
      : format.toLowerCase() === 'txt';
  if (!isText) return ok(shortUrl);
  const headers = { 'Content-Type': 'text/plain; charset=utf-8' };
  return { status: 200, headers, body: Buffer.from(String(shortUrl['shortUrl'])) };
}

const slugTaken = (customSlug: string, domain: string | undefined): Problem =>
  new Problem(
    'unprocessable_entity',
    'non-unique-slug',
    'Invalid custom slug',
    `Provided slug "${customSlug}" is already in use${domain === undefined ? '' : ` for domain "${domain}"`}.`,
    { customSlug, domain },
  );
