import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A request to a service that is imitated: its path, its query or form, and its headers. */
interface PeerRequest {
  path: string;
  query: URLSearchParams;
  headers: IncomingMessage['headers'];
}

/** The answer to a request: JSON, or a status. */
type Answer = object | number | undefined;

/** Imitates the API of another service, on loopback. */
export class PeerServer {
  readonly #server: Server;
  /** All requests so far. */
  readonly asked: PeerRequest[] = [];
  /** Statuses of the next answers. */
  readonly failures: { status?: number; retryAfter?: string }[] = [];
  /** Delay of every answer, or of the answer to a request, in ms. */
  delayMs: number | ((question: PeerRequest) => number) = 0;

  private constructor(answer: (question: PeerRequest) => Answer) {
    this.#server = createServer((request, response) => {
      void this.#respond(request, response, answer);
    });
  }

  async #respond(
    request: IncomingMessage,
    response: ServerResponse,
    answer: (question: PeerRequest) => Answer,
  ): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    let form = '';
    for await (const piece of request) form += String(piece);
    const query = form === '' ? searchParams : new URLSearchParams(form);
    const question = { path: pathname, query, headers: request.headers };
    this.asked.push(question);
    const { delayMs } = this;
    const waitMs = typeof delayMs === 'number' ? delayMs : delayMs(question);
    await new Promise((resolve) => setTimeout(resolve, waitMs));
    const { status, retryAfter } = this.failures.shift() ?? {};
    const answered = status ?? answer(question) ?? 404;
    if (typeof answered === 'number') {
      response.writeHead(answered, retryAfter === undefined ? {} : { 'retry-after': retryAfter });
      response.end();
      return;
    }
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify(answered));
  }

  static async start(answer: (question: PeerRequest) => Answer): Promise<PeerServer> {
    const peer = new PeerServer(answer);
    await new Promise<void>((resolve) => {
      peer.#server.listen(0, '127.0.0.1', resolve);
    });
    return peer;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }
}

/** Authentication of a user of each service, by its documentation. */
const bearer = ({ headers }: PeerRequest) => headers.authorization === 'Bearer token-1';
const apiKey = ({ headers }: PeerRequest) => headers['x-api-key'] === 'token-1';

const page = <Item>(items: Item[], from: number, size: number) => items.slice(from, from + size);

/** Answers like the APIs of the services, for an account with some links on a domain. */
export const PEER_APIS: Record<
  string,
  (domain: string, count: number) => (question: PeerRequest) => Answer
> = {
  bitly: (domain, count) => {
    const links = Array.from({ length: count }, (_, n) => ({
      created_at: '2023-03-01T09:30:00+0000',
      id: `${domain}/k${n}`,
      link: `https://${domain}/k${n}`,
      custom_bitlinks: [],
      long_url: `https://example.com/${n}`,
      title: `Title ${n}`,
      archived: n % 2 === 1,
      tags: [],
    }));
    return (question) => {
      const { path, query } = question;
      if (!bearer(question)) return 403;
      if (path === '/v4/groups') return { groups: [{ guid: 'Bk0' }, { guid: 'Bk1' }] };
      if (path === '/v4/groups/Bk0/bitlinks') return { links: [], pagination: {} };
      if (path === '/v4/groups/Bk1/bitlinks') {
        const from = Number(query.get('search_after') ?? 0);
        const size = Number(query.get('size'));
        const next = from + size < count ? String(from + size) : '';
        return { links: page(links, from, size), pagination: { size, search_after: next } };
      }
      const n = /\/k(\d+)\/clicks\/summary$/.exec(path)?.[1];
      return n === undefined ? undefined : { total_clicks: Number(n) * 10, unit: 'month' };
    };
  },
  dub: (domain, count) => {
    const links = Array.from({ length: count }, (_, n) => ({
      id: `link_${n}`,
      domain,
      key: `k${n}`,
      url: `https://example.com/${n}`,
      shortLink: `https://${domain}/k${n}`,
      externalId: null,
      disabledAt: null,
      password: n === 1 ? 'hidden word' : null,
      tags: [{ id: 'tag_1', name: 'spring', color: 'red' }],
      clicks: n * 10,
      workspaceId: 'ws_1',
      createdAt: '2024-02-03T10:11:12.000Z',
    }));
    return (question) => {
      const { path, query } = question;
      if (!bearer(question)) return 401;
      if (path === '/links/count') return Object(count) as object;
      if (path !== '/links') return undefined;
      const after = links.findIndex(({ id }) => id === query.get('startingAfter'));
      return page(links, after + 1, Number(query.get('pageSize')));
    };
  },
  kutt: (domain, count) => {
    const data = Array.from({ length: count }, (_, n) => ({
      id: `6e2b8f0a-23a5-4c5e-9a53-${String(n).padStart(12, '0')}`,
      address: `k${n}`,
      banned: false,
      created_at: '2020-07-18T12:49:44.000Z',
      password: false,
      description: null,
      expire_in: null,
      target: `https://example.com/${n}`,
      visit_count: n * 10,
      domain: null,
      link: `https://${domain}/k${n}`,
    }));
    return (question) => {
      if (!apiKey(question)) return 401;
      if (question.path !== '/api/v2/links') return undefined;
      const skip = Number(question.query.get('skip'));
      const limit = Math.min(Number(question.query.get('limit')), 50);
      return { total: count, limit, skip, data: page(data, skip, limit) };
    };
  },
  shlink: (domain, count) => {
    const data = Array.from({ length: count }, (_, n) => ({
      shortCode: `k${n}`,
      shortUrl: `https://${domain}/k${n}`,
      longUrl: `https://example.com/${n}`,
      dateCreated: '2016-08-21T20:34:16+02:00',
      visitsSummary: { total: n * 10, nonBots: n * 10, bots: 0 },
      tags: ['games'],
      meta: { validSince: null, validUntil: null, maxVisits: null },
      domain: null,
      title: null,
      crawlable: false,
      forwardQuery: true,
      hasRedirectRules: n === 2,
    }));
    const redirectRules = [
      {
        longUrl: 'https://example.com/ios',
        priority: 1,
        conditions: [{ type: 'device', matchKey: null, matchValue: 'ios' }],
      },
      {
        longUrl: 'https://example.com/office',
        priority: 2,
        conditions: [{ type: 'ip-address', matchKey: null, matchValue: '10.0.0.0/8' }],
      },
      {
        longUrl: 'https://example.com/de',
        priority: 3,
        conditions: [
          { type: 'language', matchKey: null, matchValue: 'de' },
          { type: 'query-param', matchKey: 'a', matchValue: 'b' },
        ],
      },
    ];
    return (question) => {
      const { path, query } = question;
      if (!apiKey(question)) return 401;
      if (path === '/rest/v3/short-urls/k2/redirect-rules') {
        return { defaultLongUrl: 'https://example.com/2', redirectRules };
      }
      if (path !== '/rest/v3/short-urls') return undefined;
      const size = Number(query.get('itemsPerPage'));
      const currentPage = Number(query.get('page'));
      const pagination = { currentPage, pagesCount: Math.ceil(count / size), totalItems: count };
      return { shortUrls: { data: page(data, (currentPage - 1) * size, size), pagination } };
    };
  },
  shortio: (domain, count) => {
    const links = Array.from({ length: count }, (_, n) => ({
      id: `lnk_${n}`,
      idString: `lnk_${n}`,
      originalURL: `https://example.com/${n}`,
      path: `k${n}`,
      createdAt: '2022-01-02T03:04:05.000Z',
      hasPassword: false,
      DomainId: 77,
      shortURL: `http://${domain}/k${n}`,
      secureShortURL: `https://${domain}/k${n}`,
    }));
    return ({ path, query, headers }) => {
      if (headers.authorization !== 'token-1') return 401;
      if (path === '/api/domains') return [{ id: 77, hostname: domain, caseSensitive: true }];
      if (path === '/api/links' && query.get('domain_id') === '77') {
        const from = Number(query.get('pageToken') ?? 0);
        const size = Number(query.get('limit'));
        const nextPageToken = from + size < count ? String(from + size) : null;
        return { count, links: page(links, from, size), nextPageToken };
      }
      if (path !== '/statistics/domain/77/link_clicks') return undefined;
      const ids = (query.get('ids') ?? '').split(',');
      return Object.fromEntries(ids.map((id) => [id, Number(id.slice(4)) * 10]));
    };
  },
  yourls: (domain, count) => {
    const all = Array.from({ length: count }, (_, n) => ({
      shorturl: `https://${domain}/k${n}`,
      url: `https://example.com/${n}`,
      title: `Title ${n}`,
      timestamp: '2013-04-05 06:07:08',
      ip: '127.0.0.1',
      clicks: String(n * 10),
    }));
    return ({ path, query }) => {
      if (query.get('signature') !== 'token-1') return 403;
      if (path !== '/yourls-api.php' || query.get('action') !== 'stats') return 400;
      const shown = page(all, Number(query.get('start')), Number(query.get('limit')));
      const links = Object.fromEntries(shown.map((link, n) => [`link_${n + 1}`, link]));
      return {
        ...(shown.length > 0 ? { links } : {}),
        stats: { total_links: count, total_clicks: 0 },
        statusCode: '200',
      };
    };
  },
};
