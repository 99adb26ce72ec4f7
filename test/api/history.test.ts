import { expect } from 'chai';
import fc from 'fast-check';
import { pruneImages } from '../../src/images/keep.ts';
import { db } from '../../src/infra/db.ts';
import { pruneHistory } from '../../src/short-links/prune-history.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { imported } from '../support/imports.ts';
import { walk } from '../support/pages.ts';
import { Receiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const C = 'https://example.com/c';

/** Sends a request to an API of another service. */
async function compat(
  { apiKey }: World,
  method: string,
  path: string,
  body?: object,
): Promise<number> {
  const response = await fetch(`${stack().apiUrl}/compat${path}`, {
    method,
    headers: {
      authorization: `Bearer ${apiKey}`,
      'x-api-key': apiKey,
      'content-type': 'application/json',
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return response.status;
}

/** Kinds of records, with a body that creates one. */
const KINDS = {
  links: { ids: 'linkIds', body: { url: A }, visits: 'clicks' },
  qrcodes: { ids: 'qrcodeIds', body: { type: 'url', url: A }, visits: 'scans' },
} as const;
type Kind = keyof typeof KINDS;

interface Entry {
  id: string;
  action: string;
  changes: Record<string, { from?: unknown; to?: unknown }>;
}

interface Owned {
  id: string;
  key: string;
}

/** A request that changes the title of a record from `null` to `new`. */
type Door = (world: World, record: Owned) => Promise<unknown>;

const linkDoors: Record<string, Door> = {
  'PUT /links/upsert': ({ api }, { key }) =>
    api.put('/links/upsert', { url: A, key, title: 'new' }),
  'an import': (world, { key }) =>
    imported(world, `url,key,title\n${A},${key},new\n`, { onConflict: 'update' }),
  'the API of Dub': (world, { id }) => compat(world, 'PATCH', `/dub/links/${id}`, { title: 'new' }),
  'the API of Shlink': (world, { key }) =>
    compat(world, 'PATCH', `/shlink/rest/v3/short-urls/${key}`, { title: 'new' }),
  MCP: ({ apiKey }, { id }) =>
    fetch(`${stack().apiUrl}/mcp`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${apiKey}`,
        accept: 'application/json, text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'updateLink', arguments: { linkId: id, title: 'new' } },
      }),
    }),
};

const doorsOf = (kind: Kind): Record<string, Door> => ({
  [`PATCH /${kind}/{id}`]: ({ api }, { id }) => api.patch(`/${kind}/${id}`, { title: 'new' }),
  [`PATCH /${kind}/ext_{id}`]: async ({ api }, { id }) => {
    await api.patch(`/${kind}/${id}`, { externalId: 'own' });
    return api.patch(`/${kind}/ext_own`, { title: 'new' });
  },
  [`PATCH /${kind}/bulk`]: ({ api }, { id }) =>
    api.patch(`/${kind}/bulk`, { [KINDS[kind].ids]: [id], data: { title: 'new' } }),
  ...(kind === 'links' ? linkDoors : {}),
});

for (const kind of ['links', 'qrcodes'] as const) {
  describe(`the history of ${kind}`, () => {
    let world: World;
    let key: { user_id: string; id: string };

    beforeEach(async () => {
      world = await aWorkspace();
      key = (await db()('api_keys').where({ project_id: world.projectId }).first())!;
    });

    const create = async (fields: object = {}) => {
      const { status, body } = await world.api.post(`/${kind}`, { ...KINDS[kind].body, ...fields });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    };
    const patch = async (id: string, fields: object) => {
      const { status, body } = await world.api.patch(`/${kind}/${id}`, fields);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    const historyOf = async (id: string, api = world.api) => {
      const { status, body } = await api.get(`/${kind}/${id}/history`);
      expect(status).to.equal(200);
      return body;
    };
    const revert = (id: string, changeId: string, headers = {}) =>
      world.api.post(`/${kind}/${id}/revert`, { changeId }, { headers });
    const reverted = async (id: string, changeId: string) => {
      const { status, body } = await revert(id, changeId);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    /** A record without what every write changes. */
    const comparable = ({ updatedAt: _, ...record }: Record<string, unknown>) => record;

    for (const [name, change] of Object.entries(doorsOf(kind))) {
      it(`has an entry for a change by ${name}`, async () => {
        const record = await create({ key: 'k' });
        await change(world, record);
        const [entry] = await historyOf(record.id);
        expect(entry.action).to.equal(name === 'an import' ? 'imported' : 'updated');
        expect(entry.changes).to.deep.equal({ title: { from: null, to: 'new' } });
        expect(entry.actor.userId).to.equal(key.user_id);
        if (name !== 'an import') expect(entry.actor.apiKeyId).to.equal(key.id);
        expect(Math.abs(Date.now() - Date.parse(entry.at))).to.be.below(60_000);
      });
    }

    it('tells the period of each destination, by which analytics count every visit once', async () => {
      const { id, key, createdAt } = await create();
      const open = async (n: number) =>
        expect((await world.visit(`/${key}`, { userAgent: browser(n) })).status).to.equal(302);
      const versions = async () =>
        (await world.api.get(`/${kind}/${id}/destination-versions`)).body as {
          changeId: string | null;
          url: string;
          start: string;
          end: string | null;
        }[];
      const first = { changeId: null, url: A, start: createdAt };
      expect(await versions()).to.deep.equal([{ ...first, end: null }]);
      await open(1);
      await patch(id, { title: 'no version' });
      await patch(id, { url: B });
      await open(2);
      await open(3);
      await patch(id, { url: C });
      const [third, second] = (await historyOf(id)).slice(0, 2) as (Entry & { at: string })[];
      expect(await versions()).to.deep.equal([
        { changeId: third!.id, url: C, start: third!.at, end: null },
        { changeId: second!.id, url: B, start: second!.at, end: third!.at },
        { ...first, end: second!.at },
      ]);
      await open(4);
      const record = kind === 'links' ? 'linkId' : 'qrcodeId';
      await eventually(async () => {
        const counts = await Promise.all(
          (await versions()).map(async ({ start, end }) => {
            const { visits } = KINDS[kind];
            const query = { [record]: id, event: visits, start, ...(end === null ? {} : { end }) };
            return (await world.api.get('/analytics', query)).body[visits];
          }),
        );
        expect(counts).to.deep.equal([1, 2, 1]);
      });
      const stranger = await aWorkspace();
      const path = `/${kind}/${id}/destination-versions`;
      expect((await stranger.api.get(path)).status).to.equal(404);
      const other = await world.withScopes('tags.read');
      expect((await other.get(path)).status).to.equal(403);
    });

    it('has periods in order when a change overtakes a bulk change that began before it', async () => {
      const [one, two] = [await create(), await create()];
      let bulk!: Promise<unknown>;
      await db().transaction(async (trx) => {
        await trx(kind).where({ project_id: world.projectId, id: one.id }).forUpdate().select('id');
        bulk = world.api.patch(`/${kind}/bulk`, {
          [KINDS[kind].ids]: [one.id, two.id],
          data: { title: 'bulk', ...(kind === 'links' ? { url: B } : {}) },
        });
        await eventually(async () => {
          const { rows: waiting } = (await db().raw(
            `SELECT pid FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE ?`,
            [`%${kind}%`],
          )) as { rows: object[] };
          expect(waiting).not.to.deep.equal([]);
        });
        await patch(two.id, { url: C });
      });
      await bulk;
      const times = (await historyOf(two.id)).map((entry: { at: string }) => entry.at);
      expect(times).to.have.length(2);
      expect(times).to.deep.equal(times.toSorted().toReversed());
      const { body } = await world.api.get(`/${kind}/${two.id}/destination-versions`);
      for (const { start, end } of body) {
        if (end !== null) expect(Date.parse(start)).to.be.at.most(Date.parse(end));
      }
    });

    it('has an entry for each record of a bulk change that is not refused', async () => {
      const [one, two] = [await create(), await create({ startsAt: '2030-01-01' })];
      await world.api.patch(`/${kind}/bulk`, {
        [KINDS[kind].ids]: [one.id, two.id],
        data: { expiresAt: '2029-01-01' },
      });
      expect(await historyOf(one.id)).to.have.length(1);
      expect(await historyOf(two.id)).to.deep.equal([]);
    });

    it('has no entry for a creation, a refused change, or a change of nothing', async () => {
      const record = await create({ title: 'same', password: 'pw' });
      await patch(record.id, { title: 'same', password: 'pw', tagIds: [], archived: false });
      await world.api.patch(`/${kind}/${record.id}`, { tagIds: ['tag_none'] });
      expect(await historyOf(record.id)).to.deep.equal([]);
    });

    it('names tags, folders and times by the values of records', async () => {
      const tag = (await world.api.post('/tags', { name: 'a' })).body;
      const folder = (await world.api.post('/folders', { name: 'b' })).body;
      const { id } = await create();
      const changed = { tagIds: [tag.id], folderId: folder.id, expiresAt: '2040-01-02' };
      await patch(id, changed);
      const [{ changes }] = await historyOf(id);
      expect(changes).to.deep.equal({
        tags: { from: [], to: [{ id: tag.id, name: 'a' }] },
        folderId: { from: null, to: folder.id },
        expiresAt: { from: null, to: '2040-01-02T00:00:00.000Z' },
      });
    });

    it('shows only that a password has changed, and brings it back', async () => {
      const { id } = await create({ password: 'first secret' });
      await patch(id, { password: 'second secret' });
      await patch(id, { password: null });
      const entries = await historyOf(id);
      expect(entries.map(({ changes }: { changes: object }) => changes)).to.deep.equal([
        { password: {}, hasPassword: { from: true, to: false } },
        { password: {} },
      ]);
      const rows = await db()('record_changes').where({ project_id: world.projectId });
      expect(JSON.stringify(rows)).not.to.contain('secret');
      expect((await reverted(id, entries[0].id)).password).to.equal('second secret');
      expect((await reverted(id, entries[1].id)).password).to.equal('first secret');
      const found = await world.api.get(`/${kind}`, { password: 'first secret' });
      if (kind === 'links') expect(found.body).to.have.length(1);
    });

    it('has an entry of a reset with the counts, which cannot be reverted', async () => {
      const { id } = await create({ key: 'k' });
      await world.visit('/k', { userAgent: browser(1) });
      await eventually(async () => {
        const { body } = await world.api.get(`/${kind}/${id}`);
        expect(body[KINDS[kind].visits]).to.equal(1);
      });
      await world.api.post(`/${kind}/${id}/reset`);
      const [{ action, changes, id: changeId }] = await historyOf(id);
      expect(action).to.equal('reset');
      expect(changes[KINDS[kind].visits]).to.deep.equal({ from: 1, to: 0 });
      expect(changes.lastClicked.to).to.equal(null);
      const { status, body } = await revert(id, changeId);
      expect(status).to.equal(422);
      expect(body.error.message).to.match(/^changeId must not name a reset/);
    });

    it('is read page by page', async () => {
      const { id } = await create();
      for (const title of ['a', 'b', 'c', 'd', 'e']) await patch(id, { title });
      const all = await historyOf(id);
      const parts = await walk(world.api, `/${kind}/${id}/history`, { pageSize: 2 });
      expect(parts).to.deep.equal(all);
      expect(all.map((entry: Entry) => entry.changes['title']!.to)).to.deep.equal([
        'e',
        'd',
        'c',
        'b',
        'a',
      ]);
    });

    it('keeps the newest 100 entries, for 400 days', async () => {
      const { id } = await create();
      for (let n = 0; n < 103; n += 1) await patch(id, { title: `t${n}` });
      const entries = await walk<Entry>(world.api, `/${kind}/${id}/history`, { pageSize: 100 });
      expect(entries).to.have.length(100);
      expect(entries.at(-1)!.changes['title']!.to).to.equal('t3');
      const ages = [401, 399].map((days) => new Date(Date.now() - days * 86_400_000));
      for (const [n, at] of ages.entries()) {
        await db()('record_changes').where({ id: entries[n]!.id }).update({ at });
      }
      await pruneHistory();
      const rest = await walk<Entry>(world.api, `/${kind}/${id}/history`, { pageSize: 100 });
      expect(rest.map((entry) => entry.id)).to.deep.equal(
        entries.map((entry) => entry.id).filter((one) => one !== entries[0]!.id),
      );
    });

    it('ends with its record and its workspace', async () => {
      const stored = () => db()('record_changes').where({ project_id: world.projectId });
      const [one, two] = [await create(), await create()];
      await patch(one.id, { title: 'a' });
      await patch(two.id, { title: 'a' });
      await world.api.delete(`/${kind}/${one.id}`, { events: 'remove' });
      expect((await world.api.get(`/${kind}/${one.id}/history`)).status).to.equal(404);
      expect((await revert(one.id, 'chg_none')).status).to.equal(404);
      expect(await stored()).to.have.length(1);
      await db()('claims').where({ project_id: world.projectId }).delete();
      await db()('workspaces').where({ id: world.projectId }).delete();
      expect(await stored()).to.deep.equal([]);
    });

    it('takes a change back, as a change of its own, with its event and its audit entry', async () => {
      const receiver = await Receiver.start();
      try {
        const updated = kind === 'links' ? 'link.updated' : 'qrcode.updated';
        const { id } = await create({ title: 'first' });
        await patch(id, { title: 'second' });
        await patch(id, { comments: 'later' });
        await world.api.post('/webhooks', { name: 'w', url: receiver.url, kinds: [updated] });
        const [, entry] = await historyOf(id);
        const record = await reverted(id, entry.id);
        expect(record).to.include({ title: 'first', comments: 'later' });
        const [newest] = await historyOf(id);
        expect(newest).to.deep.include({
          action: 'reverted',
          revertedId: entry.id,
          changes: { title: { from: 'second', to: 'first' } },
        });
        const noun = kind === 'links' ? 'link' : 'qrcode';
        const { body: log } = await world.api.get('/audit-log', { action: `${noun}.revert` });
        const targets = log.map(({ target }: { target: object }) => target);
        expect(targets).to.have.length(1);
        expect(targets[0]).to.include({ kind: noun, id });
        await eventually(() => {
          expect(receiver.received.map(({ body }) => body.data.title)).to.deep.equal(['first']);
        });
        expect((await reverted(id, newest.id)).title).to.equal('second');
      } finally {
        await receiver.stop();
      }
    });

    it('changes nothing for a change that is taken back already', async () => {
      const { id } = await create();
      await patch(id, { title: 'a' });
      const [{ id: changeId }] = await historyOf(id);
      await reverted(id, changeId);
      await reverted(id, changeId);
      expect(await historyOf(id)).to.have.length(2);
    });

    it('leaves out deleted tags, folders, pages and webhooks', async () => {
      const { api } = world;
      const tags = await Promise.all(
        ['a', 'b'].map(async (name) => (await api.post('/tags', { name })).body.id as string),
      );
      const folderId = (await api.post('/folders', { name: 'f' })).body.id;
      const pageId = (await api.post('/pages', { title: 'p' })).body.id;
      const webhookId = (
        await api.post('/webhooks', { name: 'w', url: A, kinds: ['link.clicked'] })
      ).body.id;
      const { id } = await create({ tagIds: tags, folderId, pageId, webhookIds: [webhookId] });
      await patch(id, { tagIds: [], folderId: null, pageId: null, webhookIds: null, title: 't' });
      const [{ id: changeId }] = await historyOf(id);
      await api.delete(`/tags/${tags[0]}`);
      await api.delete(`/folders/${folderId}`);
      await api.delete(`/pages/${pageId}`);
      await api.delete(`/webhooks/${webhookId}`);
      const record = await reverted(id, changeId);
      expect(record).to.include({ folderId: null, pageId: null, webhookIds: null, title: null });
      expect(record.tags.map((tag: { id: string }) => tag.id)).to.deep.equal([tags[1]]);
    });

    it('refuses what an update refuses', async () => {
      const { api } = world;
      const { id } = await create({ externalId: 'a', expiresAt: '2030-01-01' });
      await patch(id, { externalId: 'b', expiresAt: null });
      const [{ id: changeId }] = await historyOf(id);
      await create({ externalId: 'a' });
      const taken = await revert(id, changeId);
      expect([taken.status, taken.body.error.code]).to.deep.equal([409, 'conflict']);
      await patch(id, { externalId: 'a2' });
      const other = await create();
      expect((await revert(other.id, changeId)).status).to.equal(404);
      await patch(other.id, { expiresAt: '2030-01-01' });
      await patch(other.id, { expiresAt: null, startsAt: '2031-01-01' });
      const [, before] = await historyOf(other.id);
      await patch(other.id, { expiresAt: '2032-01-01' });
      await patch(other.id, { title: 'x' });
      const [, expiry] = await historyOf(other.id);
      expect((await reverted(other.id, expiry.id)).expiresAt).to.equal(null);
      expect(before.changes.expiresAt.to).to.equal('2030-01-01T00:00:00.000Z');
      const [{ id: lastId }] = await historyOf(other.id);
      await patch(other.id, { expiresAt: null, startsAt: '2033-01-01' });
      const reversed = await revert(other.id, lastId);
      expect(reversed.status).to.equal(422);
      expect(reversed.body.error.message).to.equal('startsAt must be before expiresAt');
      expect((await api.get(`/${kind}/${other.id}`)).body.startsAt).to.contain('2033');
    });

    const REFUSED: [name: string, body: unknown, status: number][] = [
      ['an entry that does not exist', { changeId: 'chg_none' }, 404],
      ['no entry', {}, 422],
      ['an entry that is no text', { changeId: 5 }, 422],
      ['an entry that is too long', { changeId: 'c'.repeat(300) }, 422],
      ['an unknown field', { changeId: 'chg_none', historyId: 'x' }, 422],
    ];
    for (const [name, body, status] of REFUSED) {
      it(`refuses to revert ${name}`, async () => {
        const { id } = await create();
        expect((await world.api.post(`/${kind}/${id}/revert`, body)).status).to.equal(status);
      });
    }

    it('honors If-Match and Idempotency-Key', async () => {
      const { id } = await create({ title: 'a' });
      const { headers } = await world.api.get(`/${kind}/${id}`);
      await patch(id, { title: 'b' });
      const [{ id: changeId }] = await historyOf(id);
      const etag = { 'if-match': headers.get('etag')! };
      const stale = await revert(id, changeId, etag);
      expect([stale.status, stale.body.error.code]).to.deep.equal([409, 'conflict']);
      const present = (await world.api.get(`/${kind}/${id}`)).headers.get('etag')!;
      const once = { 'if-match': present, 'idempotency-key': 'once' };
      const first = await revert(id, changeId, once);
      expect(first.status).to.equal(200);
      await patch(id, { title: 'c' });
      const again = await revert(id, changeId, once);
      expect(again.body).to.deep.equal(first.body);
      expect((await world.api.get(`/${kind}/${id}`)).body.title).to.equal('c');
    });

    it('is for callers with the scopes of its records', async () => {
      const { id } = await create({ title: 'a' });
      await patch(id, { title: 'b' });
      const reader = await world.withScopes(`${kind}.read`);
      const [{ id: changeId }] = await historyOf(id, reader);
      const path = `/${kind}/${id}/revert`;
      expect((await reader.post(path, { changeId })).status).to.equal(403);
      const other = kind === 'links' ? 'qrcodes.write' : 'links.write';
      const writer = await world.withScopes(other);
      expect((await writer.get(`/${kind}/${id}/history`)).status).to.equal(403);
      const stranger = await aWorkspace();
      expect((await stranger.api.post(path, { changeId })).status).to.equal(404);
      expect((await stranger.api.get(`/${kind}/${id}/history`)).status).to.equal(404);
    });

    it('brings the first record back when all changes are reverted, newest first', async () => {
      const tagIds: string[] = [];
      for (const name of ['a', 'b', 'c']) {
        tagIds.push((await world.api.post('/tags', { name })).body.id);
      }
      const folderId = (await world.api.post('/folders', { name: 'f' })).body.id;
      const optional = <Value>(...values: Value[]) => fc.constantFrom(null, ...values);
      const url = fc.constantFrom(A, B, `${A}?utm_source=x&b=c`, `${A}?b=%20c&utm_term=ü`);
      const shared = {
        title: optional('One', 'Two'),
        comments: optional('Note'),
        archived: fc.boolean(),
        expiresAt: optional('2040-01-01', '2041-02-03T04:05:06Z'),
        startsAt: optional('2030-01-01'),
        password: optional('pw', 'other'),
        tagIds: fc.subarray(tagIds),
        folderId: optional(folderId as string),
        geo: optional({ DE: A }, { AT: B, DE: B }),
        ios: optional(A, B),
        rules: optional([{ value: { country: ['DE'] }, url: B }]),
        externalId: optional('ext-a', 'ext-b'),
        redirectStatus: fc.constantFrom(301, 302, 307),
        maxVisits: optional(5, 10),
        testVariants: optional(
          [
            { name: 'A', url: A, percentage: 40 },
            { name: 'B', url: B, percentage: 60 },
          ],
          [
            { name: 'C', url: A, percentage: 50 },
            { name: 'D', url: B, percentage: 50 },
          ],
        ),
        testWinner: optional('A', 'D'),
        url,
      };
      const own =
        kind === 'links'
          ? {
              key: fc.constantFrom('one', 'two', 'Three'),
              video: optional(A),
              utm_campaign: optional('c', 'ä b'),
            }
          : {
              fgColor: fc.constantFrom('#000000', '#112233'),
              bgColor: fc.constantFrom('#FFFFFF', '#EEEEEE'),
              frame: fc.constantFrom('none', 'label-top'),
              frameText: optional('Hi', 'Scan'),
              pattern: fc.constantFrom('squares', 'dots'),
              useDisplayPage: fc.boolean(),
              eyeColor: optional('#221100'),
              size: fc.constantFrom(256, 512),
            };
      const fields: Record<string, fc.Arbitrary<unknown>> = { ...shared, ...own };
      const changes = fc.array(fc.record(fields, { requiredKeys: [] }), {
        minLength: 1,
        maxLength: 6,
      });
      let runs = 0;
      await fc.assert(
        fc.asyncProperty(changes, async (bodies) => {
          runs += 1;
          const first = await create(kind === 'links' ? { key: `own-${runs}` } : {});
          const { id } = first;
          const states = [first];
          for (const body of bodies) {
            const { status, body: changed } = await world.api.patch(`/${kind}/${id}`, body);
            // Some combinations break a rule.
            expect(status).to.be.oneOf([200, 409, 422]);
            if (status === 200) states.push(changed);
          }
          const entries: Entry[] = await historyOf(id);
          for (const entry of entries) await reverted(id, entry.id);
          const last = (await world.api.get(`/${kind}/${id}`)).body;
          expect(comparable(last)).to.deep.equal(comparable(first));
          // Reverts of the reverts lead to the last state again.
          const undone = (await walk<Entry>(world.api, `/${kind}/${id}/history`, { pageSize: 100 }))
            .filter(({ action }) => action === 'reverted')
            .map((entry) => entry.id);
          for (const changeId of undone) await reverted(id, changeId);
          const again = (await world.api.get(`/${kind}/${id}`)).body;
          expect(comparable(again)).to.deep.equal(comparable(states.at(-1)!));
          await world.api.delete(`/${kind}/${id}`);
        }),
        { numRuns: 12 },
      );
    });
  });
}

describe('the history of a link', () => {
  it('has an entry for a preview that the service fills in, without an author', async () => {
    const [world, site] = [await aWorkspace(), await Site.start()];
    try {
      const url = site.answer('/page', { type: 'text/html', body: '<title>Its title</title>' });
      const { body: link } = await world.api.post('/links', { url, proxy: true });
      const entry = await eventually(async () => {
        const { body } = await world.api.get(`/links/${link.id}/history`);
        expect(body).to.have.length(1);
        return body[0];
      });
      expect(entry).to.deep.include({
        action: 'previewed',
        actor: null,
        changes: { title: { from: null, to: 'Its title' } },
      });
      const { body } = await world.api.post(`/links/${link.id}/revert`, { changeId: entry.id });
      expect(body.title).to.equal(null);
    } finally {
      await site.stop();
    }
  });

  it('brings a key back to redirects, and refuses one that is taken', async () => {
    const world = await aWorkspace();
    const { body: link } = await world.api.post('/links', { url: A, key: 'old' });
    await world.api.patch(`/links/${link.id}`, { key: 'new', url: B });
    const [entry] = (await world.api.get(`/links/${link.id}/history`)).body;
    const revert = () => world.api.post(`/links/${link.id}/revert`, { changeId: entry.id });
    expect((await revert()).body).to.include({ key: 'old', url: A });
    await eventually(async () => {
      expect((await world.visit('/old')).headers.location).to.equal(A);
      expect((await world.visit('/new')).status).to.equal(404);
    });
    await world.api.patch(`/links/${link.id}`, { key: 'third' });
    await db()('claims').where({ key: 'old', project_id: world.projectId }).delete();
    await world.api.post('/links', { url: A, key: 'old' });
    const { body } = await world.api.get(`/links/${link.id}/history`);
    const taken = await world.api.post(`/links/${link.id}/revert`, { changeId: body[0].id });
    expect([taken.status, taken.body.error.code]).to.deep.equal([409, 'conflict']);
  });

  it('keeps the domain of before, unless the workspace has deleted it', async () => {
    const world = await aWorkspace();
    const slug = `two.${world.domain}`;
    const { body: domain } = await world.api.post('/domains', { slug });
    const { body: link } = await world.api.post('/links', { url: A, key: 'k', domain: slug });
    await world.api.patch(`/links/${link.id}`, { domain: world.domain });
    const [entry] = (await world.api.get(`/links/${link.id}/history`)).body;
    expect(entry.changes).to.deep.equal({ domain: { from: slug, to: world.domain } });
    const revert = (changeId: string) => world.api.post(`/links/${link.id}/revert`, { changeId });
    expect((await revert(entry.id)).body.domain).to.equal(slug);
    const [newest] = (await world.api.get(`/links/${link.id}/history`)).body;
    await revert(newest.id);
    await world.api.delete(`/domains/${domain.id}`);
    expect((await revert(entry.id)).status).to.equal(403);
  });

  it('refuses a URL whose host has been blocked since', async () => {
    const world = await aWorkspace();
    const host = `blocked.${world.domain}`;
    const { body: link } = await world.api.post('/links', { url: `https://${host}/` });
    await world.api.patch(`/links/${link.id}`, { url: A });
    const [entry] = (await world.api.get(`/links/${link.id}/history`)).body;
    await db()('blocked_hosts').insert({ host, reason: 'test' });
    try {
      const { status } = await world.api.post(`/links/${link.id}/revert`, { changeId: entry.id });
      expect(status).to.equal(422);
    } finally {
      await db()('blocked_hosts').where({ host }).delete();
    }
  });

  it('is complete and in order after concurrent changes', async () => {
    const { api } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, title: 't' });
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => api.patch(`/links/${link.id}`, { title: `t${n}` })),
    );
    const { body } = await api.get(`/links/${link.id}/history`);
    const titles = (body as Entry[]).map(({ changes }) => changes['title']!);
    expect(titles).to.have.length(20);
    for (const [n, { from }] of titles.entries()) {
      expect(from).to.equal(titles[n + 1]?.to ?? 't');
    }
  });
});

describe('the history of a QR code', () => {
  it('hides the password of a wireless network from callers who cannot write', async () => {
    const world = await aWorkspace();
    const wifi = { ssid: 'Guests', encryption: 'WPA', password: 'hush hush' };
    const { status, body: code } = await world.api.post('/qrcodes', { type: 'wifi', wifi });
    expect(status, JSON.stringify(code)).to.equal(201);
    const next = { ...wifi, password: 'quiet quiet' };
    await world.api.patch(`/qrcodes/${code.id}`, { wifi: next });
    const path = `/qrcodes/${code.id}/history`;
    const [{ changes, id: changeId }] = (await world.api.get(path)).body;
    expect([changes.wifi.from.password, changes.wifi.to.password]).to.deep.equal([
      'hush hush',
      'quiet quiet',
    ]);
    const reader = await world.withScopes('qrcodes.read');
    const { body } = await reader.get(path);
    expect(JSON.stringify(body)).not.to.match(/hush|quiet/);
    expect(body[0].changes.wifi.from).to.include({ ssid: 'Guests', hasPassword: true });
    const reverted = await world.api.post(`/qrcodes/${code.id}/revert`, { changeId });
    expect(reverted.body.wifi.password).to.equal('hush hush');
  });

  it('has contents of several types and appearances by their fields', async () => {
    const { api } = await aWorkspace();
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A });
    await api.patch(`/qrcodes/${code.id}`, { type: 'text', text: 'Hello', fgColor: '#112233' });
    const path = `/qrcodes/${code.id}`;
    const [{ changes, id: changeId }] = (await api.get(`${path}/history`)).body;
    expect(changes).to.deep.equal({
      type: { from: 'url', to: 'text' },
      url: { from: A, to: null },
      text: { from: null, to: 'Hello' },
      fgColor: { from: '#000000', to: '#112233' },
    });
    const { body } = await api.post(`${path}/revert`, { changeId });
    expect(body).to.include({ type: 'url', url: A, text: null, fgColor: '#000000' });
  });

  it('keeps at most two megabytes before the newest entry', async () => {
    const { api } = await aWorkspace();
    const picture = (n: number) =>
      `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><!--${`${n}`.repeat(300_000)}--><rect width="20" height="20"/></svg>`)}`;
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A });
    const path = `/qrcodes/${code.id}`;
    for (let n = 0; n < 7; n += 1) {
      const { status, body } = await api.patch(path, { src: picture(n) });
      expect(status, JSON.stringify(body).slice(0, 500)).to.equal(200);
    }
    const { body } = await api.get(`${path}/history`);
    // Each but the first has two pictures.
    expect(body).to.have.length(4);
    expect(body[0].changes.src.to).to.equal(picture(6));
  });

  it('keeps the images of before', async () => {
    const { api, projectId } = await aWorkspace();
    const pixel = (color: string) =>
      `data:image/svg+xml,${encodeURIComponent(`<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="${color}"/></svg>`)}`;
    const created = await api.post('/qrcodes', { type: 'url', url: A, src: pixel('red') });
    expect(created.status, JSON.stringify(created.body)).to.equal(201);
    const path = `/qrcodes/${created.body.id}`;
    await api.patch(path, { src: pixel('blue') });
    await api.patch(path, { src: null });
    await db()('images')
      .where({ project_id: projectId })
      .update({ kept_at: new Date(Date.now() - 3 * 86_400_000) });
    await pruneImages();
    const [cleared, first] = (await api.get(`${path}/history`)).body;
    expect(first.changes).to.deep.equal({ src: { from: pixel('red'), to: pixel('blue') } });
    expect((await api.post(`${path}/revert`, { changeId: cleared.id })).body.src).to.equal(
      pixel('blue'),
    );
    const { body } = await api.post(`${path}/revert`, { changeId: first.id });
    expect(body.src).to.equal(pixel('red'));
    expect((await api.download(`${path}/image`)).status).to.equal(200);
  });
});
