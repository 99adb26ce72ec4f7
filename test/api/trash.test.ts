import { expect } from 'chai';
import fc from 'fast-check';
import { pruneImages } from '../../src/images/keep.ts';
import { db } from '../../src/infra/db.ts';
import { pruneTrash } from '../../src/trash/commands.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { walk } from '../support/pages.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';

const KINDS = {
  links: { kind: 'link', ids: 'linkIds', body: { url: A }, visits: 'clicks' },
  qrcodes: { kind: 'qrcode', ids: 'qrcodeIds', body: { type: 'url', url: A }, visits: 'scans' },
} as const;

for (const list of ['links', 'qrcodes'] as const) {
  const { kind, ids, body: minimal, visits } = KINDS[list];

  describe(`deleted ${list}`, () => {
    let world: World;
    beforeEach(async () => {
      world = await aWorkspace();
    });

    const create = async (fields: object = {}) => {
      const { status, body } = await world.api.post(`/${list}`, { ...minimal, ...fields });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    };
    const drop = async (id: string, query = {}) => {
      const { status } = await world.api.delete(`/${list}/${id}`, query);
      expect(status).to.equal(200);
    };
    const restore = (id: string, body?: object) => world.api.post(`/${list}/${id}/restore`, body);
    const restored = async (id: string, fields?: object) => {
      const { status, body } = await restore(id, fields);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    const trash = async (query = {}) => (await world.api.get('/trash', query)).body;
    const read = async (id: string) => (await world.api.get(`/${list}/${id}`)).body;
    /** Checks run by themselves, and start again after a restoration. */
    const comparable = ({ destinationCheck: _, ...record }: Record<string, unknown>) => record;

    it('are gone from every list, and from redirects', async () => {
      const { id } = await create({ key: 'k', externalId: 'e' });
      await drop(id);
      expect((await world.api.get(`/${list}/${id}`)).status).to.equal(404);
      expect((await world.api.get(`/${list}/ext_e`)).status).to.equal(404);
      expect((await world.api.patch(`/${list}/${id}`, { title: 't' })).status).to.equal(404);
      expect((await world.api.delete(`/${list}/${id}`)).status).to.equal(404);
      expect((await world.api.get(`/${list}/${id}/history`)).status).to.equal(404);
      expect((await world.api.get(`/${list}`, { showArchived: true })).body).to.deep.equal([]);
      expect((await world.api.get(`/${list}/count`)).body).to.equal(0);
      await eventually(async () => expect((await world.visit('/k')).status).to.equal(404));
    });

    it('are listed with their deletion, latest first', async () => {
      const one = await create({ key: 'one', title: 'One' });
      const two = await create({ key: 'two' });
      await drop(one.id);
      await world.api.delete(`/${list}/bulk`, { [ids]: two.id });
      const [latest, first] = await trash();
      expect([latest.id, first.id]).to.deep.equal([two.id, one.id]);
      const { user_id, id: keyId } = (await db()('api_keys')
        .where({ project_id: world.projectId })
        .first())!;
      expect(first).to.deep.include({ type: kind, domain: world.domain, key: 'one', title: 'One' });
      expect(first.url).to.equal(A);
      expect(first.shortLink).to.contain(`${world.domain}/one`);
      expect(first.deletedBy).to.include({ userId: user_id, apiKeyId: keyId });
      expect(Date.parse(first.expiresAt) - Date.parse(first.deletedAt)).to.equal(30 * 86_400_000);
      expect(await walk(world.api, '/trash', { pageSize: 1 })).to.deep.equal([latest, first]);
      const other = kind === 'link' ? 'qrcode' : 'link';
      expect(await trash({ type: kind })).to.have.length(2);
      expect(await trash({ type: other })).to.deep.equal([]);
    });

    it('return with key, tags, rules, counts, analytics and history', async () => {
      const { api } = world;
      const tagIds: string[] = [];
      for (const name of ['b', 'a']) tagIds.push((await api.post('/tags', { name })).body.id);
      const folderId = (await api.post('/folders', { name: 'f' })).body.id;
      const { id } = await create({
        key: 'k',
        tagIds,
        folderId,
        externalId: 'e',
        rules: [{ value: { country: ['DE'] }, url: B }],
        trackConversion: true,
      });
      await api.patch(`/${list}/${id}`, { title: 'changed' });
      for (const n of [1, 2]) await world.visit('/k', { userAgent: browser(n) });
      const before = await eventually(async () => {
        const record = await read(id);
        expect(record[visits]).to.equal(2);
        return record;
      });
      const history = (await api.get(`/${list}/${id}/history`)).body;
      const event = kind === 'link' ? 'clicks' : 'scans';
      const analytics = async () => ({
        count: (await api.get('/analytics', { event, groupBy: 'count', interval: '24h' })).body,
        own: (await api.get('/analytics', { event, groupBy: 'countries', linkId: id })).body,
        events: (await api.get('/events', { event })).body,
      });
      const counted = await analytics();
      await drop(id);
      expect(comparable(await restored(id))).to.deep.equal(comparable(before));
      expect(comparable(await read(id))).to.deep.equal(comparable(before));
      expect(await trash()).to.deep.equal([]);
      expect(await analytics()).to.deep.equal(counted);
      const [entry, ...earlier] = (await api.get(`/${list}/${id}/history`)).body;
      expect(entry).to.deep.include({ action: 'restored', changes: {} });
      expect(earlier).to.deep.equal(history);
      expect((await api.get(`/${list}`, { search: 'k' })).body).to.have.length(1);
      await world.visit('/k', { userAgent: browser(3) });
      await eventually(async () => expect((await read(id))[visits]).to.equal(3));
      const revert = { changeId: entry.id };
      expect((await api.post(`/${list}/${id}/revert`, revert)).status).to.equal(422);
    });

    it('leave out what was deleted in the meantime', async () => {
      const { api } = world;
      const tags: string[] = [];
      for (const name of ['a', 'b']) tags.push((await api.post('/tags', { name })).body.id);
      const folderId = (await api.post('/folders', { name: 'f' })).body.id;
      const pageId = (await api.post('/pages', { title: 'p' })).body.id;
      const hook = { name: 'w', url: A, kinds: ['link.clicked'] };
      const webhookId = (await api.post('/webhooks', hook)).body.id;
      const { id } = await create({ tagIds: tags, folderId, pageId, webhookIds: [webhookId] });
      await drop(id);
      await api.delete(`/tags/${tags[0]}`);
      await api.delete(`/folders/${folderId}`);
      expect((await api.delete(`/pages/${pageId}`)).status).to.equal(200);
      await api.delete(`/webhooks/${webhookId}`);
      const record = await restored(id);
      expect(record).to.include({ folderId: null, pageId: null, webhookIds: null });
      expect(record.tags).to.deep.equal([{ id: tags[1], name: 'b' }]);
      const [{ changes }] = (await api.get(`/${list}/${id}/history`)).body;
      expect(changes.folderId).to.deep.equal({ from: folderId, to: null });
    });

    it('cannot return while their key or external id is taken', async () => {
      const { id } = await create({ key: 'k', externalId: 'e' });
      await drop(id);
      const other = await create({ key: 'k' });
      const taken = await restore(id);
      expect([taken.status, taken.body.error.code]).to.deep.equal([409, 'conflict']);
      expect(taken.body.error.message).to.contain('"k"');
      await world.api.delete(`/${list}/${other.id}`);
      const twin = await create({ externalId: 'e' });
      expect((await restore(id)).body.error.message).to.contain('externalId');
      await drop(twin.id);
      expect(await restored(id)).to.include({ key: 'k', externalId: 'e' });
    });

    it('are restored or created under a key, of many at the same time', async () => {
      const { id } = await create({ key: 'k' });
      await drop(id);
      const answers = await Promise.all([
        restore(id),
        restore(id),
        ...Array.from({ length: 4 }, () => world.api.post(`/${list}`, { ...minimal, key: 'k' })),
      ]);
      const done = answers.filter(({ status }) => status < 300);
      expect(done, JSON.stringify(answers.map(({ status }) => status))).to.have.length(1);
      const { body: all } = await world.api.get(`/${list}`);
      expect(all.map((one: { id: string }) => one.id)).to.deep.equal([done[0]!.body.id]);
      const inTrash = (await trash()).map((one: { id: string }) => one.id);
      expect(inTrash).to.deep.equal(done[0]!.body.id === id ? [] : [id]);
    });

    it('are restored many at a time, each with its outcome', async () => {
      const [one, two, three] = [
        await create({ key: 'one' }),
        await create({ key: 'two' }),
        await create({ key: 'three' }),
      ];
      await world.api.delete(`/${list}/bulk`, { [ids]: [one.id, two.id, three.id] });
      await create({ key: 'two' });
      const { status, body } = await world.api.post('/trash/restore', {
        ids: [three.id, two.id, 'link_none', one.id],
      });
      expect(status).to.equal(200);
      const outcomes = body.map((item: { id: string; error?: { code: string } }) => [
        item.id,
        item.error?.code,
      ]);
      expect(outcomes).to.deep.equal([
        [three.id, undefined],
        [two.id, 'conflict'],
        ['link_none', 'not_found'],
        [one.id, undefined],
      ]);
      await eventually(async () => expect((await world.visit('/three')).status).to.equal(302));
      expect((await trash()).map((item: { id: string }) => item.id)).to.deep.equal([two.id]);
    });

    it('end after 30 days, by deletion from the trash, and with events=remove', async () => {
      const records = [await create(), await create(), await create(), await create()];
      for (const { id } of records) await world.api.patch(`/${list}/${id}`, { title: 't' });
      const [old, young, chosen, erased] = records.map(({ id }) => id as string);
      for (const id of [old!, young!, chosen!]) await drop(id);
      await drop(erased!, { events: 'remove' });
      const at = (days: number) => new Date(Date.now() - days * 86_400_000);
      await db()('trash')
        .where({ id: old })
        .update({ deleted_at: at(31) });
      await db()('trash')
        .where({ id: young })
        .update({ deleted_at: at(29) });
      await pruneTrash();
      expect((await world.api.delete(`/trash/${chosen}`)).body).to.deep.equal({ id: chosen });
      expect((await world.api.delete(`/trash/${chosen}`)).status).to.equal(404);
      expect((await trash()).map(({ id }: { id: string }) => id)).to.deep.equal([young]);
      for (const id of [old!, chosen!, erased!]) expect((await restore(id)).status).to.equal(404);
      const stored = await db()('record_changes').where({ project_id: world.projectId });
      expect(stored.map(({ record_id }) => record_id)).to.deep.equal([young]);
      await restored(young!);
    });

    it('keep their password sealed', async () => {
      const { id } = await create({ key: 'k', password: 'hush hush' });
      await drop(id);
      const stored = await db()('trash').where({ project_id: world.projectId });
      expect(JSON.stringify(stored)).not.to.contain('hush');
      expect(JSON.stringify(stored[0]!['record'])).not.to.contain('sealed:');
      expect(JSON.stringify(await trash())).not.to.match(/hush|sealed/);
      expect((await restored(id)).password).to.equal('hush hush');
    });

    it('send an event of a creation, and add an entry to the audit log', async () => {
      const receiver = await Receiver.start();
      try {
        const { id } = await create({ title: 'back' });
        await drop(id);
        const kinds = [`${kind}.created`];
        await world.api.post('/webhooks', { name: 'w', url: receiver.url, kinds });
        await restored(id);
        await eventually(() => {
          expect(receiver.received.map(({ body }) => body.data.title)).to.deep.equal(['back']);
        });
        const { body } = await world.api.get('/audit-log', { action: `${kind}.restore` });
        expect(body[0].target).to.include({ kind, id });
      } finally {
        await receiver.stop();
      }
    });

    it('are restored once for an Idempotency-Key', async () => {
      const { id } = await create({ key: 'k' });
      await drop(id);
      const headers = { 'idempotency-key': 'once' };
      const path = `/${list}/${id}/restore`;
      const first = await world.api.post(path, undefined, { headers });
      expect(first.status).to.equal(200);
      await drop(id);
      expect((await world.api.post(path, undefined, { headers })).body).to.deep.equal(first.body);
      expect((await world.api.get(`/${list}/${id}`)).status).to.equal(404);
    });

    it('belong to their workspace, and to callers with the scopes', async () => {
      const { id } = await create();
      await drop(id);
      const stranger = await aWorkspace();
      expect((await stranger.api.get('/trash')).body).to.deep.equal([]);
      expect((await stranger.api.post(`/${list}/${id}/restore`)).status).to.equal(404);
      expect((await stranger.api.delete(`/trash/${id}`)).status).to.equal(404);
      const reader = await world.withScopes('links.read', 'qrcodes.read');
      expect((await reader.get('/trash')).body).to.have.length(1);
      expect((await reader.post(`/${list}/${id}/restore`)).status).to.equal(403);
      const linksOnly = await world.withScopes('links.read', 'links.write');
      const expected = kind === 'link' ? 1 : 0;
      expect((await linksOnly.get('/trash')).body).to.have.length(expected);
      const many = await linksOnly.post('/trash/restore', { ids: [id] });
      expect(many.status).to.equal(kind === 'link' ? 200 : 403);
      const gone = await linksOnly.delete(`/trash/${id}`);
      expect(gone.status).to.equal(kind === 'link' ? 404 : 403);
      expect((await (await world.withScopes('tags.read')).get('/trash')).status).to.equal(403);
    });

    it('end with their workspace', async () => {
      await drop((await create()).id);
      await db()('claims').where({ project_id: world.projectId }).delete();
      await db()('workspaces').where({ id: world.projectId }).delete();
      expect(await db()('trash').where({ project_id: world.projectId })).to.deep.equal([]);
    });

    it('cannot return to a deleted domain, or to a blocked host', async () => {
      const slug = `two.${world.domain}`;
      const { body: domain } = await world.api.post('/domains', { slug });
      const { id } = await create({ domain: slug });
      await drop(id);
      expect((await world.api.delete(`/domains/${domain.id}`)).status).to.equal(200);
      expect((await restore(id)).status).to.equal(422);
      expect((await trash())[0]).to.include({ domain: null, shortLink: null });
      const host = `blocked.${world.domain}`;
      const other = await create({ url: `https://${host}/` });
      await drop(other.id);
      await db()('blocked_hosts').insert({ host, reason: 'test' });
      try {
        expect((await restore(other.id)).status).to.equal(422);
      } finally {
        await db()('blocked_hosts').where({ host }).delete();
      }
    });

    it('return exactly as they were, whatever their fields', async () => {
      const optional = <Value>(...values: Value[]) => fc.constantFrom(null, ...values);
      const fields: Record<string, fc.Arbitrary<unknown>> = {
        title: fc.option(fc.string({ minLength: 1, maxLength: 20, unit: 'grapheme-ascii' })),
        comments: optional('Note', 'ü "x" \\ \u{1F600}'),
        archived: fc.boolean(),
        expiresAt: optional('2040-01-01', '2041-02-03T04:05:06.789Z'),
        startsAt: optional('2030-01-01'),
        password: optional('pw', 'ö'),
        geo: optional({ DE: A }, { AT: B, DE: B }),
        rules: optional([{ value: { country: ['DE'], device: ['mobile'] }, url: B }]),
        maxVisits: optional(5),
        redirectStatus: fc.constantFrom(301, 307),
        publicStats: fc.boolean(),
        proxy: fc.boolean(),
        testVariants: optional([
          { name: 'A', url: A, percentage: 40 },
          { name: 'B', url: B, percentage: 60 },
        ]),
        ...(kind === 'link'
          ? { video: optional(A), utm_source: optional('a b') }
          : {
              fgColor: fc.constantFrom('#000000', '#112233'),
              frameText: optional('Hi'),
              frame: fc.constantFrom('none', 'label-top'),
              useDisplayPage: fc.boolean(),
            }),
      };
      await fc.assert(
        fc.asyncProperty(fc.record(fields, { requiredKeys: [] }), async (body) => {
          const { id } = await create({
            title: 'T',
            ...body,
            ...(body['title'] === null ? { title: 'T' } : {}),
          });
          const before = await read(id);
          await drop(id);
          await restored(id);
          expect(comparable(await read(id))).to.deep.equal(comparable(before));
        }),
        { numRuns: 25 },
      );
    });
  });
}

describe('a deleted link', () => {
  it('returns under another key', async () => {
    const { api, visit } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'k' });
    await api.delete(`/links/${link.id}`);
    await api.post('/links', { url: B, key: 'k' });
    const { body } = await api.post(`/links/${link.id}/restore`, { key: 'k2' });
    expect(body).to.include({ id: link.id, key: 'k2' });
    expect((await visit('/k2')).headers.location).to.equal(A);
    const [{ changes }] = (await api.get(`/links/${link.id}/history`)).body;
    expect(changes).to.deep.equal({ key: { from: 'k', to: 'k2' } });
  });

  const REFUSED: [name: string, body: object, message: RegExp][] = [
    ['an invalid key', { key: 'a b' }, /^key must/],
    ['a key that is no text', { key: 5 }, /^key must/],
    ['an unknown field', { url: A }, /^url is not a known field/],
  ];
  for (const [name, body, message] of REFUSED) {
    it(`is not restored under ${name}`, async () => {
      const { api } = await aWorkspace();
      const { body: link } = await api.post('/links', { url: A });
      await api.delete(`/links/${link.id}`);
      const answer = await api.post(`/links/${link.id}/restore`, body);
      expect(answer.status).to.equal(422);
      expect(answer.body.error.message).to.match(message);
    });
  }

  const MANY: [name: string, body: object][] = [
    ['no ids', { ids: [] }],
    ['an id twice', { ids: ['link_a', 'link_a'] }],
    ['too many ids', { ids: Array.from({ length: 101 }, (_, n) => `link_${n}`) }],
    ['ids that are no texts', { ids: [5] }],
  ];
  for (const [name, body] of MANY) {
    it(`is not restored with ${name}`, async () => {
      const { api } = await aWorkspace();
      expect((await api.post('/trash/restore', body)).status).to.equal(422);
    });
  }

  it('stays blocked when it was blocked', async () => {
    const { api, projectId, domain } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'k' });
    await db()('blocked_links').insert({
      record_id: link.id,
      project_id: projectId,
      short_link: `https://${domain}/k`,
      reason: 'test',
    });
    try {
      await api.delete(`/links/${link.id}`);
      expect((await api.post('/links', { url: A, key: 'k' })).status).to.equal(409);
      expect((await api.post(`/links/${link.id}/restore`)).body.key).to.equal('k');
      expect(await db()('blocked_links').where({ record_id: link.id })).to.have.length(1);
    } finally {
      await db()('blocked_links').where({ record_id: link.id }).delete();
    }
  });

  it('adds what was counted since its deletion', async () => {
    const { api, projectId } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A });
    const counters = { project_id: projectId, record_id: link.id };
    await db()('counters').insert({ ...counters, visits: 5, leads: 1, sale_amount_cents: 100 });
    await api.delete(`/links/${link.id}`);
    const late = new Date('2026-01-02T03:04:05Z');
    await db()('counters').insert({ ...counters, visits: 2, last_visit_at: late });
    const { body } = await api.post(`/links/${link.id}/restore`);
    expect(body).to.include({ clicks: 7, leads: 1, saleAmount: 100 });
    expect(body.lastClicked).to.equal(late.toISOString());
  });

  it('brings back the counts of events that retention has deleted', async () => {
    const { api, projectId } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A });
    const kept = () => db()('kept_counts').where({ project_id: projectId });
    await db()('kept_counts').insert({
      project_id: projectId,
      is_record: true,
      owner: link.id,
      dimension: 'all',
      event: 'click',
      step: 'd',
      bucket: new Date('2025-01-02'),
      counts: Buffer.from([1, 0, 255]),
      format: 2,
    });
    const before = await kept();
    await api.delete(`/links/${link.id}`);
    expect(await kept()).to.deep.equal([]);
    await api.post(`/links/${link.id}/restore`);
    expect(await kept()).to.deep.equal(before);
  });
});

describe('a deleted QR code', () => {
  it('returns with its images', async () => {
    const { api, projectId } = await aWorkspace();
    const svg =
      '<svg xmlns="http://www.w3.org/2000/svg" width="20" height="20"><rect width="20" height="20" fill="red"/></svg>';
    const src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
    const { body: code } = await api.post('/qrcodes', { type: 'url', url: A, src });
    const image = () => api.download(`/qrcodes/${code.id}/image`);
    const drawn = (await image()).bytes;
    await api.delete(`/qrcodes/${code.id}`);
    await db()('images')
      .where({ project_id: projectId })
      .update({ kept_at: new Date(Date.now() - 3 * 86_400_000) });
    await pruneImages();
    expect((await api.post(`/qrcodes/${code.id}/restore`)).body).to.include({ src });
    expect((await image()).bytes.equals(drawn)).to.equal(true);
  });
});
