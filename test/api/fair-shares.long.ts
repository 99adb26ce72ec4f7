import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { isOfWorkspace } from '../../src/http/route.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { linkQueries } from '../../src/links/queries.ts';
import { createApiKey, revokeApiKey } from '../../src/workspaces/api-keys.ts';
import type { Paging } from '../../src/workspaces/lists.ts';
import { eventually } from '../support/eventually.ts';
import { isTopology, stack } from '../support/stack.ts';
import { aWorkspace } from '../support/world.ts';

const TRIES = 200;
/** Keys that one network can try in a minute before it is limited. */
const LIMIT = 100;

interface Plan {
  'Index Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  Plans?: Plan[];
}

const indexesOf = (plan: Plan): string[] => [
  ...(plan['Index Name'] === undefined ? [] : [plan['Index Name']]),
  ...(plan.Plans ?? []).flatMap(indexesOf),
];

/** Runs a read that is one query, and returns the indexes and the number of blocks that it read. */
async function planOf(read: () => Promise<unknown>) {
  const queries: { sql: string; bindings: string[] }[] = [];
  const record = (query: { sql: string; bindings: string[] }) => queries.push(query);
  db().on('query', record);
  await read();
  db().off('query', record);
  expect(queries).to.have.length(1);
  const [{ sql, bindings }] = queries as [{ sql: string; bindings: string[] }];
  const { rows } = await db().raw<{ rows: { 'QUERY PLAN': { Plan: Plan }[] }[] }>(
    `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) ${sql.replaceAll(/\$\d+/g, '?')}`,
    bindings,
  );
  const { Plan: plan } = rows[0]!['QUERY PLAN'][0]!;
  return {
    indexes: indexesOf(plan),
    blocks: plan['Shared Hit Blocks'] + plan['Shared Read Blocks'],
  };
}

const ask = (apiKey: string, from: string, path = '/tags') =>
  fetch(stack().apiProcessUrl + path, {
    headers: { authorization: `Bearer ${apiKey}`, 'x-forwarded-for': from },
  });

describe('unknown API keys', () => {
  it('are looked up a few at a time for one network', async () => {
    const network = (n: number) => `2001:db8:77:1::${n.toString(16)}`;
    const tried = async (n: number) => ask(`sk_${newId('job')}`, network(n));
    for (let n = 0; n < LIMIT; n += 1) expect((await tried(n)).status).to.equal(401);

    // No look-up can end while the table is locked: what is answered was not looked up.
    const refused: Response[] = [];
    const lock = await db().transaction();
    await lock.raw('LOCK TABLE api_keys IN ACCESS EXCLUSIVE MODE');
    const answers = Array.from({ length: TRIES }, async (_, n) => {
      const answer = await tried(n);
      if (answer.status === 429) refused.push(answer);
      return answer.status;
    });
    try {
      await eventually(() => expect(refused.length).to.be.greaterThan(TRIES * 0.8));
    } finally {
      await lock.rollback();
    }

    // A look-up that waited for the lock too long has failed, which is not a refusal of the key.
    expect(await Promise.all(answers)).to.satisfy((statuses: number[]) =>
      statuses.every((status) => [401, 429, 503].includes(status)),
    );
    const [first] = refused;
    const { error } = (await first!.json()) as { error: { message: string } };
    expect(error.message).to.contain(`in ${first!.headers.get('retry-after')} s`);
  });

  it('do not lock out valid keys of the same network, cached or not', async () => {
    const { apiKey, slug } = await aWorkspace();
    const from = '2001:db8:77:2::1';
    expect((await ask(apiKey, from)).status).to.equal(200);
    for (let n = 0; n < LIMIT + 5; n += 1) await ask(`sk_${newId('job')}`, from);
    const stranger = Array.from({ length: 10 }, () => ask(`sk_${newId('job')}`, from));
    const young = await createApiKey(db(), { workspace: slug, name: 'young', scopes: ['*'] });
    expect((await ask(apiKey, from)).status).to.equal(200);
    expect((await ask(young.apiKey, from)).status).to.equal(200);
    await Promise.all(stranger);
  });

  it('are looked up once when one is repeated', async () => {
    const unknown = `sk_${newId('job')}`;
    for (let n = 0; n < TRIES; n += 1) {
      expect((await ask(unknown, '2001:db8:77:3::1')).status).to.equal(401);
    }
  });
});

describe('revoked and expired API keys', () => {
  it('are cached for a while, and refused with their own reason', async () => {
    const { slug } = await aWorkspace();
    const settings = { workspace: slug, name: 'k', scopes: ['*'] };
    const revoked = await createApiKey(db(), settings);
    await revokeApiKey(db(), slug, revoked.id);
    const expired = await createApiKey(db(), { ...settings, expiresAt: new Date(0) });
    for (const [{ apiKey, id }, why] of [
      [revoked, 'revoked'],
      [expired, 'expired'],
    ] as const) {
      const refusal = async () => {
        const answer = await ask(apiKey, '2001:db8:77:4::1');
        expect(answer.status).to.equal(401);
        return ((await answer.json()) as { error: { message: string } }).error.message;
      };
      expect(await refusal()).to.contain(why);
      // The key would be accepted if the process read it again.
      await db()('api_keys').where({ id }).update({ revoked_at: null, expires_at: null });
      expect(await refusal()).to.contain(why);
    }
  });
});

describe('pagination', () => {
  it('by number ends at row 100,000, and the answer names the header that leads on', async () => {
    const { api } = await aWorkspace();
    for (const path of ['/links', '/qrcodes', '/domains', '/tags', '/events']) {
      const { status, body } = await api.get(path, { page: 1_000_000 });
      expect(status, path).to.equal(422);
      expect(body.error.message).to.equal(
        'page must not reach further than row 100000; follow the header Link of each page instead',
      );
    }
    expect((await api.get('/events?page=1000&limit=100')).status).to.equal(200);
  });

  it('by cursor reads the next rows of an index, however deep the page is', async () => {
    const { api, projectId } = await aWorkspace();
    await api.post('/links', { url: 'https://example.com' });
    await db().raw(
      `INSERT INTO links (project_id, id, user_id, domain_id, key, url, title, search_text, created_at)
       SELECT project_id, 'link_' || lpad((n * 7919 % 20000)::text, 24, '0'), user_id, domain_id, 'k' || n,
              'https://example.com/' || n, 'Title ' || n / 3, '', now() - n * interval '1 s'
         FROM links, generate_series(1, 20000) AS n WHERE project_id = ?`,
      [projectId],
    );
    await db().raw('ANALYZE links');
    for (const sortOrder of ['asc', 'desc'] as const) {
      const order = { sort: 'createdAt', sortOrder };
      const read = (paging: Paging) =>
        linkQueries.list(projectId, { showArchived: false }, { ...order, ...paging });
      const { next } = await read({ page: 190, pageSize: 100 });
      const first = await planOf(() => read({ page: 1, pageSize: 100 }));
      const deep = await planOf(() => read({ page: 1, pageSize: 100, after: next }));
      expect(deep.indexes, sortOrder).to.include('links_newest');
      expect(deep.blocks, sortOrder).to.be.lessThan(2 * first.blocks);
    }
  });
});

/** Query parameters that select a page of a list. */
const PAGING = ['page', 'pageSize', 'limit', 'cursor', 'after'];
/**
 * Other parameters of lists that must not read all rows: the index that serves each, or `null` for
 * a parameter that filters nothing.
 */
const INDEXED: Record<string, Record<string, string | null>> = {
  '/links': {
    projectSlug: null,
    showArchived: null,
    importId: 'import_links_import',
    tagId: 'link_tags_tag',
    tagIds: 'link_tags_tag',
    tagNames: 'link_tags_tag',
    allTagNames: 'link_tags_tag',
    destination: 'links_destination',
    sortOrder: 'links_newest',
    createdAfter: 'links_newest',
    createdBefore: 'links_newest',
  },
  '/qrcodes': {
    projectSlug: null,
    showArchived: null,
    tagId: 'qrcode_tags_tag',
    tagIds: 'qrcode_tags_tag',
    tagNames: 'qrcode_tags_tag',
    allTagNames: 'qrcode_tags_tag',
    destination: 'qrcodes_destination',
    sortOrder: 'qrcodes_newest',
    createdAfter: 'qrcodes_newest',
    createdBefore: 'qrcodes_newest',
  },
  '/trash': { type: 'trash_latest' },
  '/links/{linkId}/changes': { status: 'scheduled_changes_pkey' },
  '/qrcodes/{qrcodeId}/changes': { status: 'scheduled_changes_pkey' },
  '/customers': {
    externalId: 'customers_project_id_external_id_key',
    ids: 'customers_pkey',
    before: 'customers_pkey',
    sortBy: 'customer_counters_sale_amount',
    sortOrder: 'customers_pkey',
    withSales: null,
  },
  '/tags': { ids: 'tags_pkey', sortOrder: 'tags_name' },
  '/views': { list: 'views_name' },
  '/domains': { archived: null },
  // A binary search in memory.
  '/places/cities': { search: null },
  '/webhooks/{id}/deliveries': { recordId: 'webhook_deliveries_record' },
};

describe('lists', () => {
  it('are heavy requests with each parameter that no index answers', async () => {
    const { rows } = await db().raw<{ rows: { indexname: string }[] }>(
      'SELECT indexname FROM pg_indexes',
    );
    const indexes = new Set([null, ...rows.map(({ indexname }) => indexname)]);
    let lists = 0;
    for (const { operationId, path, scope, query, isHeavy } of routes) {
      if (!/^(?:list|count|export)/.test(operationId) || !isOfWorkspace(scope)) continue;
      lists += 1;
      if (isHeavy === true) continue;
      const indexed = INDEXED[path] ?? {};
      for (const name of Object.keys((query?.describe().keys as object | undefined) ?? {})) {
        if (PAGING.includes(name)) continue;
        const given = typeof isHeavy === 'function' && isHeavy({ [name]: 'x' });
        const isLight = Object.hasOwn(indexed, name);
        expect(given, `${operationId} with ${name} is heavy, or INDEXED names its index`).to.equal(
          !isLight,
        );
        if (isLight) expect(indexes, `${operationId}: ${name}`).to.include(indexed[name]!);
      }
      if (typeof isHeavy === 'function')
        expect(isHeavy({ page: '2' }), operationId).to.equal(false);
    }
    expect(lists).to.be.greaterThan(15);
  });

  it('take one processor each, however many records there are', async () => {
    const plans = await db().transaction(async (trx) => {
      await trx.raw(`SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0;
        SET LOCAL parallel_tuple_cost = 0; SET LOCAL max_parallel_workers_per_gather = 2;
        SET LOCAL enable_indexscan = off; SET LOCAL enable_indexonlyscan = off; SET LOCAL enable_bitmapscan = off`);
      const explained: string[] = [];
      for (const table of [
        'links',
        'link_tags',
        'qrcodes',
        'qrcode_tags',
        'customers',
        'customer_counters',
        'counters',
      ]) {
        const { rows } = await trx.raw<{ rows: object[] }>('EXPLAIN SELECT count(*) FROM ??', [
          table,
        ]);
        explained.push(JSON.stringify(rows));
      }
      return explained.join('\n');
    });
    expect(plans).to.contain('Seq Scan').and.not.to.contain('Parallel');
  });

  it('of one workspace wait for each other where all records are read', async function () {
    if (isTopology()) this.skip();
    for (const [path, table] of [
      ['/links?search=x', 'links'],
      ['/links?sort=clicks', 'links'],
      ['/qrcodes?comments=x', 'qrcodes'],
      ['/customers?search=x', 'customers'],
      ['/tags?search=x', 'tags'],
      ['/analytics/export', 'events'],
      ['/compat/dub/links?search=x', 'links'],
      ['/compat/shlink/rest/v3/short-urls?searchTerm=x', 'links'],
      ['/compat/yourls/yourls-api.php?action=stats&filter=top&limit=10', 'links'],
    ] as const) {
      const { apiKey } = await aWorkspace({ plan: 'enterprise' });
      const url = new URL(path, stack().apiProcessUrl);
      if (path.includes('yourls')) url.searchParams.set('signature', apiKey);
      const headers = { authorization: `Bearer ${apiKey}`, 'x-api-key': apiKey };
      let all: Promise<Response>[] = [];
      await db().transaction(async (trx) => {
        // No query on the table finishes while this lock is held.
        await trx.raw(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
        all = Array.from({ length: 3 + 30 + 1 }, () => fetch(url, { headers }));
        const first = await Promise.race(all);
        expect(first.status, path).to.equal(429);
        expect(await first.text(), path).to.contain('requests for many records at a time');
      });
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expect(statuses, path).to.include(200);
    }
  });
});

describe('slow queries', () => {
  it('of one workspace wait for each other, and do not delay other workspaces', async () => {
    const [hostile, regular] = [await aWorkspace(), await aWorkspace()];
    const flood = Array.from({ length: 60 }, () => hostile.api.get('/analytics?interval=90d'));
    const { status } = await regular.api.get('/analytics?interval=90d');
    expect(status).to.equal(200);
    const statuses = new Set((await Promise.all(flood)).map((answer) => answer.status));
    expect([...statuses].filter((one) => one !== 200 && one !== 429)).to.deep.equal([]);
  });

  it('are refused at their time limit with a suggestion', async function () {
    // Reads go to the standby, where nothing is locked.
    if (isTopology()) this.skip();
    const { api } = await aWorkspace();
    await db().transaction(async (trx) => {
      // Counting links waits for this lock.
      await trx.raw('LOCK TABLE links IN ACCESS EXCLUSIVE MODE');
      const { status, body } = await api.get('/links/count');
      expect(status).to.equal(422);
      expect(body.error.message).to.contain('took too long');
      await trx.raw('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      const file = await api.get('/analytics/export');
      expect([file.status, file.body.error?.code]).to.deep.equal([422, 'unprocessable_entity']);
      expect(file.body.error.message).to.contain('took too long');
      // The caller cannot fix this timeout, so it stays a 500.
      expect((await api.get('/links/nope')).status).to.equal(500);
    });
  });
});
