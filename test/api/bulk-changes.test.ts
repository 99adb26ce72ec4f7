import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import fc from 'fast-check';
import { bulkChangeMaintenanceHandlers } from '../../src/bulk-changes/commands.ts';
import { addDomainNow } from '../../src/domains/commands.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { parseUrl } from '../../src/infra/url.ts';
import type { JobContext } from '../../src/queues/definition.ts';
import { changedInBulk, settled, undoneInBulk } from '../support/bulk-changes.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { Receiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://shop.example.com/a?ref=1';

interface UrlParts {
  host: string;
  path: string;
  query: string;
  fragment: string;
}

const textOf = ({ host, path, query, fragment }: UrlParts) =>
  `https://${host}${path}${query === '' ? '' : `?${query}`}${fragment}`;

/** Characters that end a part of a URL. */
const ENDS = { host: /[/?#:@]/, path: /[?#]/, query: /#/ };

/** The plain rule of a replacement. @returns `undefined` if another part would change */
function replacedPlainly(
  parts: UrlParts,
  { find, with: to, in: part }: { find: string; with: string; in: string },
): string | undefined {
  if (part === 'url') return textOf(parts).split(find).join(to);
  const name = part as keyof typeof ENDS;
  const replaced = parts[name].split(find).join(to);
  return parts[name].includes(find) && ENDS[name].test(replaced)
    ? undefined
    : textOf({ ...parts, [name]: replaced });
}

describe('bulk changes of links', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const create = async (links: object[]) => {
    const { status, body } = await world.api.post('/links/bulk', links);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body as { id: string; key: string }[];
  };
  const linkOf = async (id: string) => (await world.api.get(`/links/${id}`)).body;
  const idsOf = (records: readonly { id: string }[]) => records.map(({ id }) => id);

  it('set and clear UTM parameters one by one, and can be undone', async () => {
    const [one, two] = await create([
      { url: `${A}&utm_source=old&utm_medium=email#part`, key: 'one' },
      { url: 'https://example.com/b', key: 'two' },
    ]);
    const ids = idsOf([one!, two!]);
    const changed = await changedInBulk(world.api, {
      ids,
      data: { utm_source: 'news letter', utm_medium: null },
    });
    expect(changed).to.include({ state: 'done', undo: null });
    expect(changed.counts).to.deep.equal({ changed: 2, unchanged: 0, refused: 0 });
    expect(changed.progress).to.deep.equal({ done: 2, total: 2 });
    expect(changed.data).to.deep.equal({ utm_source: 'news letter', utm_medium: null });
    expect((await linkOf(one!.id)).url).to.equal(`${A}&utm_source=news%20letter#part`);
    expect((await linkOf(two!.id)).url).to.equal('https://example.com/b?utm_source=news%20letter');
    expect((await world.visit('/two')).headers.location).to.equal(
      'https://example.com/b?utm_source=news%20letter',
    );
    expect(changed.examples).to.have.lengthOf(2);
    expect(changed.examples[0]).to.deep.include({
      id: one!.id,
      shortLink: `${world.domain}/one`,
    });
    expect(changed.examples[0].changes.utm_source).to.deep.equal({
      from: 'old',
      to: 'news letter',
    });

    const undone = await undoneInBulk(world.api, changed.id);
    expect(undone.state).to.equal('undone');
    expect(undone.undo).to.deep.equal({ total: 2, undone: 2, changed: 0, gone: 0, refused: 0 });
    expect((await linkOf(one!.id)).url).to.equal(`${A}&utm_source=old&utm_medium=email#part`);
    expect((await world.visit('/two')).headers.location).to.equal('https://example.com/b');
  });

  it('replace a text in destinations, after a dry run that changes nothing', async () => {
    const links = await create([
      { url: 'https://shop.example.com/shop?from=shop', key: 'one' },
      { url: 'https://example.com/other', key: 'two' },
    ]);
    const ids = idsOf(links);
    const replace = { find: 'shop', with: 'store', in: 'host' };
    const checked = await changedInBulk(world.api, { ids, replace, dryRun: true });
    expect(checked.state).to.equal('checked');
    expect(checked.counts).to.deep.equal({ changed: 1, unchanged: 1, refused: 0 });
    const after = 'https://store.example.com/shop?from=shop';
    expect(checked.examples[0].changes).to.deep.equal({
      url: { from: 'https://shop.example.com/shop?from=shop', to: after },
    });
    expect((await linkOf(links[0]!.id)).url).to.equal('https://shop.example.com/shop?from=shop');
    expect((await world.api.get(`/links/${links[0]!.id}/history`)).body).to.deep.equal([]);
    const { status } = await world.api.post(`/bulk-changes/links/${checked.id}/start`);
    expect(status).to.equal(200);
    const done = await settled(world.api, checked.id);
    expect(done.state).to.equal('done');
    expect((await linkOf(links[0]!.id)).url).to.equal(after);
    const [entry] = (await world.api.get(`/links/${links[0]!.id}/history`)).body;
    expect(entry.action).to.equal('updated');
    expect((await world.api.get(`/links/${links[1]!.id}/history`)).body).to.deep.equal([]);
  });

  it('are checked by the request of the guide', async () => {
    const guide = readFileSync('docs/many-links.md', 'utf8');
    const [, body] = /^POST \/bulk-changes\/links (\{.*\})$/m.exec(guide)!;
    await world.api.post('/tags', { name: 'spring' });
    await create([{ url: 'https://shop.example.com/a', tagNames: ['spring'] }, { url: A }]);
    const checked = await changedInBulk(world.api, JSON.parse(body!));
    expect(checked.state).to.equal('checked');
    expect(checked.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 0 });
    expect(checked.examples[0].changes).to.deep.equal({
      url: {
        from: 'https://shop.example.com/a',
        to: 'https://store.example.com/a?utm_campaign=autumn',
      },
      utm_campaign: { from: null, to: 'autumn' },
    });
  });

  it('set and clear expiration, folder, tags and archive, by filter', async () => {
    const folder = (await world.api.post('/folders', { name: 'Spring' })).body.id;
    const tag = (await world.api.post('/tags', { name: 'old' })).body.id;
    const added = (await world.api.post('/tags', { name: 'new' })).body.id;
    const [inside] = await create([
      { url: A, key: 'in', folderId: folder, tagIds: [tag] },
      { url: A, key: 'out' },
    ]);
    const expiresAt = '2090-01-01T00:00:00.000Z';
    const data = {
      expiresAt,
      expiredUrl: 'example.com/over',
      addTagIds: [added],
      removeTagIds: [tag],
      archived: true,
      folderId: null,
    };
    const body = { filter: `folderId=${folder}`, data };
    const changed = await changedInBulk(world.api, body);
    expect(changed.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 0 });
    const link = await linkOf(inside!.id);
    expect(link).to.include({
      expiresAt,
      expiredUrl: 'https://example.com/over',
      archived: true,
      folderId: null,
    });
    expect(link.tags).to.deep.equal([{ id: added, name: 'new' }]);
    expect((await linkOf((await world.api.get('/links')).body[0].id)).key).to.equal('out');
    await undoneInBulk(world.api, changed.id);
    const restored = await linkOf(inside!.id);
    expect(restored).to.include({
      expiresAt: null,
      expiredUrl: null,
      archived: false,
      folderId: folder,
    });
    expect(restored.tags).to.deep.equal([{ id: tag, name: 'old' }]);
  });

  describe('to another domain', () => {
    let other: string;

    beforeEach(async () => {
      other = `o-${world.domain}`;
      await addDomainNow(world.projectId, { slug: other }, true);
    });

    it('refuse keys that are taken there, one by one and by name', async () => {
      const links = await create([
        { url: `${A}1`, key: 'free' },
        { url: `${A}2`, key: 'taken' },
        { url: `${A}3`, key: 'taken', domain: other },
      ]);
      const body = { ids: idsOf(links), data: { domain: other } };
      const checked = await changedInBulk(world.api, { ...body, dryRun: true });
      const moved = await changedInBulk(world.api, body);
      for (const one of [checked, moved]) {
        expect(one.counts).to.deep.equal({ changed: 1, unchanged: 1, refused: 1 });
        expect(one.errors).to.deep.equal([
          {
            id: links[1]!.id,
            shortLink: `${world.domain}/taken`,
            message: 'The key "taken" is taken on its domain',
          },
        ]);
      }
      const there = { host: other };
      expect((await world.visit('/free', there)).headers.location).to.equal(`${A}1`);
      expect((await world.visit('/free')).status).to.equal(404);
      expect((await world.visit('/taken')).headers.location).to.equal(`${A}2`);
      expect((await world.visit('/taken', there)).headers.location).to.equal(`${A}3`);
      const file = await world.api.download(`/bulk-changes/links/${moved.id}/errors`);
      expect(file.headers.get('content-type')).to.equal('text/csv; charset=utf-8');
      expect(file.bytes.toString().replace(/^\ufeff/, '')).to.equal(
        `id,shortLink,message\r\n${links[1]!.id},${world.domain}/taken,"The key ""taken"" is taken on its domain"\r\n`,
      );

      const undone = await undoneInBulk(world.api, moved.id);
      expect(undone.undo).to.include({ total: 1, undone: 1 });
      expect((await world.visit('/free')).headers.location).to.equal(`${A}1`);
      expect((await world.visit('/free', there)).status).to.equal(404);
    });

    it('are checked as one change: of two records with one key, the second is refused', async () => {
      const third = `t-${world.domain}`;
      await addDomainNow(world.projectId, { slug: third, caseSensitive: false }, true);
      const twins = await create([
        { url: `${A}1`, key: 'Twin' },
        { url: `${A}2`, key: 'twin', domain: other },
      ]);
      // Records between them do not divide them into different transactions.
      const keys = Array.from({ length: 99 }, (_, n) => ({ url: A, key: `t${n}` }));
      const others = [...(await create(keys)), ...(await create([{ url: A, key: 'zz' }]))];
      const ids = idsOf([twins[0]!, ...others, twins[1]!]);
      const body = { ids, data: { domain: third } };
      const checked = await changedInBulk(world.api, { ...body, dryRun: true });
      const moved = await changedInBulk(world.api, body);
      for (const one of [checked, moved]) {
        expect(one.counts).to.deep.equal({ changed: 101, unchanged: 0, refused: 1 });
        expect(idsOf(one.errors)).to.deep.equal([twins[1]!.id]);
      }
    });

    it('are not undone for a record whose short link another one has since', async () => {
      const [link] = await create([{ url: A, key: 'left' }]);
      const moved = await changedInBulk(world.api, { ids: [link!.id], data: { domain: other } });
      // A day passes.
      await db()('claims')
        .where({ project_id: world.projectId, key: 'left' })
        .whereNotNull('free_at')
        .update({ free_at: new Date(0) });
      await create([{ url: 'https://example.com/new', key: 'left' }]);
      const undone = await undoneInBulk(world.api, moved.id);
      expect(undone.undo).to.deep.equal({ total: 1, undone: 0, changed: 0, gone: 0, refused: 1 });
      expect(undone.errors[0].message).to.equal('The key "left" is taken on its domain');
      expect((await linkOf(link!.id)).domain).to.equal(other);
    });

    it('of another workspace are refused as a whole', async () => {
      const foreign = await aWorkspace();
      const [link] = await create([{ url: A }]);
      const { status, body } = await world.api.post('/bulk-changes/links', {
        ids: [link!.id],
        data: { domain: foreign.domain },
      });
      expect(status).to.equal(403);
      expect(body.error.message).to.contain(foreign.domain);
    });
  });

  it('are undone but for records that were changed or deleted since, which are named', async () => {
    const links = await create(
      ['same', 'edited', 'deleted'].map((key) => ({ url: `${A}&utm_source=old`, key })),
    );
    const [same, edited, deleted] = idsOf(links);
    const changed = await changedInBulk(world.api, {
      ids: idsOf(links),
      data: { utm_source: 'new' },
    });
    await world.api.patch(`/links/${edited}`, { title: 'Edited since' });
    await world.api.delete(`/links/${deleted}`);
    const undone = await undoneInBulk(world.api, changed.id);
    expect(undone.undo).to.deep.equal({ total: 3, undone: 1, changed: 1, gone: 1, refused: 0 });
    expect(undone.progress).to.deep.equal({ done: 3, total: 3 });
    expect(undone.errors).to.deep.equal([
      {
        id: edited,
        shortLink: `${world.domain}/edited`,
        message: 'It was changed again after the bulk change',
      },
      {
        id: deleted,
        shortLink: `${world.domain}/deleted`,
        message: `There is no link "${deleted}"`,
      },
    ]);
    expect((await linkOf(same!)).utm_source).to.equal('old');
    expect((await linkOf(edited!)).utm_source).to.equal('new');
    const [entry] = (await world.api.get(`/links/${same}/history`)).body;
    expect(entry.action).to.equal('reverted');
    const again = await world.api.post(`/bulk-changes/links/${changed.id}/undo`);
    expect(again.status).to.equal(409);
    expect(again.body.error.message).to.equal('The bulk change must not be undone: it is undone');
  });

  it('name ids without a record, take external ids, and change a record once', async () => {
    const [link] = await create([{ url: A, externalId: 'mine' }]);
    const changed = await changedInBulk(world.api, {
      ids: ['link_none', 'ext_mine', link!.id, 'ext_none'],
      data: { comments: 'Seen' },
    });
    expect(changed.progress).to.deep.equal({ done: 3, total: 3 });
    expect(changed.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 2 });
    expect(changed.errors).to.deep.equal([
      { id: 'link_none', shortLink: null, message: 'There is no link "link_none"' },
      { id: 'ext_none', shortLink: null, message: 'There is no link "ext_none"' },
    ]);
  });

  it('apply the UTM rules of the workspace to each record', async () => {
    const links = await create([
      { url: 'https://example.com/?utm_medium=email', key: 'a' },
      { url: 'mailto:someone@example.com', key: 'b' },
    ]);
    await world.api.patch('/workspace', { utmRules: { lowercase: true, separator: '-' } });
    const changed = await changedInBulk(world.api, {
      ids: idsOf(links),
      data: { utm_source: 'Spring Sale' },
    });
    // App URLs have no UTM parameters.
    expect(changed.counts).to.deep.equal({ changed: 0, unchanged: 1, refused: 1 });
    expect(changed.errors[0].message).to.equal(
      'utm_source must be in lower case (utmRules.lowercase); utm_source must separate words by "-" only (utmRules.separator)',
    );
  });

  it('publish webhooks and audit rows of changed records only, for the undo too', async () => {
    const receiver = await Receiver.start();
    try {
      const hook = { name: 'ours', url: receiver.url, kinds: ['link.updated'] };
      expect((await world.api.post('/webhooks', hook)).status).to.equal(201);
      const links = await create([
        { url: `${A}&utm_source=new`, key: 'same' },
        { url: A, key: 'other' },
      ]);
      const data = { utm_source: 'new' };
      const changed = await changedInBulk(world.api, { ids: idsOf(links), data });
      await undoneInBulk(world.api, changed.id);
      const received = await eventually(async () => {
        expect(receiver.received).to.have.lengthOf(2);
        return receiver.received;
      });
      const sources = received.map(({ body: { data } }) => [data.id, data.utm_source]);
      expect(sources).to.have.deep.members([
        [links[1]!.id, 'new'],
        [links[1]!.id, null],
      ]);
      const log = (await world.api.get('/audit-log', { limit: 100 })).body as {
        action: string;
        target: { id: string };
        fields?: string[];
      }[];
      const rows = log.filter(({ target }) => target.id === links[1]!.id);
      expect(rows.map(({ action }) => action)).to.have.members(['link.update', 'link.revert']);
      const ofChange = log.filter(({ target }) => target.id === changed.id);
      expect(ofChange.map(({ action }) => action)).to.have.members([
        'bulkChange.create',
        'bulkChange.undo',
      ]);
    } finally {
      await receiver.stop();
    }
  });

  it('request new destinations that are shown in a frame', async () => {
    const site = await Site.start();
    try {
      const [url, next] = ['/old', '/new'].map((path) => site.answer(path, { body: path }));
      const [link] = await create([{ url, key: 'framed', rewrite: true }]);
      const replace = { find: '/old', with: '/new' };
      await changedInBulk(world.api, { ids: [link!.id], replace });
      const { status, body } = await world.visit('/framed');
      expect(status).to.equal(200);
      expect(body).to.contain(`<iframe src="${next}"`);
    } finally {
      await site.stop();
    }
  });

  it('of ids without records process them in many slices', async () => {
    const ids = Array.from({ length: 250 }, (_, n) => `link_none${n}`);
    const changed = await changedInBulk(world.api, { ids, data: { comments: 'x' } });
    expect(changed.counts).to.deep.equal({ changed: 0, unchanged: 0, refused: 250 });
    const [{ slices }] = (await db()('bulk_change_items')
      .where({ bulk_change_id: changed.id })
      .countDistinct('slice AS slices')) as [{ slices: number }];
    expect(slices).to.equal(3);
    const moved = await changedInBulk(world.api, { ids, data: { domain: world.domain } });
    expect(moved.counts.refused).to.equal(250);
  });

  it('are not blocked by checks that nobody starts, of which the oldest are canceled', async () => {
    const [link] = await create([{ url: A }]);
    const body = { ids: [link!.id], data: { comments: 'x' }, dryRun: true };
    const checks = [];
    for (let n = 0; n < 22; n += 1) checks.push((await changedInBulk(world.api, body)).id);
    const list = (await world.api.get('/bulk-changes/links', { pageSize: 100 })).body;
    const checked = list.filter(({ state }: { state: string }) => state === 'checked');
    expect(idsOf(checked)).to.deep.equal(checks.slice(-10).toReversed());
    expect((await changedInBulk(world.api, { ...body, dryRun: false })).state).to.equal('done');
  });

  it('end after an hour if they are only checked, and are deleted in the end', async () => {
    const [link] = await create([{ url: A }]);
    const body = { ids: [link!.id], data: { comments: 'x' } };
    const [check, canceled] = [
      await changedInBulk(world.api, { ...body, dryRun: true }),
      await changedInBulk(world.api, { ...body, dryRun: true }),
    ];
    const done = await changedInBulk(world.api, body);
    await world.api.post(`/bulk-changes/links/${canceled.id}/cancel`);
    const age = (id: string, days: number) =>
      db()('bulk_changes')
        .where({ id })
        .update({ ended_at: new Date(Date.now() - days * 86_400_000) });
    const stateOf = async ({ id }: { id: string }) => {
      const { body: record, status } = await world.api.get(`/bulk-changes/links/${id}`);
      return status === 200 ? record.state : status;
    };
    const prune = () =>
      bulkChangeMaintenanceHandlers
        .find(({ job }) => job.name === 'bulkChanges.prune')!
        .run({}, {} as JobContext);
    await age(check.id, 0.1);
    await age(canceled.id, 31);
    await age(done.id, 31);
    await prune();
    expect(await stateOf(check)).to.equal('cancelled');
    expect(await stateOf(canceled)).to.equal(404);
    const { body: kept } = await world.api.get(`/bulk-changes/links/${done.id}`);
    expect(kept.counts.changed).to.equal(1);
    expect(kept.examples).to.deep.equal([]);
    await age(done.id, 366);
    await prune();
    expect(await stateOf(done)).to.equal(404);
  });

  it('have a time until which they can be undone only if they can be', async () => {
    const [link] = await create([{ url: A }]);
    const body = { ids: [link!.id], data: { comments: 'x' } };
    const checked = await changedInBulk(world.api, { ...body, dryRun: true });
    expect(checked.expiresAt).to.equal(null);
    const canceled = await world.api.post(`/bulk-changes/links/${checked.id}/cancel`);
    expect(canceled.body.expiresAt).to.equal(null);
    const done = await changedInBulk(world.api, body);
    expect(Date.parse(done.expiresAt) - Date.parse(done.endedAt)).to.equal(30 * 86_400_000);
    expect((await undoneInBulk(world.api, done.id)).expiresAt).to.equal(null);
  });

  it('are not undone for a later change of a worker whose clock is behind', async () => {
    const [link] = await create([{ url: A }]);
    const changed = await changedInBulk(world.api, { ids: [link!.id], data: { comments: 'x' } });
    await world.api.patch(`/links/${link!.id}`, { comments: 'later' });
    const [later] = (await world.api.get(`/links/${link!.id}/history`)).body;
    await db()('record_changes').where({ id: later.id }).update({ id: '0early' });
    const undone = await undoneInBulk(world.api, changed.id);
    expect(undone.undo).to.include({ undone: 0, changed: 1 });
    expect((await linkOf(link!.id)).comments).to.equal('later');
  });

  it('can be canceled, and then change nothing more', async () => {
    const [link] = await create([{ url: A }]);
    const body = { ids: [link!.id], data: { comments: 'x' }, dryRun: true };
    const checked = await changedInBulk(world.api, body);
    const path = `/bulk-changes/links/${checked.id}`;
    expect((await world.api.post(`${path}/cancel`)).body.state).to.equal('cancelled');
    const started = await world.api.post(`${path}/start`);
    expect(started.status).to.equal(409);
    expect(started.body.error.message).to.equal(
      'The bulk change must not be started: it is cancelled',
    );
    const undone = await undoneInBulk(world.api, checked.id);
    expect(undone.undo).to.deep.equal({ total: 0, undone: 0, changed: 0, gone: 0, refused: 0 });
    expect((await linkOf(link!.id)).comments).to.equal(null);
  });

  it('are listed, newest first, under the path of their kind only', async () => {
    const [link] = await create([{ url: A }]);
    const first = await changedInBulk(world.api, { ids: [link!.id], data: { comments: 'a' } });
    const second = await changedInBulk(world.api, { ids: [link!.id], data: { comments: 'b' } });
    const { body } = await world.api.get('/bulk-changes/links');
    expect(idsOf(body)).to.deep.equal([second.id, first.id]);
    expect((await world.api.get('/bulk-changes/qrcodes')).body).to.deep.equal([]);
    for (const path of ['', '/errors']) {
      const answer = await world.api.get(`/bulk-changes/qrcodes/${first.id}${path}`);
      expect(answer.status).to.equal(404);
    }
    expect((await world.api.post(`/bulk-changes/qrcodes/${first.id}/undo`)).status).to.equal(404);
  });

  it('refuse wrong bodies', async () => {
    const ids = ['link_1'];
    const data = { comments: 'x' };
    const many = Array.from({ length: 10_001 }, (_, n) => `link_${n}`);
    for (const [body, message] of [
      [{ data }, 'body must have either ids or filter'],
      [{ ids, filter: '', data }, 'body must have either ids or filter'],
      [{ ids }, 'body must have data, replace or both'],
      [{ ids, data: {} }, /^data must have at least 1/],
      [{ ids: [], data }, /^ids must/],
      [{ ids: ['a', 'a'], data }, /^ids\[1\] must/],
      [{ ids: many, data }, /^ids must .*10,?000/],
      [{ ids, data: { key: 'x' } }, /^data\.key/],
      [{ ids, data: { externalId: 'x' } }, /^data\.externalId/],
      [{ ids, data: { password: 'x' } }, /^data\.password/],
      [{ ids, data: { url: A } }, /^data\.url/],
      [{ ids, data: { expiresAt: '2020-01-01' } }, /^data\.expiresAt must be in the future/],
      [{ ids, data: { addTagIds: ['tag_none'] } }, /addTagIds: there is no tag "tag_none"/],
      [{ ids, data: { folderId: 'fold_none' } }, /folderId: there is no folder "fold_none"/],
      [{ ids, replace: { find: '', with: '' } }, /^replace\.find/],
      [{ ids, replace: { find: 'a' } }, /^replace\.with/],
      [{ ids, replace: { find: 'a', with: 'b', in: 'fragment' } }, /^replace\.in must be one of/],
      [{ ids, replace: { find: 'x'.repeat(1_001), with: '' } }, /^replace\.find/],
      [
        { ids, replace: { find: 'x', with: 'a\u0000b' } },
        /^replace\.with must not contain null characters/,
      ],
      [{ filter: 'nope=1', data }, /^filter\.nope/],
      [{ filter: '%zz', data }, /^filter must be a well percent-encoded query string/],
      [{ filter: 'search=nothing-matches', data }, /^filter must match at least one record/],
    ] as const) {
      const { status, body: answer } = await world.api.post('/bulk-changes/links', body);
      expect(status, JSON.stringify(body).slice(0, 200)).to.equal(422);
      expect(answer.error.message).to.match(
        typeof message === 'string' ? new RegExp(`^${message}$`) : message,
      );
    }
    const { status, body } = await world.api.post('/bulk-changes/qrcodes', {
      ids: ['qr_1'],
      data: { domain: world.domain },
    });
    expect([status, body.error.message]).to.deep.equal([422, 'data.domain is not a known field']);
  });

  describe('that replace a text', () => {
    /** Replaces in one link, and returns its destination or the reason of the refusal. */
    const replaced = async (url: string, replace: object): Promise<string> => {
      const [link] = await create([{ url }]);
      const changed = await changedInBulk(world.api, { ids: [link!.id], replace });
      const after = (await linkOf(link!.id)).url;
      if (changed.counts.refused === 0) return after;
      expect(after).to.equal(url);
      return changed.errors[0].message;
    };

    for (const [url, replace, result] of [
      ['https://a.test/a?a=a#a', { find: 'a', with: 'b', in: 'host' }, 'https://b.test/a?a=a#a'],
      ['https://a.test/a?a=a#a', { find: 'a', with: 'b', in: 'path' }, 'https://a.test/b?a=a#a'],
      ['https://a.test/a?a=a#a', { find: 'a', with: 'b', in: 'query' }, 'https://a.test/a?b=b#a'],
      ['https://a.test/a?a=a#a', { find: 'a', with: 'b' }, 'https://b.test/b?b=b#b'],
      ['http://a.test/', { find: 'http:', with: 'https:' }, 'https://a.test/'],
      ['https://A.test/A', { find: 'a', with: 'b', ignoreCase: true }, 'https://b.test/b'],
      ['https://A.test/A', { find: 'a', with: 'b' }, 'https://A.test/A'],
      [
        'https://me@a.test:8080/me',
        { find: 'me', with: 'b', in: 'host' },
        'https://me@a.test:8080/me',
      ],
      [
        'https://a.test:8080/8080',
        { find: '8080', with: '9', in: 'path' },
        'https://a.test:8080/9',
      ],
      [
        'https://a.test/x?utm_source=a&b=1',
        { find: 'utm_source=a&', with: '' },
        'https://a.test/x?b=1',
      ],
      [
        'https://a.test/%C3%A4?q=%20',
        { find: 'ä', with: 'ae', in: 'path' },
        'https://a.test/ae?q=%20',
      ],
      // Digits of encoded characters are no text.
      [
        'https://a.test/f%C3%BCr-modell-C3?q=%20',
        { find: 'C3', with: 'C4' },
        'https://a.test/f%C3%BCr-modell-C4?q=%20',
      ],
      [
        'https://bücher.example/ä',
        { find: 'bücher.example', with: 'märkte.example', in: 'host' },
        'https://xn--mrkte-gra.example/%C3%A4',
      ],
      [
        'https://A.test:443/x/../y',
        { find: 'y', with: 'ü', in: 'path' },
        'https://A.test:443/x/../%C3%BC',
      ],
      ['https://a.test/$&/(.*)', { find: '(.*)', with: '$&$1' }, 'https://a.test/$&/$&$1'],
      ['myapp://open/a?b', { find: 'open', with: 'show', in: 'host' }, 'myapp://show/a?b'],
      ['mailto:a@a.test', { find: 'a.test', with: 'b.test' }, 'mailto:a@b.test'],
      // What is no destination, or leaves its part, is refused.
      [
        'https://a.test/',
        { find: 'https', with: 'javascript' },
        'url must not use the scheme javascript:',
      ],
      ['https://a.test/', { find: 'https://a.test/', with: '' }, 'url must not be empty'],
      [
        'https://a.test/',
        { find: 'https://a.test/', with: 'data:text/html,x' },
        'url must not use the scheme data:',
      ],
      [
        'https://a.test/x',
        { find: 'a.test', with: 'b.test/y', in: 'host' },
        'url must not change outside of its host',
      ],
      [
        'https://a.test/x',
        { find: 'a.test', with: 'evil@b.test', in: 'host' },
        'url must not change outside of its host',
      ],
      [
        'https://a.test/x',
        { find: 'a.test', with: 'b.test:99', in: 'host' },
        'url must not change outside of its host',
      ],
      [
        'https://a.test/x',
        { find: 'x', with: 'y?z=1', in: 'path' },
        'url must not change outside of its path',
      ],
      [
        'https://a.test/x?a',
        { find: 'a', with: 'b#c', in: 'query' },
        'url must not change outside of its query',
      ],
      ['https://a.test/x', { find: 'a.test', with: '', in: 'host' }, 'url must be a valid URL'],
      [
        'https://a.test/x',
        { find: 'x', with: 'a\r\nSet-Cookie: b' },
        'url must not contain control characters',
      ],
      [
        `https://a.test/${'x'.repeat(20_000)}`,
        { find: 'x', with: 'y'.repeat(2_000) },
        'url must not be longer than 32768 characters',
      ],
    ] as const) {
      it(`${JSON.stringify(replace).slice(0, 70)} in ${url.slice(0, 40)}: ${result}`, async () => {
        expect(await replaced(url, replace)).to.equal(result);
      });
    }

    it('refuse destinations on blocked hosts and of the short link itself', async () => {
      const [link] = await create([{ url: 'https://a.test/x', key: 'loop' }]);
      const replace = { find: 'a.test/x', with: `${world.domain}/loop` };
      const { errors } = await changedInBulk(world.api, { ids: [link!.id], replace });
      expect(errors[0].message).to.equal('url must not be the short link itself');
      await db()('blocked_hosts').insert({ host: 'blocked.test', reason: 'test' });
      try {
        const blocked = await changedInBulk(world.api, {
          ids: [link!.id],
          replace: { find: 'a.test', with: 'blocked.test' },
        });
        expect(blocked.errors[0].message).to.match(/^url must not lead to a host/);
      } finally {
        await db()('blocked_hosts').where({ host: 'blocked.test' }).delete();
      }
    });
  });

  it('change records by filter as the same changes do one by one', async function () {
    this.timeout(300_000);
    const twin = await aWorkspace();
    const word = fc.constantFrom('a', 'b', 'ab', 'aba', 'A', '%20', 'utm_source=a', '');
    const urls = fc.record({
      host: fc.constantFrom('a.test', 'b.a.test', 'ab.test'),
      path: word,
      query: fc.array(fc.constantFrom('a=a', 'utm_source=a', 'utm_medium=b', 'b='), {
        maxLength: 3,
      }),
      fragment: fc.constantFrom('', '#a'),
    });
    const replacements = fc.record({
      find: fc.constantFrom('a', 'b', 'ab', '%20', 'utm_source=a', '?', '.'),
      with: fc.constantFrom('', 'b', 'c c', 'utm_source=x', '#', '/', 'utm_source=a'),
      in: fc.constantFrom('url', 'host', 'path', 'query'),
    });
    const datas = fc.record(
      {
        utm_source: fc.constantFrom('a', 'x y', null),
        utm_campaign: fc.constantFrom('a', null),
        archived: fc.boolean(),
        expiredUrl: fc.constantFrom('https://example.com/over', null),
        comments: fc.constantFrom('c', null),
      },
      { requiredKeys: [] },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(urls, { minLength: 1, maxLength: 6 }),
        fc.option(replacements, { nil: undefined }),
        datas,
        async (made, replace, data) => {
          const body = {
            ...(replace !== undefined && { replace }),
            ...(Object.keys(data).length > 0 && { data }),
          };
          if (Object.keys(body).length === 0) return;
          const parts = made.map(
            ({ path, query, ...one }): UrlParts => ({
              ...one,
              path: `/${path}`,
              query: query.join('&'),
            }),
          );
          const links = parts.map((one) => ({ url: textOf(one) }));
          const folder = await world.api.post('/folders', { name: newId('job') });
          const folderId = folder.body.id as string;
          const bulk = await create(links.map((link) => ({ ...link, folderId })));
          const { body: single } = await twin.api.post('/links/bulk', links);
          const changed = await changedInBulk(world.api, {
            filter: `folderId=${folderId}`,
            ...body,
          });
          expect(changed.progress.total).to.equal(links.length);
          for (const [n, one] of parts.entries()) {
            const { url } = links[n]!;
            const next = replace === undefined ? url : replacedPlainly(one, replace);
            const before = single[n];
            const isNew = next !== url;
            const present = next === undefined ? undefined : parseUrl(next);
            const removed = Object.fromEntries(
              isNew
                ? ['utm_source', 'utm_medium']
                    .filter((name) => before[name] !== null && !present?.searchParams.has(name))
                    .map((name) => [name, null])
                : [],
            );
            const answer =
              next === undefined
                ? undefined
                : isNew
                  ? await twin.api.patch(`/links/${before.id}`, { url: next, ...removed, ...data })
                  : Object.keys(data).length > 0
                    ? await twin.api.patch(`/links/${before.id}`, data)
                    : undefined;
            const refused = next === undefined || (answer !== undefined && answer.status !== 200);
            const got = await linkOf(bulk[n]!.id);
            const want = (await twin.api.get(`/links/${before.id}`)).body;
            for (const field of [
              'url',
              'archived',
              'expiredUrl',
              'comments',
              'utm_source',
              'utm_medium',
              'utm_campaign',
            ]) {
              expect(got[field], `${field} of ${url} by ${JSON.stringify(body)}`).to.deep.equal(
                want[field],
              );
            }
            const error = changed.errors.find(({ id }: { id: string }) => id === bulk[n]!.id);
            expect(error !== undefined, `${url} by ${JSON.stringify(body)}`).to.equal(refused);
          }
          await undoneInBulk(world.api, changed.id);
          for (const [n, { url }] of links.entries()) {
            expect(await linkOf(bulk[n]!.id)).to.include({ url, archived: false, comments: null });
          }
        },
      ),
      { numRuns: 15 },
    );
  });

  it('of a limited caller see and change only what is inside of the limits', async () => {
    const folder = (await world.api.post('/folders', { name: 'Inside' })).body.id;
    const links = await create([
      { url: A, key: 'inside', folderId: folder },
      { url: A, key: 'outside' },
    ]);
    const [inside, outside] = idsOf(links);
    const { body: key } = await world.api.post('/keys', {
      name: 'limited',
      scopes: ['links.write'],
      limits: { folderIds: [folder] },
    });
    const limited = new ApiClient(key.key);
    const data = { comments: 'limited' };
    const byFilter = await changedInBulk(limited, { filter: 'showArchived=true', data });
    expect(byFilter.progress.total).to.equal(1);
    const byIds = await changedInBulk(limited, {
      ids: [inside, outside],
      data: { comments: 'again' },
    });
    expect(byIds.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 1 });
    expect(byIds.errors).to.deep.equal([
      { id: outside, shortLink: null, message: `There is no link "${outside}"` },
    ]);
    const moved = await changedInBulk(limited, { ids: [inside], data: { folderId: null } });
    expect(moved.counts.refused).to.equal(1);
    expect(moved.errors[0].message).to.match(/^folderId must be one of the folders/);
    const all = await changedInBulk(world.api, { ids: [inside, outside], data });
    expect((await limited.get(`/bulk-changes/links/${all.id}`)).status).to.equal(404);
    expect(idsOf((await limited.get('/bulk-changes/links')).body)).to.not.include(all.id);
    expect((await limited.post(`/bulk-changes/links/${all.id}/undo`)).status).to.equal(404);
    // Wider limits include changes within narrower ones.
    const second = (await world.api.post('/folders', { name: 'Second' })).body.id;
    const { body: wider } = await world.api.post('/keys', {
      name: 'wider',
      scopes: ['links.write'],
      limits: { folderIds: [second, folder] },
    });
    const { body: aside } = await world.api.post('/keys', {
      name: 'aside',
      scopes: ['links.write'],
      limits: { folderIds: [second] },
    });
    expect(idsOf((await new ApiClient(wider.key).get('/bulk-changes/links')).body)).to.include(
      byIds.id,
    );
    expect((await new ApiClient(aside.key).get('/bulk-changes/links')).body).to.deep.equal([]);
    expect((await new ApiClient(wider.key).get(`/bulk-changes/links/${all.id}`)).status).to.equal(
      404,
    );
    // Others see it, and undo it with their own rights.
    await undoneInBulk(world.api, all.id);
    const undone = await undoneInBulk(world.api, byIds.id);
    expect(undone.state).to.equal('undone');
    expect((await linkOf(outside!)).comments).to.equal(null);
  });
});

describe('bulk changes of QR codes', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  it('change URLs of dynamic codes, and name the codes that cannot change', async () => {
    const codes = [];
    for (const body of [
      { type: 'url', url: 'https://a.test/?utm_medium=print' },
      { type: 'url', url: 'https://a.test/static', static: true },
      { type: 'text', text: 'a.test' },
    ]) {
      codes.push((await world.api.post('/qrcodes', body)).body);
    }
    const ids = codes.map(({ id }) => id);
    const replace = { find: 'a.test', with: 'b.test' };
    const changed = await changedInBulk(world.api, { ids, replace }, 'qrcodes');
    expect(changed.counts).to.deep.equal({ changed: 1, unchanged: 1, refused: 1 });
    expect(changed.errors).to.deep.equal([
      {
        id: ids[1],
        shortLink: `${world.domain}/${codes[1].key}`,
        message: 'url cannot be changed: a static code contains its content',
      },
    ]);
    const utm = await changedInBulk(
      world.api,
      { ids, data: { utm_source: 'poster', expiresAt: '2090-01-01' } },
      'qrcodes',
    );
    expect(utm.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 2 });
    expect(utm.errors[1].message).to.equal(
      'utm_source must not be set where the type is text: only a code of type url has a destination',
    );
    const url = 'https://b.test/?utm_medium=print&utm_source=poster';
    const read = async () => (await world.api.get(`/qrcodes/${ids[0]}`)).body;
    expect(await read()).to.include({ url, expiresAt: '2090-01-01T00:00:00.000Z' });
    await undoneInBulk(world.api, utm.id, 'qrcodes');
    expect(await read()).to.include({
      url: 'https://b.test/?utm_medium=print',
      expiresAt: null,
    });
    await undoneInBulk(world.api, changed.id, 'qrcodes');
    expect((await read()).url).to.equal('https://a.test/?utm_medium=print');
  });

  it('give codes the appearance of a template by filter, except where it cannot be scanned', async () => {
    const make = async (body: object) => (await world.api.post('/qrcodes', body)).body;
    // Level H leaves no room for 2,000 characters.
    const { templateId } = await make({
      type: 'text',
      text: 'sample',
      fgColor: '#1A237E',
      level: 'H',
      useAsTemplate: true,
    });
    const { id } = (await world.api.post('/tags', { name: 'poster' })).body;
    const short = await make({ type: 'url', url: A, tagIds: [id], fgColor: '#004400' });
    const long = await make({
      type: 'text',
      text: 'x'.repeat(2_000),
      static: true,
      tagIds: [id],
      level: 'L',
    });
    const other = await make({ type: 'url', url: A });
    const read = async (one: { id: string }) => (await world.api.get(`/qrcodes/${one.id}`)).body;

    const data = { templateId };
    const body = { filter: `tagIds=${id}`, data };
    const checked = await changedInBulk(world.api, { ...body, dryRun: true }, 'qrcodes');
    expect(checked.counts).to.deep.equal({ changed: 1, unchanged: 0, refused: 1 });
    expect(checked.examples[0].changes).to.deep.include({
      fgColor: { from: '#004400', to: '#1A237E' },
    });
    expect((await read(short)).fgColor).to.equal('#004400');

    const changed = await changedInBulk(world.api, body, 'qrcodes');
    expect(changed.errors.map((error: { id: string }) => error.id)).to.deep.equal([long.id]);
    expect(await read(short)).to.include({ fgColor: '#1A237E', templateId });
    expect((await read(long)).level).to.equal('L');
    expect((await read(other)).templateId).to.equal(null);

    await undoneInBulk(world.api, changed.id, 'qrcodes');
    expect(await read(short)).to.include({ fgColor: '#004400', templateId: null });

    const unknown = await world.api.post('/bulk-changes/qrcodes', {
      ids: [short.id],
      data: { templateId: 'nothing' },
    });
    expect(unknown.status).to.equal(422);
    expect(unknown.body.error.message).to.equal('templateId: there is no template "nothing"');
    const ofLinks = await world.api.post('/bulk-changes/links', { ids: ['link_1'], data });
    expect(ofLinks.status).to.equal(422);
    expect(ofLinks.body.error.message).to.include('data.templateId');
  });
});
