import { expect } from 'chai';
import fc from 'fast-check';
import { routes } from '../../src/api/routes.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { settled } from '../support/bulk-changes.ts';
import { eventually } from '../support/eventually.ts';
import { nextOf, walk } from '../support/pages.ts';
import { aPerson, type Person } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';

type Item = { id?: string; userId?: string; host?: string };

const URL_A = 'https://example.com/a';
const sorted = (sorts: readonly string[]) =>
  sorts.flatMap((sort) => ['asc', 'desc'].map((sortOrder) => ({ sort, sortOrder })));

/** Queries of the lists: every sort of each. */
const bySort = (names: readonly string[]): Record<string, string>[] =>
  names.flatMap((sortBy) => ['asc', 'desc'].map((sortOrder) => ({ sortBy, sortOrder })));
const QUERIES: Record<string, Record<string, string>[]> = {
  '/links': [
    ...sorted(['createdAt', 'clicks', 'lastClicked', 'key', 'url', 'title']),
    { query: 'k' },
    { query: 'k', sortOrder: 'asc' },
    { search: 'k' },
  ],
  '/qrcodes': sorted(['createdAt', 'scans', 'lastClicked']),
  '/events': ['asc', 'desc'].map((order) => ({ event: 'sales', interval: 'all', order })),
  '/tags': bySort(['name', 'createdAt']),
  '/customers': bySort([
    'createdAt',
    'saleAmount',
    'sales',
    'leads',
    'lastSeenAt',
    'firstClick',
    'country',
  ]),
};
/** Lists with `limit` instead of `pageSize`. */
const LIMITED = [
  '/audit-log',
  '/admin/blocked-hosts',
  '/admin/blocked-links',
  '/admin/abuse-reports',
];

describe('lists by cursor', () => {
  let world: World;
  let owner: Person;
  let webhookId: string;
  /** Ids in the paths of lists, by parameter. */
  let idsOf: Record<string, string>;
  let reportId: string;
  let receiver: Receiver;

  before(async () => {
    world = await aWorkspace();
    owner = await aPerson({ in: { ...world, role: 'owner' }, isOperator: true });
    const { api } = world;
    const post = async (path: string, body: object) => {
      const { status, body: made } = await api.post(path, body);
      expect(status, `${path} ${JSON.stringify(made)}`).to.equal(201);
      return made as { id: string };
    };
    for (let n = 0; n < 5; n += 1) {
      await aPerson({ in: { ...world, role: 'viewer' } });
      const link = await post('/links', {
        key: n === 0 ? 'k' : `k${n}`,
        url: `${URL_A}${n % 2}`,
        title: [null, 'Same', 'same', null, `Title ${n}`][n],
      });
      await db()('counters')
        .insert({
          project_id: world.projectId,
          record_id: link.id,
          visits: n % 3,
          last_visit_at: n < 2 ? null : new Date(Date.UTC(2026, 0, 1 + (n % 2))),
        })
        .onConflict(['project_id', 'record_id'])
        .merge();
      await post('/qrcodes', { type: 'text', text: `text ${n}`, useAsTemplate: true });
      await api.delete(`/links/${(await post('/links', { url: URL_A })).id}`);
      await post('/tags', { name: `tag ${n}` });
      await post('/folders', { name: `folder ${n}` });
      for (const kind of ['links', 'qrcodes'] as const) {
        const change = { ids: ['none'], data: { comments: `${n}` } };
        await settled(api, (await post(`/bulk-changes/${kind}`, change)).id, kind);
      }
      await post('/pages', { title: `page ${n}` });
      await post('/customers', { externalId: `c${n}` });
      await post('/views', { list: 'links', name: `view ${n}`, query: '', shared: true });
      reportId = (await post('/reports', { name: `report ${n}` })).id;
      await post('/utm-templates', { name: `utm ${n}`, utm_source: 's' });
      await post('/webhooks', { name: `hook ${n}`, url: URL_A, kinds: ['link.created'] });
      await post('/integrations', { type: 'stripe', name: `shop ${n}`, secret: 's' });
      await post('/destinations', {
        type: 'redis',
        name: `stream ${n}`,
        settings: { url: 'rediss://redis.example:443', stream: 's' },
      });
      await post('/keys', { name: `key ${n}` });
      await post('/domains', { slug: `d${n}.${world.domain}` });
      await post('/invitations', { email: `i${n}@${world.domain}`, role: 'viewer' });
      await api.post('/track/sale', { customerExternalId: `c${n}`, amount: n, invoiceId: `${n}` });
      await db()('blocked_links').insert({
        record_id: `${link.id}x`,
        project_id: world.projectId,
        short_link: `https://${world.domain}/x${n}`,
        reason: 'test',
        created_at: new Date(Date.UTC(2026, 0, 1 + (n % 2))),
      });
      await owner.api.put(`/admin/blocked-hosts/h${n}.${world.domain}`, { reason: 'test' });
    }
    // Merges of one request have the same time.
    const customerIds: string[] = [];
    for (let n = 0; n < 4; n += 1) {
      customerIds.push((await post('/customers', { externalId: `merged${n}` })).id);
    }
    await api.post('/customers/merge', { customerIds, into: 'ext_c0' });
    for (let n = 0; n < 5; n += 1) {
      await post(`/reports/${reportId}/recipients`, { email: `r${n}@${world.domain}` });
    }
    const link = await post('/links', { key: 'changed', url: `${URL_A}9` });
    const qrcode = await post('/qrcodes', { type: 'text', text: 'changed' });
    for (let n = 0; n < 5; n += 1) {
      await api.patch(`/links/${link.id}`, { comments: `${n}` });
      await api.patch(`/qrcodes/${qrcode.id}`, { comments: `${n}` });
      const scheduled = [
        ['link', link],
        ['qrcode', qrcode],
      ] as const;
      for (const [kind, { id: recordId }] of scheduled) {
        // Two changes have the same time.
        const at = new Date(Date.UTC(2031, 0, 1 + (n % 4)));
        await db()('scheduled_changes').insert({
          project_id: world.projectId,
          record_id: recordId,
          id: newId('scheduledChange'),
          kind,
          at,
          queue_at: at,
          changes: { comments: 'later' },
        });
      }
    }
    receiver = await Receiver.start();
    const hook = { name: 'hook', url: receiver.url, kinds: ['link.created'] };
    webhookId = (await post('/webhooks', hook)).id;
    idsOf = { id: webhookId, linkId: link.id, qrcodeId: qrcode.id };
    for (let n = 0; n < 3; n += 1) await post(`/webhooks/${webhookId}/test`, {});
    await eventually(async () => {
      const { body } = await api.get('/events', QUERIES['/events']![0]);
      expect(body).to.have.length(5);
    });
    // Records that still change would differ between two requests.
    await eventually(async () => {
      const { body } = await api.get(`/webhooks/${webhookId}/deliveries`, { state: 'delivered' });
      expect(body).to.have.length(3);
    });
  });
  after(async () => {
    await receiver.stop();
    await db()('blocked_links').where({ project_id: world.projectId }).delete();
    for (let n = 0; n < 5; n += 1)
      await owner.api.delete(`/admin/blocked-hosts/h${n}.${world.domain}`);
  });

  const listed = routes.filter(({ query }) => {
    const { keys = {} } = (query?.describe() ?? {}) as { keys?: object };
    return 'after' in keys;
  });

  for (const { path, scope } of listed) {
    for (const query of QUERIES[path] ?? [{}]) {
      it(`have every record once: ${path} ${new URLSearchParams(query).toString()}`, async () => {
        const size = LIMITED.includes(path) || path === '/events' ? 'limit' : 'pageSize';
        const url = path
          .replace('/customers/{id}', '/customers/ext_c0')
          .replace('/reports/{id}', `/reports/${reportId}`)
          .replace(/\{(\w+)\}/, (_, name: string) => idsOf[name]!);
        const api = scope === 'operator' ? owner.api : world.api;
        // The audit log has more entries than one page.
        const whole =
          path === '/audit-log'
            ? await walk<Item>(api, url, { ...query, [size]: 100 })
            : (await api.get(url, { ...query, [size]: 50 })).body;
        const parts = await walk<Item>(api, url, { ...query, [size]: 2 });
        expect(parts).to.deep.equal(path === '/admin/blocked-hosts' ? parts : whole);
        const ids = parts.map(
          (item) => item.id ?? item.userId ?? item.host ?? JSON.stringify(item),
        );
        expect(new Set(ids).size).to.equal(ids.length);
      });
    }
  }

  it('lead on with all parameters of the request, and only while more follow', async () => {
    const { api } = world;
    const query = { search: 'tag', sortOrder: 'desc', pageSize: 2, page: 2 };
    const second = await api.get('/tags', query);
    const next = new URL(nextOf(second)!, 'http://localhost').searchParams;
    expect(Object.fromEntries(next)).to.deep.equal({
      search: 'tag',
      sortOrder: 'desc',
      pageSize: '2',
      after: second.headers.get('x-next-cursor'),
    });
    expect(nextOf(await api.get('/tags', { pageSize: 5 }))).to.equal(undefined);
    expect(nextOf(await api.get('/tags', { pageSize: 4 }))).to.be.a('string');
    const ids = (await api.get('/tags')).body.map(({ id }: { id: string }) => id);
    const repeated = nextOf(await api.get('/tags', { ids, pageSize: 1 }));
    expect(new URL(repeated!, 'http://localhost').searchParams.getAll('ids')).to.deep.equal(ids);
  });

  it('leave out a Link that proxies could refuse, and still name the cursor', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => `tag_${'x'.repeat(40)}${n}`);
    const [{ id: first }, { id: second }] = (await world.api.get('/tags')).body;
    const query = { ids: [first, second, ...ids.slice(2)], pageSize: 1 };
    const { headers } = await world.api.get('/tags', query);
    expect(headers.get('link')).to.equal(null);
    const after = headers.get('x-next-cursor')!;
    const { body } = await world.api.get('/tags', { ...query, after });
    expect(body.map(({ id }: { id: string }) => id)).to.deep.equal([second]);
  });

  it('accept the id of the last customer', async () => {
    const { body: all } = await world.api.get('/customers');
    const { body: rest } = await world.api.get('/customers', { after: all[1].id });
    expect(rest).to.deep.equal(all.slice(2));
  });

  const REFUSED: [
    name: string,
    path: string,
    query: (cursor: string) => Record<string, string>,
    message: RegExp,
  ][] = [
    ['of another list', '/folders', (after) => ({ after }), /^after must be the cursor/],
    ['of another order', '/tags', (after) => ({ after, sortOrder: 'desc' }), /^after must be/],
    ['of another filter', '/tags', (after) => ({ after, search: 'a' }), /^after must be/],
    ['that was changed', '/tags', (after) => ({ after: `${after}A` }), /^after must be the cursor/],
    ['of no list', '/tags', () => ({ after: 'abc' }), /^after must be the cursor/],
    ['of no list, of events', '/events', () => ({ after: 'abc' }), /^after must be the cursor/],
    ['of the customers, for no id', '/customers', () => ({ after: 'x' }), /^after must be/],
    ['that is empty', '/tags', () => ({ after: '' }), /^after must not be empty|^after /],
    [
      'of the audit log, with the earlier one',
      '/audit-log',
      (after) => ({ after, cursor: `log_${'0'.repeat(24)}` }),
      /^after and cursor must not be given together/,
    ],
    ['with a page', '/tags', (after) => ({ after, page: '2' }), /^after must not be given with a/],
  ];
  for (const [name, path, query, message] of REFUSED) {
    it(`are refused with a cursor ${name}`, async () => {
      const { headers } = await world.api.get('/tags', { pageSize: 1 });
      const { status, body } = await world.api.get(path, query(headers.get('x-next-cursor')!));
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('are refused with a cursor of another workspace', async () => {
    const { headers } = await world.api.get('/tags', { pageSize: 1 });
    const other = await aWorkspace();
    const { status } = await other.api.get('/tags', { after: headers.get('x-next-cursor')! });
    expect(status).to.equal(422);
  });

  it('accept another page size and page 1', async () => {
    const { headers } = await world.api.get('/tags', { pageSize: 1 });
    const after = headers.get('x-next-cursor')!;
    const { body } = await world.api.get('/tags', { after, page: 1, pageSize: 100 });
    expect(body).to.have.length(4);
  });

  it('have each record once, in order, while others are created and deleted', async () => {
    const names = fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { maxLength: 6 });
    const change = fc.record({ added: names, removed: names });
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          stable: fc.uniqueArray(fc.integer({ min: 0, max: 999 }), { minLength: 4, maxLength: 12 }),
          changes: fc.array(change, { minLength: 1, maxLength: 4 }),
          pageSize: fc.integer({ min: 1, max: 4 }),
          query: fc.constantFrom<Record<string, string>>(...QUERIES['/tags']!),
        }),
        async ({ stable, changes, pageSize, query }) => {
          const { api } = await aWorkspace();
          const others = new Map<string, string>();
          const add = async (name: string) => (await api.post('/tags', { name })).body.id as string;
          const ids: string[] = [];
          for (const n of stable) ids.push(await add(`${n} stable`));
          let at = 0;
          const items = await walk<{ id: string; name: string }>(
            api,
            '/tags',
            { ...query, pageSize },
            async () => {
              const { added, removed } = changes[at % changes.length]!;
              at += 1;
              for (const n of added) {
                const name = `${n} other ${at}`;
                if (at < 6) others.set(name, await add(name));
              }
              for (const [name, id] of others) {
                if (!removed.includes(Number.parseInt(name, 10))) continue;
                await api.delete(`/tags/${id}`);
                others.delete(name);
              }
            },
          );
          const seen = items.map(({ id }) => id);
          expect(new Set(seen).size).to.equal(seen.length);
          const order = (await walk<{ id: string }>(api, '/tags', query)).map(({ id }) => id);
          expect(seen.filter((id) => ids.includes(id))).to.deep.equal(
            order.filter((id) => ids.includes(id)),
          );
        },
      ),
      { numRuns: 8 },
    );
  });
});
