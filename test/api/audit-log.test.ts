import { expect } from 'chai';
import { pruneAuditLog } from '../../src/audit/prune.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { runIdempotent } from '../../src/jobs/run-idempotent.ts';
import { bulk, clicks, writes } from '../../src/queues/index.ts';
import { ALL_JOBS } from '../../workers/jobs.ts';
import { eventually } from '../support/eventually.ts';
import { anOpenExport } from '../support/exports.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { aPerson } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
type Body = any;

/**
 * Jobs of people without an API key of the workspace: see `invitations.test.ts`, `me.test.ts` and
 * `oauth.test.ts`.
 */
const TESTED_ELSEWHERE = ['invitation.accept', 'workspace.create', 'apiKey.authorize'];

/** Expected entry of a write in the audit log. */
interface Said {
  target: { kind: string; id: string | null };
  count?: number;
  fields?: string[];
}

describe('the audit log', () => {
  let world: World;
  let receiver: Receiver;

  beforeEach(async () => {
    world = await aWorkspace();
    receiver = await Receiver.start();
  });
  afterEach(() => receiver.stop());

  /** Resolves with the body of an answer, which must be a success. */
  async function done(answer: Promise<{ status: number; body: Body }>): Promise<Body> {
    const { status, body } = await answer;
    expect(status, JSON.stringify(body)).to.be.within(200, 202);
    return body;
  }
  const post = (path: string, body?: unknown) => done(world.api.post(path, body));
  const patch = (path: string, body: unknown) => done(world.api.patch(path, body));
  const remove = (path: string, query?: Record<string, string>) =>
    done(world.api.delete(path, query));
  const log = async (query = {}): Promise<Body[]> => done(world.api.get('/audit-log', query));

  const aLink = (fields: object = {}) => post('/links', { url: A, ...fields });
  const aCode = (fields: object = {}) => post('/qrcodes', { type: 'text', text: 'a', ...fields });
  const aFont = () => post('/fonts', { name: 'a', source: fontUri(openType('a')) });
  const aWebhook = () =>
    post('/webhooks', { name: 'w', url: receiver.url, kinds: ['lead.created'] });
  const aDestination = () =>
    post('/destinations', {
      type: 'redis',
      name: 'w',
      settings: { url: 'rediss://redis.example:443', stream: 's' },
    });
  const anIntegration = () =>
    post('/integrations', { type: 'stripe', name: 'w', secret: 'whsec_w' });
  const invite = () =>
    post('/invitations', { email: `${newId('user')}@people.test`, role: 'member' });
  const aDelivery = async () => {
    const { id } = await aWebhook();
    return { id, deliveryId: (await post(`/webhooks/${id}/test`, {})).id };
  };
  const aRecipient = async () => {
    const path = `/reports/${(await post('/reports', { name: 'a' })).id}/recipients`;
    const recipient = await post(path, { email: `${newId('user')}@people.test` });
    return { ...recipient, path: `${path}/${recipient.id}` };
  };
  const aCustomer = async () => {
    const link = await aLink({ key: 'c' });
    await world.visit('/c');
    const [click] = await eventually(async () => {
      const events = await done(world.api.get('/events', { event: 'clicks' }));
      expect(events).to.have.length(1);
      return events;
    });
    await post('/track/lead', {
      clickId: click.click.id,
      eventName: 'Sign up',
      customerExternalId: 'u1',
    });
    const [customer] = await done(world.api.get('/customers'));
    expect(link.id).to.be.a('string');
    return customer.id as string;
  };

  const aChange = async (path: string) => {
    const at = new Date(Date.now() + 86_400_000).toISOString();
    return (await patch(path, { title: 't', at })).id as string;
  };

  const anImport = () =>
    done(
      world.api.post('/imports', 'url,key\nhttps://example.com/,imported\n', {
        headers: { 'content-type': 'text/csv' },
        query: { dryRun: true },
      }),
    );

  const aBulkChange = () =>
    post('/bulk-changes/links', { ids: ['none'], data: { comments: 'a' }, dryRun: true });

  const one = (kind: string, { id }: { id: string }, fields?: string[]): Said => ({
    target: { kind, id },
    ...(fields === undefined ? {} : { fields }),
  });
  const some = (kind: string, count: number, fields?: string[]): Said => ({
    target: { kind, id: null },
    count,
    ...(fields === undefined ? {} : { fields }),
  });

  const VIEW = { list: 'links', name: 'a', query: '' };

  /** One write of every kind, each with its expected entry. */
  const WRITES: Record<string, () => Promise<Said>> = {
    'link.create': async () => one('link', await aLink()),
    'link.upsert': async () =>
      one('link', await done(world.api.put('/links/upsert', { url: A, externalId: 'e' }))),
    'link.update': async () => {
      const { id } = await aLink();
      return one('link', await patch(`/links/${id}`, { title: 't', password: 'secret' }), [
        'title',
        'password',
      ]);
    },
    'link.delete': async () => one('link', await remove(`/links/${(await aLink()).id}`)),
    'link.reset': async () => one('link', await post(`/links/${(await aLink()).id}/reset`)),
    'link.revert': async () => {
      const { id } = await aLink();
      await patch(`/links/${id}`, { title: 'b' });
      const [{ id: changeId }] = await done(world.api.get(`/links/${id}/history`));
      return one('link', await post(`/links/${id}/revert`, { changeId }));
    },
    'link.schedule': async () => {
      const { id } = await aLink();
      await aChange(`/links/${id}`);
      return one('link', { id }, ['title']);
    },
    'link.unschedule': async () => {
      const { id } = await aLink();
      await remove(`/links/${id}/changes/${await aChange(`/links/${id}`)}`);
      return one('link', { id });
    },
    'qrcode.schedule': async () => {
      const { id } = await aCode();
      await aChange(`/qrcodes/${id}`);
      return one('qrcode', { id }, ['title']);
    },
    'qrcode.unschedule': async () => {
      const { id } = await aCode();
      await remove(`/qrcodes/${id}/changes/${await aChange(`/qrcodes/${id}`)}`);
      return one('qrcode', { id });
    },
    'link.restore': async () => {
      const { id } = await aLink();
      await remove(`/links/${id}`);
      return one('link', await post(`/links/${id}/restore`));
    },
    'qrcode.restore': async () => {
      const { id } = await aCode();
      await remove(`/qrcodes/${id}`);
      return one('qrcode', await post(`/qrcodes/${id}/restore`));
    },
    'trash.restore': async () => {
      const { id } = await aLink();
      await remove(`/links/${id}`);
      await post('/trash/restore', { ids: [id, 'link_none'] });
      return some('trash', 1);
    },
    'trash.delete': async () => {
      const { id } = await aLink();
      await remove(`/links/${id}`);
      return one('trash', await remove(`/trash/${id}`));
    },
    'links.create': async () => {
      await post('/links/bulk', [{ url: A }, { url: A, key: 'x' }, { url: A, key: 'x' }]);
      return some('link', 2);
    },
    'links.update': async () => {
      const { id } = await aLink();
      await patch('/links/bulk', { linkIds: [id, 'link_none'], data: { title: 't' } });
      return some('link', 1, ['title']);
    },
    'links.delete': async () => {
      const { id } = await aLink();
      await remove('/links/bulk', { linkIds: `${id},link_none` });
      return some('link', 1);
    },
    'qrcode.create': async () => one('qrcode', await aCode()),
    'qrcode.update': async () => {
      const { id } = await aCode();
      return one('qrcode', await patch(`/qrcodes/${id}`, { title: 't' }), ['title']);
    },
    'qrcode.delete': async () => one('qrcode', await remove(`/qrcodes/${(await aCode()).id}`)),
    'qrcode.revert': async () => {
      const { id } = await aCode();
      await patch(`/qrcodes/${id}`, { title: 'b' });
      const [{ id: changeId }] = await done(world.api.get(`/qrcodes/${id}/history`));
      return one('qrcode', await post(`/qrcodes/${id}/revert`, { changeId }));
    },
    'qrcode.reset': async () => one('qrcode', await post(`/qrcodes/${(await aCode()).id}/reset`)),
    'qrcodes.create': async () => {
      await post('/qrcodes/bulk', [{ type: 'text', text: 'a' }]);
      return some('qrcode', 1);
    },
    'qrcodes.update': async () => {
      const { id } = await aCode();
      await patch('/qrcodes/bulk', { qrcodeIds: [id, 'qr_none'], data: { title: 't' } });
      return some('qrcode', 1, ['title']);
    },
    'qrcodes.delete': async () => {
      await remove('/qrcodes/bulk', { qrcodeIds: (await aCode()).id });
      return some('qrcode', 1);
    },
    'template.update': async () => {
      const { templateId } = await aCode({ useAsTemplate: true });
      return one('template', await patch(`/templates/${templateId}`, { name: 'n' }), ['name']);
    },
    'template.delete': async () => {
      const { templateId } = await aCode({ useAsTemplate: true });
      return one('template', await remove(`/templates/${templateId}`));
    },
    'font.create': async () => one('font', await aFont()),
    'font.delete': async () => one('font', await remove(`/fonts/${(await aFont()).id}`)),
    'tag.create': async () => one('tag', await post('/tags', { name: 'a' })),
    'tag.update': async () => {
      const { id } = await post('/tags', { name: 'a' });
      return one('tag', await done(world.api.put(`/tags/${id}`, { name: 'b' })), ['name']);
    },
    'tag.delete': async () =>
      one('tag', await remove(`/tags/${(await post('/tags', { name: 'a' })).id}`)),
    'folder.create': async () => one('folder', await post('/folders', { name: 'a' })),
    'folder.update': async () => {
      const { id } = await post('/folders', { name: 'a' });
      return one('folder', await patch(`/folders/${id}`, { name: 'b' }), ['name']);
    },
    'folder.delete': async () =>
      one('folder', await remove(`/folders/${(await post('/folders', { name: 'a' })).id}`)),
    'utmTemplate.create': async () =>
      one('utmTemplate', await post('/utm-templates', { name: 'a' })),
    'utmTemplate.update': async () => {
      const { id } = await post('/utm-templates', { name: 'a' });
      const changed = await patch(`/utm-templates/${id}`, { utm_source: 'b' });
      return one('utmTemplate', changed, ['utm_source']);
    },
    'utmTemplate.delete': async () => {
      const { id } = await post('/utm-templates', { name: 'a' });
      return one('utmTemplate', await remove(`/utm-templates/${id}`));
    },
    'view.create': async () => one('view', await post('/views', VIEW)),
    'view.update': async () => {
      const { id } = await post('/views', VIEW);
      return one('view', await patch(`/views/${id}`, { name: 'b' }), ['name']);
    },
    'view.delete': async () =>
      one('view', await remove(`/views/${(await post('/views', VIEW)).id}`)),
    'sharedReport.create': async () => one('sharedReport', await post('/reports', { name: 'a' })),
    'sharedReport.update': async () => {
      const { id } = await post('/reports', { name: 'a' });
      const changed = await patch(`/reports/${id}`, { name: 'b', password: 'secret' });
      return one('sharedReport', changed, ['name', 'password']);
    },
    'sharedReport.rotate': async () => {
      const { id } = await post('/reports', { name: 'a' });
      return one('sharedReport', await post(`/reports/${id}/rotate`));
    },
    'sharedReport.delete': async () =>
      one('sharedReport', await remove(`/reports/${(await post('/reports', { name: 'a' })).id}`)),
    'reportRecipient.create': async () => one('reportRecipient', await aRecipient()),
    'reportRecipient.resend': async () =>
      one('reportRecipient', await post(`${(await aRecipient()).path}/resend`)),
    'reportRecipient.delete': async () =>
      one('reportRecipient', await remove((await aRecipient()).path)),
    'page.create': async () => one('page', await post('/pages', { title: 'a' })),
    'page.update': async () => {
      const { id } = await post('/pages', { title: 'a' });
      return one('page', await patch(`/pages/${id}`, { title: 'b' }), ['title']);
    },
    'page.delete': async () =>
      one('page', await remove(`/pages/${(await post('/pages', { title: 'a' })).id}`)),
    'domain.create': async () =>
      one('domain', await post('/domains', { slug: `more.${world.domain}` })),
    'domain.update': async () => {
      const { id } = await post('/domains', { slug: `more.${world.domain}` });
      const changed = await patch(`/domains/${id}`, { target: A });
      return one('domain', changed, ['target']);
    },
    'domain.verify': async () => {
      const [{ id }] = await done(world.api.get('/domains'));
      return one('domain', await post(`/domains/${id}/verify`));
    },
    'domain.delete': async () => {
      const { id } = await post('/domains', { slug: `more.${world.domain}` });
      return one('domain', await remove(`/domains/${id}`));
    },
    'customer.create': async () => one('customer', await post('/customers', { externalId: 'new' })),
    'customer.update': async () =>
      one('customer', await patch(`/customers/${await aCustomer()}`, { name: 'n' }), ['name']),
    'customer.merge': async () => {
      const customerIds = [await aCustomer()];
      const { body } = await world.api.post('/customers', { externalId: 'remains' });
      return one('customer', await post('/customers/merge', { customerIds, into: body.id }));
    },
    'customer.delete': async () => one('customer', await remove(`/customers/${await aCustomer()}`)),
    'destination.create': async () => one('destination', await aDestination()),
    'destination.update': async () => {
      const { id } = await aDestination();
      return one('destination', await patch(`/destinations/${id}`, { name: 'v' }), ['name']);
    },
    'destination.backfill': async () => {
      const { id } = await aDestination();
      const period = { start: '2026-01-01', end: '2026-01-02' };
      return one('destination', await post(`/destinations/${id}/backfill`, period));
    },
    'destination.test': async () => {
      const { id } = await aDestination();
      return one('destination', await post(`/destinations/${id}/test`));
    },
    'destination.delete': async () =>
      one('destination', await remove(`/destinations/${(await aDestination()).id}`)),
    'integration.create': async () => one('integration', await anIntegration()),
    'integration.update': async () => {
      const { id } = await anIntegration();
      return one('integration', await patch(`/integrations/${id}`, { name: 'v' }), ['name']);
    },
    'integration.delete': async () =>
      one('integration', await remove(`/integrations/${(await anIntegration()).id}`)),
    'webhook.create': async () => one('webhook', await aWebhook()),
    'webhook.update': async () => {
      const { id } = await aWebhook();
      return one('webhook', await patch(`/webhooks/${id}`, { name: 'v' }), ['name']);
    },
    'webhook.delete': async () =>
      one('webhook', await remove(`/webhooks/${(await aWebhook()).id}`)),
    'webhook.rotate': async () =>
      one('webhook', await post(`/webhooks/${(await aWebhook()).id}/rotate-secret`)),
    'webhook.test': async () => one('webhook', { id: (await aDelivery()).id }),
    'webhook.resend': async () => {
      const { id, deliveryId } = await aDelivery();
      await post(`/webhooks/${id}/deliveries/${deliveryId}/resend`);
      return one('webhook', { id });
    },
    'webhook.resendAll': async () => {
      const { id } = await aDelivery();
      await post(`/webhooks/${id}/resend`, { since: '2026-01-01' });
      return { ...one('webhook', { id }), count: 1 };
    },
    'workspace.update': async () =>
      one('workspace', await patch('/workspace', { name: 'n', keepFullIp: true }), [
        'name',
        'keepFullIp',
      ]),
    'member.update': async () => {
      const { userId } = await aPerson({ in: { ...world, role: 'viewer' } });
      await patch(`/members/${userId}`, { role: 'member' });
      return one('member', { id: userId }, ['role']);
    },
    'member.remove': async () => {
      const { userId } = await aPerson({ in: { ...world, role: 'viewer' } });
      return one('member', await remove(`/members/${userId}`));
    },
    'invitation.create': async () => one('invitation', await invite()),
    'invitation.resend': async () =>
      one('invitation', await post(`/invitations/${(await invite()).id}/resend`)),
    'invitation.delete': async () =>
      one('invitation', await remove(`/invitations/${(await invite()).id}`)),
    'apiKey.create': async () => one('apiKey', await post('/keys', { name: 'k' })),
    'apiKey.update': async () => {
      const { id } = await post('/keys', { name: 'k' });
      return one('apiKey', await patch(`/keys/${id}`, { name: 'l' }), ['name']);
    },
    'apiKey.rotate': async () => {
      const { id } = await post('/keys', { name: 'k' });
      return one('apiKey', await post(`/keys/${id}/rotate`));
    },
    'apiKey.revoke': async () =>
      one('apiKey', await remove(`/keys/${(await post('/keys', { name: 'k' })).id}`)),
    'bulkChange.create': async () => one('bulkChange', await aBulkChange()),
    'bulkChange.start': async () =>
      one('bulkChange', await post(`/bulk-changes/links/${(await aBulkChange()).id}/start`)),
    'bulkChange.cancel': async () =>
      one('bulkChange', await post(`/bulk-changes/links/${(await aBulkChange()).id}/cancel`)),
    'bulkChange.undo': async () => {
      const { id } = await aBulkChange();
      await post(`/bulk-changes/links/${id}/cancel`);
      return one('bulkChange', await post(`/bulk-changes/links/${id}/undo`));
    },
    'import.create': async () => one('import', await anImport()),
    'import.update': async () => {
      const { id } = await anImport();
      return one('import', await patch(`/imports/${id}`, { onConflict: 'update' }), ['onConflict']);
    },
    'import.start': async () =>
      one('import', await post(`/imports/${(await anImport()).id}/start`)),
    'import.cancel': async () =>
      one('import', await post(`/imports/${(await anImport()).id}/cancel`)),
    'import.undo': async () => {
      const { id } = await anImport();
      await post(`/imports/${id}/cancel`);
      return one('import', await post(`/imports/${id}/undo`));
    },
    'export.write': async () => {
      const job = await done(
        world.api.get('/links/export', {}, { headers: { prefer: 'respond-async' } }),
      );
      await eventually(async () => {
        expect((await done(world.api.get(`/jobs/${job.id}`))).status).to.equal('done');
      });
      const [{ target }] = await log({ action: 'export.write' });
      return { target: { kind: 'export', id: target.id } };
    },
    'export.workspace': async () => {
      const { url } = await post('/exports', { type: 'workspace', passphrase: 'not logged' });
      const id = new URL(url).pathname.slice('/exports/'.length);
      expect(JSON.stringify(await log())).not.to.contain('not logged');
      return { target: { kind: 'export', id } };
    },
    'export.qrcodes': async () => {
      await post('/qrcodes', { type: 'url', url: A });
      const { id } = await post('/exports', { type: 'qrcodes' });
      return { target: { kind: 'export', id } };
    },
    'export.cancel': async () => {
      const id = await anOpenExport(world.api);
      await post(`/exports/${id}/cancel`);
      return { target: { kind: 'export', id } };
    },
  };

  it('has a tested write for every kind that it has entries of', () => {
    const kinds = ALL_JOBS.filter(({ audit }) => audit !== undefined);
    const tested = [...Object.keys(WRITES), ...TESTED_ELSEWHERE];
    expect(tested.toSorted()).to.deep.equal(kinds.map(({ name }) => name).toSorted());
  });

  it('has an entry for each job that writes for callers, but for these', () => {
    const without = ALL_JOBS.filter(
      ({ queue, audit }) => [writes, bulk, clicks].includes(queue) && audit === undefined,
    );
    expect(without.map(({ name }) => name)).to.have.members([
      // The service adds these by itself.
      'link.fill',
      'qrcode.fill',
      'import.fetch',
      'import.run',
      'bulkChange.run',
      'apiKey.used',
      'limit.announce',
      'integration.noted',
      'payment.receive',
      'payments.settle',
      // The handlers write the update of each author.
      'link.apply',
      'qrcode.apply',
      // Sessions, people and blocked hosts belong to no workspace.
      'session.create',
      'session.createByLink',
      'session.createByIdentity',
      'session.end',
      'session.endOwn',
      'session.endOthers',
      'session.used',
      'session.createBySecondFactor',
      'session.createByPasskey',
      'user.update',
      'passkey.update',
      'passwordReset.create',
      // The handlers write these entries to the logs of all workspaces of the person.
      'passwordReset.complete',
      'secondFactor.create',
      'secondFactor.delete',
      'recoveryCodes.create',
      'passkey.create',
      'passkey.delete',
      // People confirm and unsubscribe by links of emails.
      'reportRecipient.confirm',
      'reportRecipient.unsubscribe',
      'notifications.update',
      'notifications.unsubscribe',
      'host.block',
      'host.unblock',
      'oauth.register',
      // Nothing changes until the app exchanges its code or when it renews its key.
      'oauth.consent',
      'apiKey.renew',
      // The handlers write these entries to the log of the workspace that owns the link.
      'link.unblock',
      'report.answer',
      'report.add',
      // Conversions are events, which store their own origin.
      'lead.track',
      'sale.track',
      'refund.track',
      'click.track',
      'visits.record',
      'leftOut.add',
      'rejected.retry',
      'rejected.discard',
    ]);
  });

  for (const [action, write] of Object.entries(WRITES)) {
    it(`has one entry for a write: ${action}`, async () => {
      const said = await write();
      const entries = (await log({ action })).filter(({ actor }) => actor.userId !== null);
      expect(entries).to.have.length(1);
      const {
        id: _,
        at,
        actor,
        target: { name: _name, ...target },
        ...rest
      } = entries[0];
      expect({ ...rest, target }).to.deep.equal({ action, ...said });
      expect(Math.abs(Date.now() - Date.parse(at))).to.be.below(60_000);
      const key = (await db()('api_keys')
        .where({ project_id: world.projectId })
        .orderBy('id')
        .first())!;
      expect(actor).to.deep.equal({
        userId: key.user_id,
        name: `owner@${world.slug}.invalid`,
        apiKeyId: key.id,
      });
    });
  }

  it('names the records of each kind, as they are called now', async () => {
    const { domain } = world;
    const link = await aLink({ key: 'before' });
    await patch(`/links/${link.id}`, { key: 'after' });
    const trashed = await aLink({ key: 'trashed' });
    await remove(`/links/${trashed.id}`);
    const code = await post('/qrcodes', { type: 'url', url: A, key: 'code' });
    const titled = await aCode({ title: 'Menu' });
    const tag = await post('/tags', { name: 'Spring' });
    const folder = await post('/folders', { name: 'Campaigns' });
    const view = await post('/views', { ...VIEW, name: 'Mine' });
    const font = await aFont();
    const webhook = await aWebhook();
    const destination = await aDestination();
    const integration = await anIntegration();
    const report = await post('/reports', { name: 'Weekly' });
    const key = await post('/keys', { name: 'CI' });
    const page = await post('/pages', { title: 'Before you go' });
    const template = await post('/utm-templates', { name: 'Letter', utm_source: 'a' });
    const invitation = await invite();
    const imported = await anImport();
    const { userId } = await aPerson({ in: { ...world, role: 'viewer' } });
    await patch(`/members/${userId}`, { role: 'member' });
    const member = (await done(world.api.get('/members'))).find(
      (person: Body) => person.userId === userId,
    );
    const names: Record<string, string | undefined> = Object.fromEntries(
      (await log()).map(({ target }) => [target.id, target.name]),
    );
    expect(names).to.include({
      [link.id]: `${domain}/after`,
      [trashed.id]: `${domain}/trashed`,
      [code.id]: `${domain}/code`,
      [titled.id]: 'Menu',
      [tag.id]: 'Spring',
      [folder.id]: 'Campaigns',
      [view.id]: 'Mine',
      [font.id]: 'a',
      [webhook.id]: 'w',
      [destination.id]: 'w',
      [integration.id]: 'w',
      [report.id]: 'Weekly',
      [key.id]: 'CI',
      [page.id]: 'Before you go',
      [template.id]: 'Letter',
      [invitation.id]: invitation.email,
      [userId]: member.name === '' ? member.email : member.name,
    });
    expect(names[imported.id]).to.equal(imported.name ?? undefined);
  });

  it('names no erased record, and none that a key may not read', async () => {
    const tag = await post('/tags', { name: 'Gone' });
    await remove(`/tags/${tag.id}`);
    await post('/folders', { name: 'Hidden' });
    const link = await aLink({ key: 'seen' });
    expect((await log({ target: tag.id })).map(({ target }) => target.name)).to.deep.equal([
      undefined,
      undefined,
    ]);
    const api = await world.withScopes('audit.read', 'links.read');
    const entries = await done(api.get('/audit-log'));
    const named = entries.filter(({ target }: Body) => target.name !== undefined);
    expect(named.map(({ target }: Body) => target.id)).to.deep.equal([link.id]);
  });

  it('names links and QR codes in the trash each by its own rule, to those who may read them', async () => {
    const { domain } = world;
    await aCode({ title: 'First' });
    const link = await aLink({ key: 'x', title: 'Offer' });
    const code = await aCode({ title: 'Menu' });
    await aLink({ key: 'last' });
    await remove(`/links/${link.id}`);
    await remove(`/qrcodes/${code.id}`);
    const namesFor = async (...scopes: string[]): Promise<(string | undefined)[]> => {
      const api = await world.withScopes('audit.read', ...scopes);
      const entries: Body[] = await done(api.get('/audit-log'));
      return [link.id, code.id].map(
        (id) => entries.find(({ target }) => target.id === id)!.target.name,
      );
    };
    expect(await namesFor('links.read', 'qrcodes.read')).to.deep.equal([`${domain}/x`, 'Menu']);
    expect(await namesFor('links.read')).to.deep.equal([`${domain}/x`, undefined]);
    expect(await namesFor('qrcodes.read')).to.deep.equal([undefined, 'Menu']);
  });

  it('names fields and never values', async () => {
    const { id } = await aLink();
    await patch(`/links/${id}`, { password: 'hush hush', title: 'quiet title' });
    const rows = await db()('audit_log').where({ project_id: world.projectId });
    expect(rows).to.have.length(3);
    expect(JSON.stringify(rows)).to.not.match(/hush|quiet|example\.com/);
  });

  it('has one entry of a write that is sent again with its Idempotency-Key', async () => {
    const headers = { 'idempotency-key': 'same' };
    const first = await world.api.post('/tags', { name: 'a' }, { headers });
    const again = await world.api.post('/tags', { name: 'a' }, { headers });
    expect(again.body).to.deep.equal(first.body);
    expect(await log({ action: 'tag.create' })).to.have.length(1);
  });

  it('has no entry of a write that was refused, nor of events', async () => {
    await world.api.patch('/links/link_none', { title: 't' });
    await world.api.delete('/links/bulk', { linkIds: 'link_none' });
    await aCustomer();
    const actions = (await log()).map(({ action }) => action);
    expect(actions).to.deep.equal(['link.create', 'domain.create']);
  });

  it('has no entry of a command whose transaction failed', async () => {
    const task = { name: 'tag.create', data: { id: 'tag_x' } };
    const logger = { warn() {} } as never;
    const job = { jobId: 'job_x', projectId: world.projectId, isRepeat: false, task, log: logger };
    const command = runIdempotent(job, async (trx) => {
      await trx.raw('SELECT 1 / 0');
      return { id: 'tag_x' };
    });
    await command.then(
      () => expect.fail('it did not fail'),
      () => {},
    );
    expect(await log({ action: 'tag.create' })).to.deep.equal([]);
  });

  it('says that the operator made a write by the command line', async () => {
    const [entry] = await log({ actor: 'operator' });
    expect(entry).to.deep.include({ action: 'domain.create' });
    expect(entry.actor).to.deep.equal({ userId: null, name: 'operator' });
  });

  it('is filtered by actor, action and target', async () => {
    const { id } = await aLink();
    await post('/tags', { name: 'a' });
    const [{ actor }] = await log({ target: id });
    expect(await log({ target: 'link' })).to.have.length(1);
    expect(await log({ actor: actor.userId })).to.have.length(2);
    expect(await log({ actor: actor.apiKeyId })).to.have.length(2);
    expect(await log({ actor: 'user_none' })).to.deep.equal([]);
    const both = await log({ action: ['tag.create', 'link.create'] });
    expect(both.map(({ action }) => action)).to.deep.equal(['tag.create', 'link.create']);
  });

  it('is read page by page, newest first', async () => {
    for (const name of ['a', 'b', 'c']) await post('/tags', { name });
    const first = await world.api.get('/audit-log', { limit: 2 });
    const cursor = first.headers.get('x-next-cursor')!;
    const second = await world.api.get('/audit-log', { limit: 3, cursor });
    const all = await log();
    expect([...first.body, ...second.body]).to.deep.equal(all);
    expect(second.headers.get('x-next-cursor')).to.equal(null);
    const ids: string[] = all.map(({ id }) => id);
    expect(ids).to.deep.equal(ids.toSorted().toReversed());
  });

  const REFUSED: [name: string, query: Record<string, string>, message: RegExp][] = [
    ['a cursor of another list', { cursor: 'abc' }, /^cursor must be an X-Next-Cursor/],
    ['a page that is too large', { limit: '101' }, /^limit must/],
    ['an unknown filter', { since: '2026-01-01' }, /^since is not a known query parameter/],
  ];
  for (const [name, query, message] of REFUSED) {
    it(`refuses ${name}`, async () => {
      const { status, body } = await world.api.get('/audit-log', query);
      expect(status).to.equal(422);
      expect(body.error.message).to.match(message);
    });
  }

  it('is for keys with its scope', async () => {
    const api = await world.withScopes('links.write', 'jobs.read', 'workspace.write');
    const { status, body } = await api.get('/audit-log');
    expect(status).to.equal(403);
    expect(body.error.message).to.contain('audit.read');
    expect((await (await world.withScopes('audit.read')).get('/audit-log')).status).to.equal(200);
  });

  it('is kept for 400 days', async () => {
    const [old, young] = [401, 399].map((days) => new Date(Date.now() - days * 86_400_000));
    await post('/tags', { name: 'a' });
    await post('/tags', { name: 'b' });
    const [second, first] = await log({ action: 'tag.create' });
    await db()('audit_log').where({ id: first.id }).update({ at: old });
    await db()('audit_log').where({ id: second.id }).update({ at: young });
    await pruneAuditLog();
    expect((await log({ action: 'tag.create' })).map(({ id }) => id)).to.deep.equal([second.id]);
  });
});
