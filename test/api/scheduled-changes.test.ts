import { expect } from 'chai';
import pino from 'pino';
import { Refusal } from '../../src/errors.ts';
import { newId } from '../../src/ids.ts';
import { pruneImages } from '../../src/images/keep.ts';
import { db } from '../../src/infra/db.ts';
import { linkHandlers } from '../../src/links/commands.ts';
import { qrCodeHandlers } from '../../src/qrcodes/commands.ts';
import type { JobHandler } from '../../src/queues/job.ts';
import { pruneFailedChanges } from '../../src/short-links/prune-history.ts';
import { ApiClient } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';
import { walk } from '../support/pages.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const B = 'https://example.com/b';
const C = 'https://example.com/c';
const DAY_MS = 86_400_000;
/** A pixel as a data URI. */
const PIXEL =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';

const KINDS = {
  links: { noun: 'link', minimal: { url: A }, none: 'link_none' },
  qrcodes: { noun: 'QR code', minimal: { type: 'url', url: A }, none: 'qr_none' },
} as const;

const inMs = (ms: number) => new Date(Date.now() + ms).toISOString();
const tomorrow = () => inMs(DAY_MS);

for (const kind of ['links', 'qrcodes'] as const) {
  const { noun, minimal, none } = KINDS[kind];
  describe(`scheduled changes of ${kind}`, () => {
    let world: World;

    beforeEach(async () => {
      world = await aWorkspace();
    });

    const create = async (fields: object = {}) => {
      const { status, body } = await world.api.post(`/${kind}`, { ...minimal, ...fields });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    };
    const patch = (id: string, fields: object, headers: Record<string, string> = {}) =>
      world.api.patch(`/${kind}/${id}`, fields, { headers });
    const schedule = async (id: string, fields: object, at = tomorrow()) => {
      const { status, body } = await patch(id, { ...fields, at });
      expect(status, JSON.stringify(body)).to.equal(201);
      return body;
    };
    const read = async (id: string) => (await world.api.get(`/${kind}/${id}`)).body;
    const changesOf = async (id: string, query = {}, api = world.api) => {
      const { status, body } = await api.get(`/${kind}/${id}/changes`, query);
      expect(status, JSON.stringify(body)).to.equal(200);
      return body;
    };
    const historyOf = async (id: string) =>
      (await world.api.get(`/${kind}/${id}/history`)).body as {
        at: string;
        action: string;
        actor: object;
        changes: object;
      }[];
    /** Moves the times of all pending changes into the past, in their order. */
    const makeDue = () =>
      db().raw(
        `UPDATE scheduled_changes SET at = at - interval '400 days', queue_at = at - interval '400 days'
          WHERE project_id = ? AND failed_at IS NULL`,
        [world.projectId],
      );
    const noneIsPending = (id: string) =>
      eventually(async () => {
        const pending = await changesOf(id, { status: 'pending' });
        expect(pending).to.deep.equal([]);
      });
    const refusal = ({ status, body }: { status: number; body: { error: { message: string } } }) =>
      [status, body.error.message] as const;

    it('are applied at their time, once, as the update of their author', async () => {
      const receiver = await Receiver.start();
      try {
        const event = kind === 'links' ? 'link.updated' : 'qrcode.updated';
        await world.api.post('/webhooks', { name: 'w', url: receiver.url, kinds: [event] });
        const { id, key } = await create();
        const at = inMs(700);
        const scheduled = await schedule(id, { url: B, title: 'Later' }, at);
        expect(scheduled).to.deep.include({ recordId: id, at, status: 'pending' });
        expect(scheduled.changes).to.include({ url: B, title: 'Later' });
        await eventually(async () => expect(await read(id)).to.include({ url: B, title: 'Later' }));
        const [entry, ...others] = await historyOf(id);
        expect(others).to.deep.equal([]);
        expect(entry!.action).to.equal('updated');
        expect(Date.parse(entry!.at)).to.be.at.least(Date.parse(at));
        expect(entry!.actor).to.deep.equal(scheduled.actor);
        expect(entry!.changes).to.deep.equal({
          url: { from: A, to: B },
          title: { from: null, to: 'Later' },
        });
        expect(await changesOf(id)).to.deep.equal([]);
        await eventually(async () =>
          expect((await world.visit(`/${key}`)).headers.location).to.equal(B),
        );
        await eventually(() => expect(receiver.received).to.have.length(1));
        expect(receiver.received[0]!.body.data).to.include({ id, url: B });
      } finally {
        await receiver.stop();
      }
    });

    it('change nothing before their time, and can be read meanwhile', async () => {
      const { id, key } = await create({ externalId: 'own' });
      const [late, soon] = [inMs(2 * DAY_MS), inMs(DAY_MS)];
      const last = await schedule('ext_own', { url: B }, late);
      const first = await schedule(id, { url: C, archived: true }, soon);
      expect(await read(id)).to.include({ url: A, archived: false });
      expect((await world.visit(`/${key}`)).headers.location).to.equal(A);
      expect(await changesOf(id)).to.deep.equal([first, last]);
      expect(await changesOf('ext_own')).to.deep.equal([first, last]);
      expect(await walk(world.api, `/${kind}/${id}/changes`, { pageSize: 1 })).to.deep.equal([
        first,
        last,
      ]);
      expect(await changesOf(id, { status: 'failed' })).to.deep.equal([]);
      const { body } = await world.api.get(`/${kind}/${id}/changes/${first.id}`);
      expect(body).to.deep.equal(first);
      expect(await historyOf(id)).to.deep.equal([]);
    });

    it('answer with their Location, and without the ETag of the record', async () => {
      const { id } = await create();
      const { headers, body } = await patch(id, { url: B, at: tomorrow() });
      expect(headers.get('location')).to.equal(`/${kind}/${id}/changes/${body.id}`);
      expect(headers.has('etag')).to.equal(false);
      expect((await world.api.get(headers.get('location')!)).body).to.deep.equal(body);
    });

    it('need a time in the next 366 days, and a field', async () => {
      const { id } = await create();
      const refused = async (fields: object) => refusal(await patch(id, fields));
      expect(await refused({ url: B, at: '2020-01-01' })).to.deep.equal([
        422,
        'at must be in the future',
      ]);
      expect(await refused({ url: B, at: inMs(367 * DAY_MS) })).to.deep.equal([
        422,
        'at must be at most 366 days from now',
      ]);
      expect(await refused({ at: tomorrow() })).to.deep.equal([
        422,
        'at must be set together with the fields to change',
      ]);
      for (const at of ['soon', '2031-02-30', 1, null, '']) {
        const [status, message] = await refused({ url: B, at });
        expect(status).to.equal(422);
        expect(message).to.match(/^at /);
      }
      const ids = kind === 'links' ? 'linkIds' : 'qrcodeIds';
      const bulk = await world.api.patch(`/${kind}/bulk`, {
        [ids]: [id],
        data: { archived: true, at: tomorrow() },
      });
      expect(bulk.status).to.equal(422);
      expect(bulk.body.error.message).to.include('at');
      const created = await world.api.post(`/${kind}`, { ...minimal, at: tomorrow() });
      expect(created.status).to.equal(422);
      expect(await changesOf(id)).to.deep.equal([]);
    });

    it('need a new expiry after their time', async () => {
      const { id } = await create({ expiresAt: inMs(DAY_MS) });
      const at = inMs(3 * DAY_MS);
      for (const expiresAt of [inMs(2 * DAY_MS), at]) {
        expect(refusal(await patch(id, { expiresAt, at }))).to.deep.equal([
          422,
          'at must be before expiresAt',
        ]);
      }
      // In UTC, like the time of the change.
      expect(refusal(await patch(id, { expiresAt: '2031-01-02', at: '2031-01-02' }))[0]).to.equal(
        422,
      );
      expect(await changesOf(id)).to.deep.equal([]);
      await schedule(id, { expiresAt: inMs(4 * DAY_MS) }, at);
      await schedule(id, { expiresAt: null }, at);
      await schedule(id, { title: 'after the expiry' }, at);
      expect(await changesOf(id)).to.have.length(3);
    });

    it('are refused like an immediate change, and leave no trace', async () => {
      const { id } = await create();
      await create({ externalId: 'taken' });
      const bodies: object[] = [
        { url: 'not a URL' },
        { folderId: 'fold_none' },
        { tagIds: ['tag_none'] },
        { externalId: 'taken' },
        { domain: 'other.example' },
        { startsAt: '2031-01-02', expiresAt: '2031-01-01' },
        { unknown: 1 },
      ];
      for (const fields of bodies) {
        const immediate = refusal(await patch(id, fields));
        const later = refusal(await patch(id, { ...fields, at: tomorrow() }));
        expect(later, JSON.stringify(fields)).to.deep.equal(immediate);
        expect(later[0], JSON.stringify(fields)).to.be.oneOf([403, 409, 422]);
      }
      expect(await changesOf(id)).to.deep.equal([]);
      expect((await patch(none, { url: B, at: tomorrow() })).status).to.equal(404);
      expect((await patch('ext_none', { url: B, at: tomorrow() })).status).to.equal(404);
    });

    it('honor If-Match', async () => {
      const { id } = await create();
      const { headers } = await world.api.get(`/${kind}/${id}`);
      const etag = headers.get('etag')!;
      const body = { url: B, at: tomorrow() };
      expect((await patch(id, body, { 'if-match': etag })).status).to.equal(201);
      await patch(id, { title: 'new' });
      expect((await patch(id, body, { 'if-match': etag })).status).to.equal(409);
    });

    it('are stored once if a request is repeated', async () => {
      const { id } = await create();
      const at = tomorrow();
      const one = await schedule(id, { url: B, password: 'hush' }, at);
      expect(await schedule(id, { url: B, password: 'hush' }, at)).to.deep.equal(one);
      await schedule(id, { url: B, password: 'other' }, at);
      await schedule(id, { url: B }, at);
      await schedule(id, { url: B, password: 'hush' }, inMs(2 * DAY_MS));
      expect(await changesOf(id)).to.have.length(4);
    });

    it('can be requested without waiting', async () => {
      const { id } = await create();
      const answer = await patch(id, { url: B, at: tomorrow() }, { prefer: 'respond-async' });
      expect(answer.status).to.equal(202);
      const job = await eventually(async () => {
        const { body } = await world.api.get(answer.headers.get('location')!);
        expect(body.status).to.equal('done');
        return body;
      });
      expect(await changesOf(id)).to.deep.equal([job.result]);
    });

    it('are at most 20 pending ones for each record', async () => {
      const { id } = await create();
      for (let n = 0; n < 20; n += 1) await schedule(id, { title: `${n}` });
      expect(refusal(await patch(id, { title: '20', at: tomorrow() }))).to.deep.equal([
        422,
        `A ${noun} has at most 20 pending changes`,
      ]);
      const [{ id: changeId }] = await changesOf(id);
      await world.api.delete(`/${kind}/${id}/changes/${changeId}`);
      await schedule(id, { title: '20' });
    });

    it('that became due together are applied in the order of their times', async () => {
      const { id } = await create();
      await schedule(id, { url: C }, inMs(3 * DAY_MS));
      await schedule(id, { url: B, title: 'second' }, inMs(2 * DAY_MS));
      await schedule(id, { title: 'first' }, inMs(DAY_MS));
      await makeDue();
      await noneIsPending(id);
      expect(await read(id)).to.include({ url: C, title: 'second' });
      expect((await historyOf(id)).map(({ changes }) => changes)).to.deep.equal([
        { url: { from: B, to: C } },
        { url: { from: A, to: B }, title: { from: 'first', to: 'second' } },
        { title: { from: null, to: 'first' } },
      ]);
    });

    it('stay as failed with the reason if they break a rule at their time', async () => {
      const { id } = await create();
      const { body: folder } = await world.api.post('/folders', { name: 'f' });
      const { id: lost } = await schedule(id, { folderId: folder.id }, inMs(DAY_MS));
      const { id: taken } = await schedule(id, { externalId: 'e', url: B }, inMs(2 * DAY_MS));
      await schedule(id, { title: 'applied' }, inMs(3 * DAY_MS));
      await world.api.delete(`/folders/${folder.id}`);
      await create({ externalId: 'e' });
      await makeDue();
      await noneIsPending(id);
      expect(await read(id)).to.include({ url: A, title: 'applied', folderId: null });
      const failed = await changesOf(id);
      expect(failed.map((one: { id: string }) => one.id)).to.deep.equal([lost, taken]);
      for (const one of failed) {
        expect(one.status).to.equal('failed');
        expect(Date.parse(one.failedAt)).to.be.at.least(Date.parse(one.at));
      }
      expect(failed[0].error.code).to.equal('unprocessable_entity');
      expect(failed[0].error.message).to.include('folderId');
      expect(failed[1].error).to.deep.equal({
        code: 'conflict',
        message: 'The externalId "e" is taken in this workspace',
      });
      expect(failed[1].changes).to.deep.include({ externalId: 'e', url: B });
      expect(await changesOf(id, { status: 'failed' })).to.deep.equal(failed);
      expect(await historyOf(id)).to.have.length(1);
    });

    it('are applied within the limits that their author has by then', async () => {
      const made = async (path: string, body: object) => {
        const answer = await world.api.post(path, body);
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
        return answer.body;
      };
      const inside = (await made('/folders', { name: 'Inside' })).id;
      const outside = (await made('/folders', { name: 'Outside' })).id;
      const limits = { folderIds: [inside] };
      const key = await made('/keys', { name: 'k', scopes: [`${kind}.write`], limits });
      const api = new ApiClient(key.key);
      const [moved, left, kept] = await Promise.all(
        Array.from({ length: 3 }, () => create({ folderId: inside })),
      );
      const later = async (id: string, fields: object) => {
        const answer = await api.patch(`/${kind}/${id}`, { ...fields, at: tomorrow() });
        expect(answer.status, JSON.stringify(answer.body)).to.equal(201);
      };
      for (const { id } of [moved, kept]) await later(id, { title: 'Later' });
      await patch(moved.id, { folderId: outside });
      await makeDue();
      for (const { id } of [moved, kept]) await noneIsPending(id);
      expect((await read(kept.id)).title).to.equal('Later');
      expect((await read(moved.id)).title).to.equal(null);
      const [failed] = await changesOf(moved.id);
      expect(failed.error.code).to.equal('not_found');
      // The limits of the key can be others by then, and remain those of a revoked key.
      await later(left.id, { title: 'Later' });
      await world.api.patch(`/keys/${key.id}`, { limits: { folderIds: [outside] } });
      await world.api.delete(`/keys/${key.id}`);
      await makeDue();
      await noneIsPending(left.id);
      expect((await read(left.id)).title).to.equal(null);
    });

    it('stay when a limited caller deletes one of a record that was moved meanwhile', async () => {
      const { id } = await create();
      const { id: changeId } = await schedule(id, { title: 'Later' });
      const [name, all] =
        kind === 'links'
          ? ['link.unschedule', linkHandlers]
          : ['qrcode.unschedule', qrCodeHandlers];
      const handler = (all as JobHandler[]).find(({ job }) => job.name === name)!;
      const outcome = await handler
        .run(
          { id, changeId },
          {
            jobId: newId('job'),
            projectId: world.projectId,
            isRepeat: false,
            actor: { userId: newId('user'), limits: { folderIds: ['fold_other'] } },
            log: pino({ enabled: false }),
          },
        )
        .catch((thrown: unknown) => thrown);
      expect(outcome).to.be.instanceOf(Refusal).and.include({ code: 'not_found' });
      expect(await changesOf(id)).to.have.length(1);
    });

    it('fail if a fault lasts until the last attempt, and do not stop the others', async () => {
      const { id } = await create();
      const { id: faulty } = await schedule(id, { title: 'faulty' }, inMs(DAY_MS));
      await schedule(id, { title: 'applied' }, inMs(2 * DAY_MS));
      await db()('scheduled_changes').where({ id: faulty }).update({ password: 'not sealed' });
      await makeDue();
      const [name, all] =
        kind === 'links' ? ['link.apply', linkHandlers] : ['qrcode.apply', qrCodeHandlers];
      const handler = (all as JobHandler[]).find(({ job }) => job.name === name)!;
      const run = (isLastAttempt: boolean) =>
        handler.run(
          { id },
          {
            jobId: newId('job'),
            projectId: world.projectId,
            isRepeat: false,
            isLastAttempt,
            log: pino({ enabled: false }),
          },
        );
      const fault = await run(false).catch((thrown: unknown) => thrown);
      expect(fault).to.be.instanceOf(Error).and.not.instanceOf(Refusal);
      expect(await read(id)).to.include({ title: null });
      await run(true);
      await noneIsPending(id);
      expect(await read(id)).to.include({ title: 'applied' });
      const [failed, ...others] = await changesOf(id);
      expect(others).to.deep.equal([]);
      expect(failed).to.deep.include({ id: faulty, status: 'failed' });
      expect(failed.error).to.deep.equal({
        code: 'internal_server_error',
        message: 'The service could not apply the change because of an error of its own',
      });
    });

    it('of a record in the trash fail at their time, and else wait for its return', async () => {
      const { id } = await create();
      const { id: late } = await schedule(id, { url: B }, inMs(DAY_MS));
      await world.api.delete(`/${kind}/${id}`);
      expect(await changesOf(id)).to.have.length(1);
      await makeDue();
      await noneIsPending(id);
      const [failed] = await changesOf(id);
      expect(failed).to.deep.include({ id: late, status: 'failed' });
      expect(failed.error).to.deep.equal({
        code: 'not_found',
        message: `The ${noun} was deleted`,
      });
      await world.api.post(`/${kind}/${id}/restore`);
      expect(await read(id)).to.include({ url: A });
      await schedule(id, { url: C }, inMs(DAY_MS));
      await world.api.delete(`/${kind}/${id}`);
      await world.api.post(`/${kind}/${id}/restore`);
      await makeDue();
      await eventually(async () => expect(await read(id)).to.include({ url: C }));
    });

    it('of a record that is deleted for good fail at once, without their values', async () => {
      const gone = await create();
      const purged = await create();
      await schedule(gone.id, { url: 'https://example.com/secret', password: 'hush' });
      const { id: changeId } = await schedule(purged.id, { url: 'https://example.com/secret' });
      await world.api.delete(`/${kind}/${gone.id}`, { events: 'remove' });
      await world.api.delete(`/${kind}/${purged.id}`);
      await world.api.delete(`/trash/${purged.id}`);
      for (const { id } of [gone, purged]) {
        const [failed, ...others] = await changesOf(id);
        expect(others).to.deep.equal([]);
        expect(failed).to.deep.include({ status: 'failed', changes: {} });
        expect(failed.error).to.deep.equal({
          code: 'not_found',
          message: 'The record was deleted for good',
        });
      }
      const stored = await db()('scheduled_changes').where({ project_id: world.projectId });
      expect(JSON.stringify(stored)).not.to.include('secret');
      expect(stored.map(({ password }) => password)).to.deep.equal([null, null]);
      const path = `/${kind}/${purged.id}/changes/${changeId}`;
      expect((await world.api.delete(path)).status).to.equal(200);
      expect((await world.api.get(`/${kind}/${purged.id}/changes`)).status).to.equal(404);
    });

    it('can be cancelled', async () => {
      const { id } = await create();
      const cancelled = await schedule(id, { url: B }, inMs(DAY_MS));
      await schedule(id, { title: 'kept' }, inMs(2 * DAY_MS));
      const path = `/${kind}/${id}/changes/${cancelled.id}`;
      const stale = { headers: { 'if-match': '"0000000000000000000000-0000000000000000000000"' } };
      expect((await world.api.delete(path, {}, stale)).status).to.equal(409);
      const etag = (await world.api.get(path)).headers.get('etag')!;
      const { status, body } = await world.api.delete(path, {}, { headers: { 'if-match': etag } });
      expect([status, body]).to.deep.equal([200, { id: cancelled.id }]);
      expect((await world.api.get(path)).status).to.equal(404);
      const again = await world.api.delete(path);
      expect(again.status).to.equal(404);
      expect(again.body.error.message).to.equal(
        `There is no scheduled change "${cancelled.id}" of this ${noun}`,
      );
      expect((await world.api.delete(`/${kind}/${none}/changes/${cancelled.id}`)).status).to.equal(
        404,
      );
      await makeDue();
      await noneIsPending(id);
      expect(await read(id)).to.include({ url: A, title: 'kept' });
      expect(await historyOf(id)).to.have.length(1);
    });

    it('belong to their workspace, record and scopes', async () => {
      const { id } = await create();
      const other = await create();
      const { id: changeId } = await schedule(id, { url: B });
      const path = `/${kind}/${id}/changes`;
      const stranger = await aWorkspace();
      expect((await stranger.api.get(path)).status).to.equal(404);
      for (const one of [`${path}/${changeId}`, `/${kind}/${other.id}/changes/${changeId}`]) {
        const { api } = one.startsWith(path) ? stranger : world;
        expect((await api.get(one)).status).to.equal(404);
        expect((await api.delete(one)).status).to.equal(404);
      }
      const otherKind = kind === 'links' ? 'qrcodes' : 'links';
      expect((await world.api.get(`/${otherKind}/${id}/changes`)).status).to.equal(404);
      const reader = await world.withScopes(`${kind}.read`);
      expect(await changesOf(id, {}, reader)).to.have.length(1);
      expect((await reader.delete(`${path}/${changeId}`)).status).to.equal(403);
      const body = { url: B, at: tomorrow() };
      expect((await reader.patch(`/${kind}/${id}`, body)).status).to.equal(403);
      const unrelated = await world.withScopes('tags.read');
      expect((await unrelated.get(path)).status).to.equal(403);
      expect(await changesOf(id)).to.have.length(1);
    });

    it('show tags as they were given, and no password', async () => {
      const { id } = await create({ password: 'old' });
      const { body: tag } = await world.api.post('/tags', { name: 't' });
      const secret = await schedule(id, { password: 'hush', tagIds: [tag.id] });
      expect(secret.changes).to.deep.equal({ hasPassword: true, tagIds: [tag.id] });
      const named = await schedule(id, { tagNames: ['t'] });
      expect(named.changes).to.deep.equal({ tagIds: [], tagNames: ['t'] });
      const edited = await schedule(id, { addTagIds: [tag.id], password: null });
      expect(edited.changes).to.deep.equal({
        addTagIds: [tag.id],
        removeTagIds: [],
        hasPassword: false,
      });
      for (const one of [named, edited]) await world.api.delete(`/${kind}/${id}/changes/${one.id}`);
      const stored = await db()('scheduled_changes').where({ project_id: world.projectId });
      expect(JSON.stringify(stored)).not.to.include('hush');
      await makeDue();
      await noneIsPending(id);
      const record = await read(id);
      expect(record.password).to.equal('hush');
      expect(record.tags.map((one: { name: string }) => one.name)).to.deep.equal(['t']);
    });

    it('are in the audit log when they are scheduled, applied and cancelled', async () => {
      const { id } = await create();
      await schedule(id, { url: B, title: 't' }, inMs(DAY_MS));
      const { id: changeId } = await schedule(id, { comments: 'c' }, inMs(2 * DAY_MS));
      await world.api.delete(`/${kind}/${id}/changes/${changeId}`);
      await makeDue();
      await noneIsPending(id);
      const { body } = await world.api.get('/audit-log');
      const record = kind === 'links' ? 'link' : 'qrcode';
      const actions = body
        .filter(({ target }: { target: { id: string } }) => target.id === id)
        .map(({ action, fields }: { action: string; fields?: string[] }) => [action, fields]);
      const fields = kind === 'links' ? ['url', 'title'] : ['title', 'content'];
      expect(actions.map(([action]: [string]) => action)).to.deep.equal([
        `${record}.update`,
        `${record}.unschedule`,
        `${record}.schedule`,
        `${record}.schedule`,
        `${record}.create`,
      ]);
      expect(actions[0][1]).to.have.members(fields);
      expect(actions[3][1]).to.have.members(fields);
      expect(body[0].actor).to.deep.equal(body[2].actor);
    });

    it('that failed are deleted after 90 days', async () => {
      const { id } = await create();
      for (const title of ['old', 'young', 'pending']) await schedule(id, { title });
      const [old, young, pending] = (await db()('scheduled_changes')
        .where({ project_id: world.projectId })
        .orderBy('id')) as { id: string }[];
      for (const [one, days] of [
        [old, 91],
        [young, 89],
      ] as const) {
        await db()('scheduled_changes')
          .where({ project_id: world.projectId, id: one!.id })
          .update({ failed_at: new Date(Date.now() - days * DAY_MS), error: '{}' });
      }
      await pruneFailedChanges();
      const stored = await db()('scheduled_changes')
        .where({ project_id: world.projectId })
        .orderBy('id');
      expect(stored.map((one) => one.id)).to.deep.equal([young!.id, pending!.id]);
    });
  });
}

describe('a scheduled change', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const makeDue = () =>
    db()('scheduled_changes')
      .where({ project_id: world.projectId })
      .update({ at: new Date(0), queue_at: new Date(0) });
  const aCode = async (fields: object) => {
    const { status, body } = await world.api.post('/qrcodes', fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    return body;
  };

  it('moves a link to another key, whose old one is free again later', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'before' });
    const taken = { key: 'taken', at: tomorrow() };
    await world.api.post('/links', { url: A, key: 'taken' });
    expect((await world.api.patch(`/links/${link.id}`, taken)).status).to.equal(409);
    await world.api.patch(`/links/${link.id}`, { key: 'after', at: tomorrow() });
    expect((await world.visit('/after')).status).to.equal(404);
    await makeDue();
    await eventually(async () =>
      expect((await world.visit('/after')).headers.location).to.equal(A),
    );
    await eventually(async () => expect((await world.visit('/before')).status).to.equal(404));
  });

  it('fails if another link has taken the key meanwhile', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'before' });
    await world.api.patch(`/links/${link.id}`, { key: 'after', at: tomorrow() });
    await world.api.post('/links', { url: B, key: 'after' });
    await makeDue();
    await eventually(async () => {
      const [{ status, error }] = (await world.api.get(`/links/${link.id}/changes`)).body;
      expect(status).to.equal('failed');
      expect(error).to.deep.equal({
        code: 'conflict',
        message: 'The key "after" is taken on its domain',
      });
    });
    expect((await world.visit('/after')).headers.location).to.equal(B);
  });

  it('of a static code or of a printed slug is refused', async () => {
    const code = await aCode({ type: 'text', text: 'a', static: true });
    const later = { text: 'b', at: tomorrow() };
    expect((await world.api.patch(`/qrcodes/${code.id}`, later)).status).to.equal(409);
    const dynamic = await aCode({ type: 'url', url: A });
    const moved = { key: 'k', at: tomorrow() };
    expect((await world.api.patch(`/qrcodes/${dynamic.id}`, moved)).status).to.equal(409);
  });

  it('shows content and design, and the password of a network to writers alone', async () => {
    const wifi = { ssid: 'net', password: 'hushhush', encryption: 'WPA' };
    const code = await aCode({ type: 'wifi', wifi });
    const fields = {
      wifi: { ...wifi, ssid: 'other' },
      fgColor: '#1A237E',
      useAsTemplate: true,
      templateName: 'Later',
      at: tomorrow(),
    };
    const { status, body } = await world.api.patch(`/qrcodes/${code.id}`, fields);
    expect(status, JSON.stringify(body)).to.equal(201);
    const { at: _, ...shown } = fields;
    expect(body.changes).to.deep.equal({ type: 'wifi', ...shown });
    const reader = await world.withScopes('qrcodes.read');
    const [read] = (await reader.get(`/qrcodes/${code.id}/changes`)).body;
    expect(read.changes.wifi).to.include({ ssid: 'other', password: null, hasPassword: true });
    expect((await world.api.get('/templates')).body).to.deep.equal([]);
    await makeDue();
    await eventually(async () => {
      const { body: after } = await world.api.get(`/qrcodes/${code.id}`);
      expect(after).to.include({ fgColor: '#1A237E' });
      expect(after.wifi).to.include({ ssid: 'other', password: 'hushhush' });
    });
    expect((await world.api.get('/templates')).body).to.have.length(1);
  });

  it('keeps its image stored', async () => {
    const code = await aCode({ type: 'url', url: A, level: 'H' });
    const { status, body } = await world.api.patch(`/qrcodes/${code.id}`, {
      logo: PIXEL,
      at: tomorrow(),
    });
    expect(status, JSON.stringify(body)).to.equal(201);
    const images = () => db()('images').where({ project_id: world.projectId });
    await images().update({ kept_at: new Date(0) });
    await pruneImages();
    expect(await images()).to.have.length(1);
    await makeDue();
    await eventually(async () =>
      expect((await world.api.get(`/qrcodes/${code.id}`)).body.logo).to.equal(PIXEL),
    );
    await world.api.patch(`/qrcodes/${code.id}`, { logo: null });
    await db()('record_changes').where({ project_id: world.projectId }).delete();
    await pruneImages();
    expect(await images()).to.deep.equal([]);
  });
});
