import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { adminJobs, rejectedVisitJobs } from '../../src/admin/jobs.ts';
import {
  bulkChangeBulkJobs,
  bulkChangeJobs,
  bulkChangeMaintenanceJobs,
} from '../../src/bulk-changes/jobs.ts';
import { conversionJobs } from '../../src/conversions/jobs.ts';
import { currencyJobs } from '../../src/currency/jobs.ts';
import { customerJobs } from '../../src/customers/jobs.ts';
import { eventDestinationJobs, sendingJobs } from '../../src/destinations/jobs.ts';
import { createDomain, updateDomain } from '../../src/domains/commands.ts';
import { domainCheckJobs, domainJobs } from '../../src/domains/jobs.ts';
import { findRejected, keepRejected } from '../../src/events/ingest/rejected-visits.ts';
import { append } from '../../src/events/store/postgres/append.ts';
import {
  exportDrawingJobs,
  exportJobs,
  exportMaintenanceJobs,
  exportWriteJobs,
} from '../../src/exports/jobs.ts';
import { pictureOptions } from '../../src/exports/qrcodes/options.ts';
import { folderJobs } from '../../src/folders/jobs.ts';
import { receiveUpload } from '../../src/http/upload.ts';
import { newId } from '../../src/ids.ts';
import { imageJobs } from '../../src/images/jobs.ts';
import { importBulkJobs, importJobs, importMaintenanceJobs } from '../../src/imports/jobs.ts';
import { db } from '../../src/infra/db.ts';
import { cacheRedis } from '../../src/infra/redis.ts';
import { type Purpose, seal as sealFor } from '../../src/infra/seal.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { integrationJobs, paymentJobs } from '../../src/integrations/jobs.ts';
import { readStripe } from '../../src/integrations/stripe.ts';
import { invitationJobs } from '../../src/invitations/jobs.ts';
import { sealInput } from '../../src/jobs/sealed.ts';
import { keyJobs } from '../../src/keys/jobs.ts';
import { createLink } from '../../src/links/commands.ts';
import { linkBulkJobs, linkJobs } from '../../src/links/jobs.ts';
import { utmTemplateJobs } from '../../src/links/utm-templates/jobs.ts';
import { domainName, linkName, pageName } from '../../src/lookup/codec.ts';
import { mailJobs, mailMaintenanceJobs, notificationJobs } from '../../src/mail/jobs.ts';
import { memberJobs } from '../../src/members/jobs.ts';
import { metatagJobs, previewImageJobs } from '../../src/metatags/jobs.ts';
import { oauthJobs } from '../../src/oauth/jobs.ts';
import { drawTokens } from '../../src/oauth/tokens.ts';
import { createPage, updatePage } from '../../src/pages/commands.ts';
import { pageJobs } from '../../src/pages/jobs.ts';
import { passkeyJobs } from '../../src/passkeys/jobs.ts';
import { passwordResetJobs } from '../../src/password-resets/jobs.ts';
import { fontJobs, fontWriteJobs } from '../../src/qrcodes/fonts/jobs.ts';
import { pictureJobs, qrCodeBulkJobs, qrCodeJobs } from '../../src/qrcodes/jobs.ts';
import { defaultDesign } from '../../src/qrcodes/render/design.ts';
import { templateJobs } from '../../src/qrcodes/templates/jobs.ts';
import type { JobContext } from '../../src/queues/definition.ts';
import type { Job, JobHandler } from '../../src/queues/job.ts';
import { sharedReportJobs } from '../../src/reports/jobs.ts';
import { reportRecipientJobs } from '../../src/reports/recipients/jobs.ts';
import { sealToken } from '../../src/reports/record.ts';
import { settingsJobs } from '../../src/settings/jobs.ts';
import { openItem } from '../../src/short-links/bulk.ts';
import {
  destinationJobs,
  iconJobs,
  linkPreviewJobs,
  qrCodePreviewJobs,
} from '../../src/short-links/jobs.ts';
import { createTag } from '../../src/tags/commands.ts';
import { tagJobs } from '../../src/tags/jobs.ts';
import { trashBulkJobs, trashJobs } from '../../src/trash/jobs.ts';
import { createSignInAddress } from '../../src/users/accounts.ts';
import { identityJobs, ownWorkspaceJobs, userJobs } from '../../src/users/jobs.ts';
import { secondFactorJobs } from '../../src/users/second-factor/jobs.ts';
import { viewJobs } from '../../src/views/jobs.ts';
import { visitJobs } from '../../src/visits/jobs.ts';
import { deliveryJobs, webhookJobs } from '../../src/webhooks/jobs.ts';
import { newSecret } from '../../src/webhooks/sign.ts';
import { drawApiKey } from '../../src/workspaces/api-keys.ts';
import { keyUseJobs } from '../../src/workspaces/jobs.ts';
import { ALL_JOBS } from '../../workers/jobs.ts';
import { HANDLERS } from '../../workers/queues.ts';
import { browser } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { anOpenExport, endOfExport, unzipped } from '../support/exports.ts';
import { fontUri, openType } from '../support/fonts.ts';
import { PEER_APIS, PeerServer } from '../support/peers.ts';
import { aPerson, aSession, tokenOf } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * A worker can die after its commit and before its reply. The job then runs again, and must return
 * the same result without further changes.
 */

const A = 'https://example.com/a';
/**
 * User agent of an uncounted visitor, since events are compared and a visit is stored a moment
 * later.
 */
const CRAWLER = { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1)' };
/** Time without any change before rows are compared, in ms. */
const SETTLE_MS = 200;
/** PNG of one pixel. */
const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

describe('a job that runs twice', function () {
  let world: World;
  const userId = 'user_test';

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const log = pino({ level: 'silent' });
  let all: JobHandler[];
  const seal = (purpose: Purpose, plain: string) =>
    sealFor({ purpose, owner: world.projectId }, plain);
  /** Names of the jobs that ran twice. */
  const covered = new Set<string>();

  before(async () => {
    const loading = Object.values(HANDLERS).map((load) => load({ log, isShared: false }));
    all = (await Promise.all(loading)).flat();
  });

  after(function checkCoverage() {
    const { tests } = this.test!.parent!;
    // With --grep, only some of the tests run.
    if (!tests.every(({ state }) => state === 'passed')) return;
    const names = ALL_JOBS.map(({ name }) => name);
    expect(all.map(({ job }) => job.name)).to.have.members(names);
    expect(
      names.filter((name) => !covered.has(name)),
      'jobs that no test here runs twice',
    ).to.deep.equal([]);
  });

  /**
   * Runs a job as its worker does: twice at the same time, and again after a crash.
   *
   * @param ended resolves once the shared stack has run the jobs that it adds
   */
  async function twice<Data, Result>(
    { name, audit }: Job<Data, Result>,
    data: NoInfer<Data>,
    ended: () => Promise<unknown> = async () => undefined,
  ): Promise<Result> {
    covered.add(name);
    const run = all.find(({ job }) => job.name === name)!.run as (
      data: Data,
      context: JobContext,
    ) => Promise<Result>;
    const task = { name, data, audit };
    const job = { jobId: newId('job'), projectId: world.projectId, task, isRepeat: false, log };
    const [first, parallel] = await Promise.all([run(data, job), run(data, job)]);
    await ended();
    const before = await settled();
    const again = await run(data, { ...job, isRepeat: true });
    // Results are sent as JSON; the time of a domain check can differ.
    const sent = (result: unknown) =>
      JSON.parse(
        JSON.stringify(result ?? null, (field, value) =>
          field === 'checkedAt' ? undefined : value,
        ),
      );
    expect(sent(parallel)).to.deep.equal(sent(first));
    expect(sent(again)).to.deep.equal(sent(first));
    expect(await everything()).to.deep.equal(before);
    return first;
  }

  /** Reads all rows once the shared stack's workers have finished the test's work. */
  async function settled() {
    for (let last = await everything(); ; ) {
      await pause(SETTLE_MS);
      const next = await everything();
      if (isDeepStrictEqual(next, last)) return next;
      last = next;
    }
  }

  async function everything() {
    const of = (table: string) =>
      db()(table).where({ project_id: world.projectId }).orderByRaw('1, 2');
    return Promise.all(
      [
        'links',
        'qrcodes',
        'claims',
        'tags',
        'link_tags',
        'record_changes',
        'scheduled_changes',
        'trash',
        'qrcode_tags',
        'templates',
        'folders',
        'utm_templates',
        'fonts',
        'views',
        'customers',
        'customer_counters',
        'invoices',
        'integrations',
        'report_recipients',
        'destinations',
        'destination_events',
        'payment_facts',
        'pages',
        'domains',
        'webhooks',
        'webhook_deliveries',
        'events',
        'exports',
        'imports',
        'import_slices',
        'import_errors',
        'import_links',
        'api_keys',
        'oauth_grants',
        'audit_log',
        'jobs',
      ].map(of),
    );
  }

  const newLink = (fields: object = {}) => ({ id: newId('link'), url: A, ...fields });

  it('creates a link once', async () => {
    await twice(linkJobs['link.create'], { userId, link: newLink({ key: 'a' }) });
    await twice(linkJobs['link.create'], { userId, link: newLink() });
    await twice(linkJobs['link.upsert'], { userId, link: newLink({ externalId: 'e' }) });
    expect((await world.api.get('/links/count')).body).to.equal(3);
  });

  it('creates many links once', async () => {
    const sent = [{ key: 'a' }, { key: 'a' }, {}];
    const links = sent.map((fields) => ({ input: newLink(fields) }));
    const items = await twice(linkBulkJobs['links.create'], {
      userId,
      links,
      sent: sealInput(world.projectId, sent),
    });
    expect(items.map((item) => 'error' in item)).to.deep.equal([false, true, false]);
    expect((await world.api.get('/links/count')).body).to.equal(2);
  });

  it('creates many links of a job of version 0.5, which has what was sent with each link', async () => {
    const links = [{ key: 'b' }, { key: 'b' }].map((fields) => ({
      input: newLink(fields),
      sent: sealInput(world.projectId, fields),
    }));
    const [made, refused] = await twice(linkBulkJobs['links.create'], { userId, links });
    expect(made).to.include({ key: 'b' });
    expect(openItem(world)(refused!)).to.deep.include({ link: { key: 'b' } });
  });

  it('updates and deletes a link once', async () => {
    const link = newLink({ key: 'a', flexible: true });
    await twice(linkJobs['link.create'], { userId, link });
    await twice(linkJobs['link.update'], {
      linkId: link.id,
      changes: { url: `${A}2`, key: 'b', tags: { ids: [], names: [] } },
    });
    expect((await world.visit('/b', CRAWLER)).headers.location).to.equal(`${A}2`);
    await twice(linkBulkJobs['links.update'], {
      linkIds: [link.id, 'nope'],
      changes: { title: 't' },
    });
    expect(await twice(linkJobs['link.delete'], { linkId: link.id })).to.deep.equal({
      id: link.id,
    });
    expect((await world.visit('/b')).status).to.equal(404);
    const restored = await twice(trashJobs['link.restore'], { id: link.id });
    expect(restored).to.include({ id: link.id, key: 'b' });
    expect((await world.visit('/b', CRAWLER)).status).to.equal(302);
    await twice(linkJobs['link.delete'], { linkId: link.id });
    const outcomes = await twice(trashBulkJobs['trash.restore'], { ids: [link.id, 'link_none'] });
    expect(outcomes.map((outcome) => 'error' in outcome)).to.deep.equal([false, true]);
    await twice(linkJobs['link.delete'], { linkId: link.id });
    await twice(trashJobs['trash.delete'], { id: link.id });
  });

  it('resets the counts of a link once', async () => {
    const link = newLink({ key: 'a', maxVisits: 1 });
    await twice(linkJobs['link.create'], { userId, link });
    expect((await world.visit('/a', { userAgent: browser(1) })).status).to.equal(302);
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    });
    await twice(linkJobs['link.update'], { linkId: link.id, changes: { title: 'b' } });
    const [{ id: changeId }] = (await world.api.get(`/links/${link.id}/history`)).body;
    const reverted = await twice(linkJobs['link.revert'], { ref: link.id, changeId });
    expect(reverted).to.include({ title: null, clicks: 1 });
    const record = await twice(linkJobs['link.reset'], { linkId: link.id });
    expect(record).to.include({ id: link.id, clicks: 0, lastClicked: null });
    expect((await world.visit('/a', { userAgent: browser(2) })).status).to.equal(302);
  });

  it('schedules, cancels and applies changes of links and QR codes once', async () => {
    const link = newLink();
    await twice(linkJobs['link.create'], { userId, link });
    const { body: code } = await world.api.post('/qrcodes', { type: 'url', url: A });
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const jobs = [
      [link.id, linkJobs['link.schedule'], linkJobs['link.unschedule'], linkJobs['link.apply']],
      [
        code.id,
        qrCodeJobs['qrcode.schedule'],
        qrCodeJobs['qrcode.unschedule'],
        qrCodeJobs['qrcode.apply'],
      ],
    ] as const;
    for (const [id, schedule, unschedule, apply] of jobs) {
      for (const title of ['cancelled', 'applied']) {
        const data = { id, changeId: newId('scheduledChange'), at, changes: { title } };
        const scheduled = await twice(schedule, data);
        expect(scheduled).to.include({ id: data.changeId, status: 'pending' });
        if (title === 'cancelled') await twice(unschedule, { id, changeId: data.changeId });
      }
      // Only the job of this test finds the change.
      await db()('scheduled_changes')
        .where({ record_id: id })
        .update({ at: new Date(0) });
      expect(await twice(apply, { id })).to.include({ count: 1 });
      expect(await twice(apply, { id })).to.include({ count: 0 });
    }
    expect((await world.api.get(`/links/${link.id}`)).body.title).to.equal('applied');
    expect((await world.api.get(`/qrcodes/${code.id}/history`)).body).to.have.length(1);
  });

  it('creates, updates and deletes a page once', async () => {
    const id = newId('page');
    await twice(pageJobs['page.create'], { id, page: { title: 'A' } });
    const changed = await twice(pageJobs['page.update'], { id, changes: { text: 'b' } });
    expect(changed).to.include({ title: 'A', text: 'b' });
    expect(await twice(pageJobs['page.delete'], { id })).to.deep.equal({ id });
  });

  it('records a lead, a sale and a refund once, and updates and erases their customer once', async () => {
    const link = newLink({ key: 'a' });
    await twice(linkJobs['link.create'], { userId, link });
    const report = { linkId: link.id, userAgent: browser(1) };
    const { clickId } = (await world.api.post('/track/click', report)).body;
    const at = new Date().toISOString();
    const who = { customerExternalId: 'c' };
    const lead = { ...who, clickId, eventName: 'Sign up' };
    await twice(conversionJobs['lead.track'], { eventId: newId('event'), at, lead });
    const sale = {
      ...who,
      amount: 5,
      currency: 'USD',
      eventName: 'Purchase',
      paymentProcessor: 'custom' as const,
      invoiceId: 'i',
      metadata: null,
      leadEventName: null,
      clickId: null,
    };
    const converted = { amountCents: 5, rate: '1/1', rateDate: null };
    const ids = { eventId: newId('event'), leadEventId: newId('event') };
    const first = await twice(conversionJobs['sale.track'], { ...ids, at, sale, converted });
    expect(first.isReplayed).to.equal(false);
    expect((await world.api.get(`/links/${link.id}`)).body).to.include({ leads: 1, sales: 1 });
    expect((await world.api.get('/analytics')).body).to.include({ leads: 1, sales: 1 });
    const refund = { invoiceId: 'i', amount: 2, refundId: null, eventName: 'a', metadata: null };
    await twice(conversionJobs['refund.track'], { eventId: newId('event'), at, refund });
    expect((await world.api.get('/analytics')).body).to.include({ refunds: 1, saleAmount: 3 });
    const [{ id }] = (await world.api.get('/customers')).body;
    const added = { id: newId('customer'), externalId: 'added' };
    expect(await twice(customerJobs['customer.create'], added)).to.include(added);
    await twice(customerJobs['customer.update'], { id, changes: { name: 'Ada' } });
    const merge = { ids: [added.id], into: id };
    expect(await twice(customerJobs['customer.merge'], merge)).to.include({ id });
    expect(await twice(customerJobs['customer.delete'], { id })).to.deep.equal({ id });
  });

  it('verifies a domain once', async () => {
    const domain = { id: newId('domain'), slug: `v.${world.domain}` };
    const { verification } = await twice(domainJobs['domain.create'], domain);
    stack().dns.records.set(verification!.name, verification!.value);
    const verified = await twice(domainJobs['domain.verify'], { id: domain.id });
    expect(verified).to.include({ verified: true });
    const { id, slug } = domain;
    await twice(domainCheckJobs['domain.check'], { id, slug, verified: true, token: newToken() });
  });

  it('records the use of an API key once', async () => {
    const { id: apiKeyId } = await db()('api_keys')
      .where({ project_id: world.projectId })
      .first('id');
    const at = '2030-01-01T00:00:00.000Z';
    await twice(keyUseJobs['apiKey.used'], { apiKeyId, at });
    const key = await db()('api_keys').where({ id: apiKeyId }).first('last_used_at');
    expect(key.last_used_at.toISOString()).to.equal(at);
  });

  it('changes and removes a member once', async () => {
    const id = newId('user');
    await db()('users').insert({ id, email: `${id}@people.test`, name: 'a' });
    const row = { project_id: world.projectId, user_id: id, role: 'viewer' };
    await db()('workspace_users').insert(row);
    await twice(memberJobs['member.update'], { userId: id, changes: { role: 'member' } });
    await twice(memberJobs['member.remove'], { userId: id });
  });

  it('creates, resends, withdraws and accepts an invitation once', async () => {
    const invite = (role: 'owner' | 'viewer') => {
      const [id, token] = [newId('invitation'), newToken()];
      const email = `${id}@people.test`;
      const url = seal('invitation', token);
      return { id, email, role, invitedBy, hash: hashToken(token), url };
    };
    const [{ user_id: invitedBy }] = await db()('workspace_users').where({
      project_id: world.projectId,
    });
    const [first, second] = [invite('viewer'), invite('owner')];
    await twice(invitationJobs['invitation.create'], first);
    await twice(invitationJobs['invitation.delete'], { id: first.id });
    await twice(invitationJobs['invitation.create'], second);
    const { hash, url } = invite('owner');
    await twice(invitationJobs['invitation.resend'], {
      id: second.id,
      resentBy: invitedBy,
      hash,
      url,
    });
    const session = {
      id: newId('session'),
      hash: hashToken(newToken()),
      method: 'invitation' as const,
      userAgent: '',
      network: '',
    };
    const account = { name: 'a', passwordHash: 'hash', session };
    await twice(invitationJobs['invitation.accept'], { hash, userId: newId('user'), account });
    expect((await world.api.get('/members')).body).to.have.length(2);
  });

  it('changes notifications and unsubscribes once', async () => {
    const { projectId } = world;
    const person = await aPerson({ in: { ...world, role: 'viewer' } });
    const who = { userId: person.userId, projectId };
    const report = { every: 'weekly' as const, timezone: 'Europe/Berlin' };
    const changes = { alerts: ['link.expired' as const], report };
    await twice(notificationJobs['notifications.update'], { ...who, changes });
    await twice(notificationJobs['notifications.unsubscribe'], { ...who, kind: 'link.expired' });
    await twice(notificationJobs['notifications.unsubscribe'], { ...who, kind: 'report' });
    const { alerts, report: left } = await db()('workspace_users')
      .where({ project_id: projectId, user_id: person.userId })
      .first();
    expect({ alerts, left }).to.deep.equal({ alerts: [], left: null });
  });

  it('sends a mail once', async () => {
    const recipient = `${newId('user').toLowerCase()}@people.test`;
    const id = newId('mail');
    const content = seal('mail', JSON.stringify({ subject: 'a', text: 'b', html: 'c' }));
    const row = { id, project_id: world.projectId, kind: 'invitation', recipient, content };
    await db()('mails').insert(row);
    await twice(mailJobs['mail.send'], { mailId: id });
    expect(stack().mail.to(recipient)).to.have.length(1);
  });

  it('announces a limit once', async () => {
    const at = '2030-01-01T00:00:00.000Z';
    const reached = { limit: 'requestsPerMinute', percent: 80, most: 10, at } as const;
    const owner = await aPerson({ in: { ...world, role: 'owner' } });
    await twice(settingsJobs['limit.announce'], reached);
    await twice(mailMaintenanceJobs['alerts.send'], {});
    await stack().mail.arrived(owner.email);
    expect(stack().mail.to(owner.email)).to.have.length(1);
  });

  it('updates a workspace once', async () => {
    await twice(settingsJobs['workspace.update'], {
      changes: { name: 'a', brandColor: '#0055ff' },
    });
  });

  it('creates, updates, rotates and revokes an API key once', async () => {
    const { user_id } = await db()('api_keys').where({ project_id: world.projectId }).first();
    const id = newId('apiKey');
    const draw = () => {
      const { apiKey, hash, hint } = drawApiKey();
      return { key: seal('api key', apiKey), hash, hint };
    };
    const key = { id, name: 'a', userId: user_id, scopes: ['*'], ...draw() };
    await twice(keyJobs['apiKey.create'], key);
    await twice(keyJobs['apiKey.update'], { id, changes: { name: 'b' } });
    await twice(keyJobs['apiKey.rotate'], { id, callerScopes: ['*'], ...draw() });
    await twice(keyJobs['apiKey.revoke'], { id });
  });

  it('gives an app a key once, and renews it once', async () => {
    const { userId: person } = await aPerson({ in: { ...world, role: 'owner' } });
    const [clientId, grantId, keyId] = [newId('oauthClient'), newId('oauthGrant'), newId('apiKey')];
    const redirectUri = 'https://app.test/callback';
    const client = { id: clientId, name: 'App', redirectUris: [redirectUri] };
    await twice(oauthJobs['oauth.register'], client);
    await twice(oauthJobs['oauth.consent'], {
      id: grantId,
      clientId,
      userId: person,
      scopes: ['links.read'],
      redirectUri,
      codeChallenge: 'a'.repeat(43),
      codeHash: hashToken(newToken()),
    });
    const { familyHash, stored } = drawTokens();
    const exchange = { grantId, keyId, familyHash, ...stored };
    const exchanged = { id: keyId, scopes: ['links.read'] };
    expect(await twice(oauthJobs['apiKey.authorize'], exchange)).to.deep.equal(exchanged);
    const renewal = { grantId, sentHash: stored.refreshHash, ...drawTokens().stored };
    expect(await twice(oauthJobs['apiKey.renew'], renewal)).to.deep.equal(exchanged);
    expect(await twice(oauthJobs['apiKey.renew'], renewal)).to.deep.equal({ count: 0 });
    expect(await twice(oauthJobs['apiKey.authorize'], exchange)).to.deep.equal({ count: 0 });
  });

  it('begins a session once, and it stays ended', async () => {
    const { userId: person, email } = await aPerson();
    const session = (token: string) => ({
      id: newId('session'),
      hash: hashToken(token),
      method: 'password' as const,
      userAgent: '',
      network: '',
    });
    const [one, other] = [session(newToken()), session(newToken())];
    await twice(userJobs['session.create'], { userId: person, passwordVersion: 0, session: one });
    await twice(userJobs['session.used'], { id: one.id, at: '2030-01-01T00:00:00.000Z' });
    const hash = hashToken(tokenOf(await createSignInAddress(db(), person)));
    expect(await twice(userJobs['session.createByLink'], { hash, session: other })).to.deep.equal({
      userId: person,
      needsSecondFactor: false,
    });
    const identity = { issuer: 'https://accounts.test', subject: person, email };
    const third = session(newToken());
    const at = new Date().toISOString();
    await twice(identityJobs['session.createByIdentity'], { identity, session: third, at });
    await twice(userJobs['session.end'], { hash: one.hash });
    await twice(userJobs['session.create'], { userId: person, passwordVersion: 0, session: one });
    expect((await db()('sessions').where({ id: one.id }).first()).ended_at).not.to.equal(null);
  });

  it('sets up, uses and removes a second factor once', async () => {
    const { userId: person, sessionId: keptId } = await aPerson();
    await aSession(person);
    const at = new Date().toISOString();
    const hashesFrom = (letter: string) =>
      Array.from({ length: 10 }, (_, index) => `${letter}${index}`);
    const secret = sealFor({ purpose: 'second factor', owner: person }, 'JBSWY3DPEHPK3PXP');
    await twice(secondFactorJobs['secondFactor.create'], {
      userId: person,
      keptId,
      at,
      passwordVersion: 0,
      secret,
      step: 1,
      hashes: hashesFrom('a'),
    });
    const session = (method: 'password' | 'link') => ({
      id: newId('session'),
      hash: hashToken(newToken()),
      method,
      userAgent: '',
      network: '',
    });
    const pending = { userId: person, needsSecondFactor: true };
    const signIn = { userId: person, passwordVersion: 0, session: session('password') };
    expect(await twice(userJobs['session.create'], signIn)).to.deep.equal(pending);
    const linkHash = hashToken(tokenOf(await createSignInAddress(db(), person)));
    const byLink = { hash: linkHash, session: session('link') };
    expect(await twice(userJobs['session.createByLink'], byLink)).to.deep.equal(pending);
    for (const step of [
      { first: { userId: person, method: 'password', passwordVersion: 0 }, step: 2 },
      { first: { userId: person, method: 'link', linkHash }, step: 3 },
    ] as const) {
      await twice(secondFactorJobs['session.createBySecondFactor'], {
        first: step.first,
        proof: { kind: 'totp', step: step.step },
        session: session(step.first.method),
      });
    }
    await twice(secondFactorJobs['session.createBySecondFactor'], {
      first: { userId: person, method: 'password', passwordVersion: 0 },
      proof: { kind: 'recovery', hash: 'a3' },
      session: session('password'),
    });
    await twice(secondFactorJobs['recoveryCodes.create'], {
      userId: person,
      proof: { kind: 'totp', step: 4 },
      at,
      hashes: hashesFrom('b'),
    });
    const removal = { userId: person, proof: { kind: 'totp' as const, step: 5 }, at };
    await twice(secondFactorJobs['secondFactor.delete'], removal);
    expect(await db()('second_factors').where({ user_id: person })).to.deep.equal([]);
  });

  it('adds, uses and removes passkeys once', async () => {
    const { userId: person, sessionId } = await aPerson();
    const at = new Date().toISOString();
    const change = { userId: person, sessionId, passwordVersion: 0, at };
    const [one, other] = [newId('passkey'), newId('passkey')];
    for (const id of [one, other]) {
      const added = await twice(passkeyJobs['passkey.create'], {
        ...change,
        id,
        name: 'Phone',
        challenge: hashToken(newToken()),
        credentialId: newToken(),
        publicKey: 'AAAA',
        signCount: 0,
        transports: ['internal'],
        isSynced: true,
      });
      expect(added).to.include({ id, name: 'Phone' });
    }
    await twice(passkeyJobs['passkey.update'], { userId: person, id: one, name: 'Tablet' });
    const session = {
      id: newId('session'),
      hash: hashToken(newToken()),
      method: 'passkey' as const,
      userAgent: '',
      network: '',
    };
    await twice(passkeyJobs['session.createByPasskey'], {
      userId: person,
      passkeyId: one,
      challenge: hashToken(newToken()),
      signCount: 7,
      isSynced: true,
      session,
    });
    expect(await db()('sessions').where({ id: session.id, passkey_id: one })).to.have.length(1);
    expect(await db()('passkeys').where({ id: one }).first()).to.include({
      name: 'Tablet',
      sign_count: 7,
    });
    await twice(passkeyJobs['passkey.delete'], { ...change, id: one });
    expect(await db()('passkeys').where({ user_id: person })).to.have.length(1);
  });

  it('resets a password once', async () => {
    const { userId: person } = await aPerson();
    const email = `${person.toLowerCase()}@people.test`;
    await db()('users').where({ id: person }).update({ email });
    await twice(passwordResetJobs['passwordReset.create'], { email });
    expect(await stack().mail.arrived(email)).to.have.length(1);
    expect(await db()('password_resets').where({ user_id: person })).to.have.length(1);
    const hash = hashToken(newToken());
    await db()('password_resets').where({ user_id: person }).update({ hash });
    const completion = { hash, passwordHash: 'a' };
    expect(await twice(passwordResetJobs['passwordReset.complete'], completion)).to.deep.equal({
      userId: person,
    });
    const user = await db()('users').where({ id: person }).first();
    expect(user).to.include({ password_hash: 'a', password_version: 1 });
  });

  it('changes a person, ends sessions and creates a workspace once', async () => {
    const { userId: person, sessionId: keptId } = await aPerson();
    const [{ sessionId: id }] = [await aSession(person), await aSession(person)];
    const at = new Date().toISOString();
    await twice(userJobs['session.endOwn'], { userId: person, id });
    const others = { userId: person, keptId, at };
    expect(await twice(userJobs['session.endOthers'], others)).to.deep.equal({ deletedCount: 1 });
    const password = { hash: 'a', version: 0 };
    await twice(userJobs['user.update'], { ...others, name: 'Ada', password });
    const host = `${world.slug}.test`;
    await twice(adminJobs['host.block'], { host, reason: 'a' });
    await twice(adminJobs['host.unblock'], { host });
    expect(await db()('users').where({ id: person }).first()).to.include({
      name: 'Ada',
      password_hash: 'a',
      password_version: 1,
    });
    const own = { id: world.projectId, slug: `${world.slug}-2`, name: 'Own', userId: person };
    // The job runs for the workspace that it creates.
    await db()('workspaces').where({ id: world.projectId }).delete();
    await twice(ownWorkspaceJobs['workspace.create'], own);
  });

  it('writes an export once', async () => {
    await twice(linkJobs['link.create'], { userId, link: newLink() });
    const id = newId('job');
    await twice(exportJobs['export.write'], {
      id,
      format: 'ndjson',
      of: { links: { showArchived: true } },
    });
    expect(await db()('export_parts').where({ export_id: id, position: 0 })).to.have.length(1);
  });

  it('writes an export of events that version 0.5 was asked for', async () => {
    const time = new Date().toISOString();
    const events = [
      { id: 'evt_a', country: 'DE', city: 'Berlin', url: `${A}?utm_source=mail` },
      { id: 'evt_b', country: 'DE', city: 'Berlin', url: `${A}?utm_source=ad` },
      { id: 'evt_c', country: 'FR', city: 'Paris', url: `${A}?utm_source=mail` },
    ];
    await db().transaction((trx) =>
      append(
        trx,
        events.map((event) => anEvent(world.projectId, { ...event, occurred_at: time })),
      ),
    );
    const filter = {
      values: { country: ['DE', 'AT'], city: ['Berlin'] },
      via: ['link'],
      parts: { url: 'EXAMPLE' },
      utm: { utm_source: 'mail' },
      isRoot: false,
    };
    const id = newId('job');
    const [start, end] = [new Date(0).toISOString(), new Date(Date.now() + 1_000).toISOString()];
    await twice(exportJobs['export.write'], {
      id,
      format: 'ndjson',
      of: { events: { event: 'click', start, end, filter } },
    });
    const [part] = await db()('export_parts').where({ export_id: id });
    expect(part.text.trim().split('\n')).to.have.length(1);
    expect(part.text)
      .to.contain('"url":"https://example.com/a?utm_source=mail"')
      .and.to.contain('Berlin');
  });

  it('writes the export of a workspace once', async () => {
    await twice(linkJobs['link.create'], { userId, link: newLink() });
    const id = newId('job');
    const { counts } = await twice(exportJobs['export.workspace'], {
      id,
      passphrase: seal('export passphrase', 'a'),
    });
    expect(counts).to.include({ domain: 1, link: 1, event: 0 });
    expect(await db()('export_parts').where({ export_id: id })).to.have.length(1);
  });

  it('exports images of QR codes once', async () => {
    const qrcodes = Array.from({ length: 3 }, (_, n) => ({ input: newQrCode({ key: `q${n}` }) }));
    await twice(qrCodeBulkJobs['qrcodes.create'], { userId, qrcodes });
    const id = newId('export');
    const options = pictureOptions({ size: 200 }, true);
    const ended = () => endOfExport(world.api, id);
    const selection = { showArchived: false };
    await twice(exportJobs['export.qrcodes'], { id, options, selection }, ended);
    const fileOf = async () =>
      Buffer.concat(
        (await db()('export_parts').where({ export_id: id }).orderBy('position')).map(
          ({ bytes }) => bytes,
        ),
      );
    const file = await fileOf();
    expect(Object.keys(unzipped(file))).to.have.length(3);
    await db()('export_parts').where({ export_id: id }).delete();
    await db()('exports').where({ id }).update({ state: 'queued', done: 0, bytes: 0 });
    await twice(exportDrawingJobs['export.draw'], { id }, ended);
    expect((await fileOf()).equals(file)).to.equal(true);
    await twice(exportWriteJobs['export.cancel'], { id: await anOpenExport(world.api) });
    await twice(exportMaintenanceJobs['exports.resume'], {});
  });

  it('changes links in bulk once, checks them before, and undoes it', async () => {
    const link = newLink({ key: 'bulk' });
    await twice(linkJobs['link.create'], { userId, link });
    const ref = { id: newId('bulkChange'), kind: 'link' as const };
    const wanted = {
      ...ref,
      userId,
      selection: [link.id],
      data: { comments: 'in bulk' },
      replacement: null,
      dryRun: true,
    };
    const ended = (state: string) => () =>
      eventually(async () => {
        const { body } = await world.api.get(`/bulk-changes/links/${ref.id}`);
        expect(body.state).to.equal(state);
      });
    await twice(bulkChangeBulkJobs['bulkChange.create'], wanted, ended('checked'));
    await twice(bulkChangeJobs['bulkChange.start'], ref, ended('done'));
    await twice(bulkChangeBulkJobs['bulkChange.run'], {});
    await twice(bulkChangeJobs['bulkChange.undo'], ref, ended('undone'));
    await twice(bulkChangeMaintenanceJobs['bulkChanges.resume'], {});
    await twice(bulkChangeMaintenanceJobs['bulkChanges.prune'], {});
    await world.api.post('/bulk-changes/links', {
      ids: [link.id],
      data: { comments: 'never' },
      dryRun: true,
    });
    const [{ id }] = (await world.api.get('/bulk-changes/links')).body;
    await twice(bulkChangeJobs['bulkChange.cancel'], { ...ref, id });
    const { body } = await world.api.get(`/links/${link.id}/history`);
    expect(body.map(({ action }: { action: string }) => action)).to.deep.equal([
      'reverted',
      'updated',
    ]);
  });

  it('imports a file once, checks it before, and undoes it', async () => {
    const id = newId('import');
    const text = 'url,key\nhttps://example.com/,a\nhttps://example.com/,a b\n';
    const request = Object.assign(Readable.from([Buffer.from(text)]), {
      headers: { 'content-type': 'text/csv' },
    }) as unknown as IncomingMessage;
    const means = { media: ['text/csv'], limit: 1_000 };
    const file = await receiveUpload(request, means, world.projectId, cacheRedis());
    const options = { mapping: {}, onConflict: 'skip' as const };
    const wanted = { id, userId, upload: file, name: null, options, dryRun: true, mostRows: 10 };
    const ended = (state: string) =>
      eventually(async () =>
        expect((await world.api.get(`/imports/${id}`)).body.state).to.equal(state),
      );
    const made = await twice(importBulkJobs['import.create'], wanted, () => ended('checked'));
    expect(made.file.bytes).to.equal(text.length);
    const changes = { onConflict: 'update' as const };
    await twice(importJobs['import.update'], { id, changes }, () => ended('checked'));
    await twice(importJobs['import.start'], { id }, () => ended('done'));
    await twice(importBulkJobs['import.run'], {});
    const { counts } = (await world.api.get(`/imports/${id}`)).body;
    expect(counts).to.deep.equal({ created: 1, updated: 0, skipped: 0, refused: 1 });
    await twice(importJobs['import.undo'], { id }, () => ended('undone'));
    await twice(importMaintenanceJobs['imports.resume'], {});
    await twice(importMaintenanceJobs['imports.prune'], {});
    expect((await world.api.get('/links/count')).body).to.equal(0);
  });

  it('reads the links of an API once', async () => {
    const peer = await PeerServer.start(PEER_APIS['kutt']!(world.domain, 60));
    try {
      const id = newId('import');
      const options = { mapping: {}, onConflict: 'skip' as const };
      const api = { url: peer.url, token: seal('import', 'token-1') };
      const wanted = { id, userId, api, source: 'kutt' as const, name: null, options };
      // The shared stack must not read further pages while rows are compared.
      peer.failures.push({ status: 429, retryAfter: '600' });
      const row = () => db()('imports').where({ id });
      await twice(
        importBulkJobs['import.create'],
        { ...wanted, dryRun: false, mostRows: 100 },
        () => eventually(async () => expect((await row().first()).remote.attempts).to.equal(1)),
      );
      await row().update({ remote: db().raw("remote - 'retryAt'") });
      await twice(importBulkJobs['import.fetch'], {}, () =>
        eventually(async () =>
          expect((await world.api.get(`/imports/${id}`)).body).to.deep.include({
            state: 'done',
            counts: { created: 60, updated: 0, skipped: 0, refused: 0 },
          }),
        ),
      );
    } finally {
      await peer.close();
    }
  });

  it('cancels an import once', async () => {
    const options = { query: { dryRun: true }, headers: { 'content-type': 'text/csv' } };
    const { id } = (await world.api.post('/imports', 'url\n', options)).body;
    expect(await twice(importJobs['import.cancel'], { id })).to.include({ state: 'cancelled' });
  });

  it('counts visits and a reported click once', async () => {
    const link = newLink({ key: 'a' });
    await twice(linkJobs['link.create'], { userId, link });
    const visit = () => ({
      id: newId('event'),
      at: Date.now(),
      projectId: world.projectId,
      linkId: link.id,
      domain: world.domain,
      key: 'a',
      destination: A,
      ip: '192.0.2.1',
      userAgent: browser(7),
      referer: '',
      via: 'link' as const,
    });
    await twice(visitJobs['visits.record'], [visit()]);
    const clickId = 'clk_reported000000000000000';
    const reported = { ...visit(), ip: '192.0.2.99', clickId };
    expect(await twice(visitJobs['click.track'], reported)).to.deep.equal({ clickId });
    expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(2);
  });

  it('adds to the counts of programs once', async () => {
    const { projectId } = world;
    const count = { projectId, day: 20_000, class: 'bot' as const, program: 'curl', requests: 3 };
    await twice(visitJobs['leftOut.add'], { counts: [count] });
    await twice(visitJobs['leftOut.add'], { counts: [count, { ...count, requests: 1 }] });
    const query = { start: '2024-10-04', end: '2024-10-04' };
    expect((await world.api.get('/analytics/left-out', query)).body).to.deep.equal({
      requests: 7,
      programs: [{ program: 'curl', class: 'bot', requests: 7 }],
    });
  });

  it('stores or discards a rejected visit once', async () => {
    const link = (await world.api.post('/links', { url: A })).body;
    const rejected = (n: number) => {
      const came = {
        id: `rejected-${n}-${link.id}`,
        at: Date.now(),
        projectId: world.projectId,
        linkId: link.id,
        domain: world.domain,
        key: link.key,
        destination: A,
        ip: `192.0.2.${n}`,
        userAgent: browser(n),
        referer: '',
        via: 'link' as const,
      };
      return keepRejected(came, new Error('refused'), null);
    };
    const [stored, discarded] = [await rejected(1), await rejected(2)];
    await twice(rejectedVisitJobs['rejected.retry'], { id: stored.id });
    await twice(rejectedVisitJobs['rejected.discard'], { id: discarded.id });
    expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    for (const { id } of [stored, discarded]) expect(await findRejected(id)).to.equal(undefined);
  });

  it('stores and answers an abuse report, and unblocks its link, once', async () => {
    const link = (await world.api.post('/links', { url: A })).body;
    const id = newId('abuseReport');
    await twice(visitJobs['report.add'], {
      id,
      at: Date.now(),
      projectId: world.projectId,
      recordId: link.id,
      shortLink: link.shortLink,
      category: 'spam',
      comment: '',
      ip: '192.0.2.1',
    });
    await twice(adminJobs['report.answer'], { id, answer: { decision: 'block-link', note: '' } });
    expect(await db()('abuse_reports').where({ id }).first()).to.include({ state: 'resolved' });
    await twice(adminJobs['link.unblock'], { id: link.id });
    expect(await db()('blocked_links').where({ record_id: link.id })).to.deep.equal([]);
    const actions = await db()('audit_log')
      .where({ project_id: world.projectId, target_id: link.id })
      .orderBy('id')
      .pluck('action');
    expect(actions.filter((action) => action.endsWith('block'))).to.deep.equal([
      'link.block',
      'link.unblock',
    ]);
  });

  it('returns the same metatags, images and amounts', async () => {
    const site = await Site.start();
    try {
      const url = site.answer('/page', { type: 'text/html', body: '<title>B</title>' });
      expect(await twice(destinationJobs['pages.framing'], { urls: [url] })).to.deep.equal([url]);
      await twice(metatagJobs['page.read'], { url });
      expect(site.requests('/page')).to.be.greaterThan(0);
      const link = newLink({ url, proxy: true, title: 'A' });
      await twice(linkJobs['link.create'], { userId, link });
      await twice(destinationJobs['record.preview'], { of: 'link', id: link.id, url });
      const png = site.answer('/logo.png', { type: 'image/png', body: PIXEL });
      const kept = await twice(imageJobs['image.keep'], { source: png });
      expect(kept).to.include({ width: 1, height: 1 });
      expect(await twice(imageJobs['file.keep'], { source: png })).to.include({
        type: 'image/png',
      });
      await twice(previewImageJobs['image.preview'], { url: png });
      site.answer('/favicon.ico', { body: PIXEL });
      await twice(iconJobs['icon.read'], { origin: site.url });
    } finally {
      await site.stop();
    }
    const picture = {
      payload: A,
      design: defaultDesign(),
      format: 'svg' as const,
      output: {},
      image: null,
    };
    await twice(pictureJobs['qr.render'], picture);
    const cents = await twice(currencyJobs['amount.convert'], { amount: 100, currency: 'EUR' });
    expect(cents.amountCents).to.be.greaterThan(0);
  });

  it('executes scheduled work as often as requested', async () => {
    for (const job of ALL_JOBS.filter(({ everyMs }) => everyMs !== undefined)) {
      await twice(job, {});
    }
  });

  it('resends a delivery only if its first outcome was lost', async () => {
    const receiver = await Receiver.start();
    try {
      const id = newId('webhook');
      const secret = seal('webhook secret', newSecret());
      const kinds = ['link.created' as const];
      await twice(webhookJobs['webhook.create'], {
        id,
        name: 'a',
        url: receiver.url,
        kinds,
        secret,
      });
      // The shared stack would send the delivery while rows are compared.
      const pausedUntil = new Date(Date.now() + 600_000);
      await db()('webhooks').where({ id }).update({ paused_until: pausedUntil });
      await twice(linkJobs['link.create'], { userId, link: newLink() });
      expect(receiver.received).to.deep.equal([]);
      await db()('webhooks').where({ id }).update({ paused_until: null });
      // From here on, the shared worker can send the delivery too.
      await twice(deliveryJobs['webhook.send'], { webhookId: id }, () =>
        eventually(async () => {
          const [delivery] = await db()('webhook_deliveries').where({ webhook_id: id });
          expect(delivery).to.include({ state: 'delivered', attempts: receiver.received.length });
        }),
      );
      expect(new Set(receiver.received.map((one) => one.id)).size).to.equal(1);
      await twice(webhookJobs['webhook.delete'], { id });
    } finally {
      await receiver.stop();
    }
  });

  it('fills the preview of a link once', async () => {
    const link = newLink({ key: 'a', proxy: true, title: 'A' });
    await twice(linkJobs['link.create'], { userId, link });
    const preview = { title: 'B', description: 'C', image: null };
    await twice(linkPreviewJobs['link.fill'], { id: link.id, url: A, preview });
    const filled = { title: 'A', description: 'C' };
    expect((await world.api.get(`/links/${link.id}`)).body).to.include(filled);
  });

  it('does not undo later changes', async () => {
    const link = newLink({ key: 'a' });
    const job = {
      jobId: newId('job'),
      projectId: world.projectId,
      isRepeat: false,
      log: pino({ level: 'silent' }),
    };
    await createLink({ userId, link }, job);
    await world.api.delete(`/links/${link.id}`);
    await createLink({ userId, link }, { ...job, isRepeat: true });
    expect((await world.visit('/a')).status).to.equal(404);
    expect((await world.visit('/a', { process: 1 })).status).to.equal(404);
  });

  it('does not restore deleted records or undo changes, however late it is repeated', async () => {
    const contextOf = () => ({
      jobId: newId('job'),
      projectId: world.projectId,
      isRepeat: false,
      log: pino({ level: 'silent' }),
    });
    const both = ['gone', 'changed'];
    const links = both.map((key) => ({ link: newLink({ key, flexible: true }), job: contextOf() }));
    for (const { link, job } of links) await createLink({ userId, link }, job);
    const page = { id: newId('page'), job: contextOf() };
    await createPage({ id: page.id, page: { title: 'A' } }, contextOf());
    await updatePage({ id: page.id, changes: { title: 'B' } }, page.job);
    const domain = { id: newId('domain'), job: contextOf() };
    const slug = `y.${world.domain}`;
    await createDomain({ id: domain.id, slug }, contextOf());
    await db()('domains').where({ id: domain.id }).update({ verified: true });
    await updateDomain({ id: domain.id, changes: { target: A } }, domain.job);

    await world.api.delete(`/links/${links[0]!.link.id}`);
    await world.api.patch(`/links/${links[1]!.link.id}`, { url: `${A}2` });
    await world.api.delete(`/pages/${page.id}`);
    await world.api.delete(`/domains/${domain.id}`);
    // Marks of deletions expire, and a cache can evict any entry.
    const own = await db()('domains').where({ slug: world.domain }).first('id');
    const names = [
      ...both.map((key) => linkName(own.id, key)),
      pageName(world.projectId, page.id),
      domainName(slug),
    ];
    await Promise.all(names.map((name) => cacheRedis().del(name)));

    for (const { link, job } of links)
      await createLink({ userId, link }, { ...job, isRepeat: true });
    await updatePage({ id: page.id, changes: { title: 'B' } }, { ...page.job, isRepeat: true });
    const target = { id: domain.id, changes: { target: A } };
    await updateDomain(target, { ...domain.job, isRepeat: true });
    for (const process of [0, 1] as const) {
      expect((await world.visit('/gone', { process })).status).to.equal(404);
      expect((await world.visit('/changed', { process })).headers.location).to.equal(`${A}2`);
      expect((await world.visit('/', { process, host: slug })).status).to.equal(404);
    }
    const stored = await cacheRedis().get(pageName(world.projectId, page.id));
    expect(stored?.endsWith('|')).to.equal(true);
  });

  it('does not run once more when it was spooled for long, with or without an Idempotency-Key', async () => {
    const hour = 3_600_000;
    const acceptedAt = Date.now() - 30 * hour;
    for (const keyed of [undefined, { fingerprint: 'f', request: 'r' }]) {
      const job = {
        jobId: newId('job'),
        projectId: world.projectId,
        isRepeat: false,
        keyed,
        log: pino({ level: 'silent' }),
      };
      const name = keyed === undefined ? 'plain' : 'keyed';
      const create = (context: object) =>
        createTag({ id: newId('tag'), name, color: 'red' }, { ...job, ...context });
      const { id } = await create({});
      await world.api.delete(`/tags/${id}`);
      // Its result has expired, so the Idempotency-Key can be used again.
      await db()('jobs')
        .where({ project_id: world.projectId, id: job.jobId })
        .update({ outcome: null, created_at: new Date(acceptedAt + 1_000) });
      const again = await create({ acceptedAt }).catch((thrown: Error) => thrown);
      expect(again).to.have.property('code', 'invite_expired');
      expect((await world.api.get('/tags')).body).to.deep.equal([]);
      if (keyed === undefined) continue;
      // A new request with the same key is a different one.
      expect(await create({})).to.include({ name });
    }
  });

  it('marks deletions in the cache for longer than a put can take', async () => {
    const link = newLink({ key: 'a' });
    await twice(linkJobs['link.create'], { userId, link });
    await twice(linkJobs['link.delete'], { linkId: link.id });
    const own = await db()('domains').where({ slug: world.domain }).first('id');
    expect(await cacheRedis().ttl(linkName(own.id, 'a'))).to.be.greaterThan(600);
  });

  it('deletes many links once', async () => {
    const link = newLink({ externalId: 'e' });
    await twice(linkJobs['link.create'], { userId, link });
    expect(await twice(linkBulkJobs['links.delete'], { linkIds: ['ext_e', 'nope'] })).to.deep.equal(
      {
        deletedCount: 1,
      },
    );
  });

  const newQrCode = <Fields extends object>(fields: Fields) => ({
    id: newId('qrcode'),
    content: { type: 'url' as const, value: A },
    ...fields,
  });

  it('creates, updates, resets and deletes a QR code and its template once', async () => {
    const qrcode = newQrCode({ key: 'q', flexible: true, newTemplateId: newId('template') });
    await twice(qrCodeJobs['qrcode.create'], { userId, qrcode });
    const changes = {
      content: { type: 'text' as const, value: 'hello' },
      tags: { ids: [], names: [] },
    };
    const changed = await twice(qrCodeJobs['qrcode.update'], { qrcodeId: qrcode.id, changes });
    expect(changed).to.include({ type: 'text', text: 'hello', url: null });
    expect((await world.visit('/q', CRAWLER)).body).to.contain('hello');
    const template = { id: qrcode.newTemplateId };
    await twice(templateJobs['template.update'], { ...template, changes: { name: 'n' } });
    await twice(templateJobs['template.delete'], template);
    const [{ id: changeId }] = (await world.api.get(`/qrcodes/${qrcode.id}/history`)).body;
    const reverted = await twice(qrCodeJobs['qrcode.revert'], { ref: qrcode.id, changeId });
    expect(reverted).to.include({ type: 'url', text: null });
    await twice(qrCodeJobs['qrcode.reset'], { qrcodeId: qrcode.id });
    await twice(qrCodeJobs['qrcode.delete'], { qrcodeId: qrcode.id });
    expect((await world.visit('/q')).status).to.equal(404);
    await twice(trashJobs['qrcode.restore'], { id: qrcode.id });
    await twice(qrCodeJobs['qrcode.delete'], { qrcodeId: qrcode.id });
    expect((await world.visit('/q')).status).to.equal(404);
  });

  it('creates and deletes a font once', async () => {
    const font = { id: newId('font'), name: 'a', source: fontUri(openType('a')) };
    await twice(fontJobs['font.create'], font);
    await twice(fontWriteJobs['font.delete'], { id: font.id });
  });

  it('fills the preview of a QR code once', async () => {
    const qrcode = newQrCode({ key: 'q', proxy: true, title: 'A' });
    await twice(qrCodeJobs['qrcode.create'], { userId, qrcode });
    const preview = { title: 'B', description: 'C', image: null };
    await twice(qrCodePreviewJobs['qrcode.fill'], { id: qrcode.id, url: A, preview });
    const filled = { title: 'A', description: 'C' };
    expect((await world.api.get(`/qrcodes/${qrcode.id}`)).body).to.include(filled);
  });

  it('creates, updates and deletes many QR codes once', async () => {
    const qrcodes = [{ key: 'a' }, { key: 'a' }, { externalId: 'e' }].map((fields) => ({
      input: newQrCode(fields),
      sent: sealInput(world.projectId, fields),
    }));
    const items = await twice(qrCodeBulkJobs['qrcodes.create'], { userId, qrcodes });
    expect(items.map((item) => 'error' in item)).to.deep.equal([false, true, false]);
    const changes = { title: 't', tagEdits: { add: [], remove: [] } };
    await twice(qrCodeBulkJobs['qrcodes.update'], { qrcodeIds: ['ext_e', 'nope'], changes });
    expect(
      await twice(qrCodeBulkJobs['qrcodes.delete'], { qrcodeIds: ['ext_e', 'nope'] }),
    ).to.deep.equal({
      deletedCount: 1,
    });
    expect((await world.api.get('/qrcodes/count')).body).to.equal(1);
  });

  it('creates, updates and deletes tags, folders, UTM templates, views, reports and domains once', async () => {
    const tag = { id: newId('tag'), name: 'a', color: 'red' };
    await twice(tagJobs['tag.create'], tag);
    await twice(tagJobs['tag.update'], { id: tag.id, name: 'b' });
    await twice(tagJobs['tag.delete'], { id: tag.id });
    const folder = { id: newId('folder'), name: 'a' };
    await twice(folderJobs['folder.create'], folder);
    await twice(folderJobs['folder.update'], { id: folder.id, name: 'b' });
    await twice(folderJobs['folder.delete'], { id: folder.id });
    const utm = { id: newId('utmTemplate'), name: 'a' };
    await twice(utmTemplateJobs['utmTemplate.create'], utm);
    await twice(utmTemplateJobs['utmTemplate.update'], {
      id: utm.id,
      changes: { utm_source: 'b' },
    });
    await twice(utmTemplateJobs['utmTemplate.delete'], { id: utm.id });
    const view = { id: newId('view'), list: 'links' as const, name: 'a', query: '', shared: false };
    const { userId: owner } = await aPerson({ in: { ...world, role: 'member' } });
    await twice(viewJobs['view.create'], { ...view, userId: owner });
    await twice(viewJobs['view.update'], { id: view.id, userId: owner, changes: { shared: true } });
    await twice(viewJobs['view.delete'], { id: view.id, userId: owner });
    const report = {
      id: newId('sharedReport'),
      name: 'a',
      query: '',
      groups: ['os' as const],
      embedOrigins: [],
      token: sealToken(world.projectId, 'a'),
      tokenHash: hashToken(world.projectId),
    };
    await twice(sharedReportJobs['sharedReport.create'], report);
    await twice(sharedReportJobs['sharedReport.update'], {
      id: report.id,
      changes: { name: 'b', password: null },
    });
    const token = { token: sealToken(world.projectId, 'b'), tokenHash: hashToken(world.slug) };
    await twice(sharedReportJobs['sharedReport.rotate'], { id: report.id, ...token });
    const recipient = { reportId: report.id, id: newId('reportRecipient') };
    const email = `${recipient.id.toLowerCase()}@people.test`;
    await twice(reportRecipientJobs['reportRecipient.create'], {
      ...recipient,
      email,
      language: 'en',
    });
    await twice(reportRecipientJobs['reportRecipient.resend'], recipient);
    const row = () => db()('report_recipients').where({ id: recipient.id }).first();
    const { token_hash: confirmed } = await row();
    await twice(reportRecipientJobs['reportRecipient.confirm'], { tokenHash: confirmed });
    expect((await row()).confirmed_at).not.to.equal(null);
    await twice(reportRecipientJobs['reportRecipient.unsubscribe'], { id: recipient.id });
    expect((await row()).confirmed_at).to.equal(null);
    await twice(reportRecipientJobs['reportRecipient.delete'], recipient);
    const mails = await db()('confirmation_mails').where({ project_id: world.projectId });
    expect(mails).to.have.length(2);
    await twice(sharedReportJobs['sharedReport.delete'], { id: report.id });
    const domain = { id: newId('domain'), slug: `x.${world.domain}` };
    await twice(domainJobs['domain.create'], domain);
    await twice(domainJobs['domain.update'], {
      id: domain.id,
      changes: { target: A, archived: true },
    });
    await twice(domainJobs['domain.delete'], { id: domain.id });
  });

  it('creates, updates and deletes a connection once, and records its payments once', async () => {
    const id = newId('integration');
    const secret = seal('integration secret', 'whsec_a');
    const stripe = { id, type: 'stripe' as const };
    await twice(integrationJobs['integration.create'], { ...stripe, name: 'a', secret });
    await twice(integrationJobs['integration.update'], { id, changes: { name: 'b', secret } });
    const at = new Date().toISOString();
    await twice(integrationJobs['integration.noted'], { id, at, refusal: 'refused' });
    const link = newLink({ key: 'a' });
    await twice(linkJobs['link.create'], { userId, link });
    const report = { linkId: link.id, userAgent: browser(1) };
    const { clickId } = (await world.api.post('/track/click', report)).body;
    const facts = readStripe({
      type: 'invoice.paid',
      created: Math.floor(Date.now() / 1_000),
      data: {
        object: {
          id: 'in_1',
          customer: 'cus_1',
          amount_paid: 500,
          currency: 'usd',
          subscription: 'sub_1',
          metadata: { click_id: clickId },
        },
      },
    });
    await twice(paymentJobs['payment.receive'], { ...stripe, facts });
    expect((await world.api.get(`/links/${link.id}`)).body).to.include({ leads: 0, sales: 1 });
    await twice(paymentJobs['payments.settle'], { type: 'stripe' });
    await twice(integrationJobs['integration.delete'], { id });
  });

  it('creates, updates, backfills and deletes a destination once', async () => {
    const id = newId('destination');
    const secret = seal('destination secret', 'password');
    const settings = { url: 'rediss://redis.example:443', stream: 's', maxLength: 5 };
    const destination = { id, type: 'redis' as const, name: 'a', settings, secret };
    await twice(eventDestinationJobs['destination.create'], destination);
    await twice(eventDestinationJobs['destination.update'], { id, changes: { status: 'paused' } });
    const period = { start: '2026-01-01T00:00:00.000Z', end: '2026-01-02T00:00:00.000Z' };
    await twice(eventDestinationJobs['destination.backfill'], { id, backfillId: 'b', ...period });
    const test = { id, testId: newId('event') };
    await twice(eventDestinationJobs['destination.test'], test);
    await twice(sendingJobs['destination.send'], { id });
    await twice(eventDestinationJobs['destination.delete'], { id });
  });

  it('creates, updates and deletes a webhook once, and sends its deliveries once', async () => {
    const id = newId('webhook');
    const url = 'http://127.0.0.1:9/';
    const secret = seal('webhook secret', newSecret());
    await twice(webhookJobs['webhook.create'], {
      id,
      name: 'a',
      url,
      kinds: ['link.created'],
      secret,
    });
    // The pause keeps deliveries from being sent while rows are compared.
    await db()('webhooks')
      .where({ id })
      .update({ paused_until: new Date(Date.now() + 600_000) });
    await twice(webhookJobs['webhook.update'], { id, changes: { name: 'b' } });
    await twice(webhookJobs['webhook.rotate'], { id, secret: seal('webhook secret', newSecret()) });
    await twice(linkJobs['link.create'], { userId, link: newLink() });
    const deliveryId = newId('delivery');
    await twice(webhookJobs['webhook.test'], { id, deliveryId, kind: 'link.created' as const });
    expect(await db()('webhook_deliveries').where({ webhook_id: id })).to.have.length(2);
    await db()('webhook_deliveries').where({ webhook_id: id }).update({ state: 'delivered' });
    await twice(webhookJobs['webhook.resend'], { id, deliveryId });
    const since = new Date(Date.now() - 60_000).toISOString();
    const again = await twice(webhookJobs['webhook.resendAll'], {
      id,
      since,
      undeliveredOnly: false,
    });
    expect(again).to.deep.equal({ count: 2 });
    await twice(webhookJobs['webhook.delete'], { id });
  });

  it('refuses a value that the database refuses, at once and at every run', async () => {
    const tag = { id: newId('tag'), name: 'a\0b', color: 'red' };
    const refused = (job: JobContext) =>
      createTag(tag, job).then(
        () => expect.fail('the tag was made'),
        (error: unknown) =>
          expect(error).to.include({
            code: 'unprocessable_entity',
            message: 'The request has a value that the database refuses',
          }),
      );
    const log = pino({ level: 'silent' });
    const job = { jobId: newId('job'), projectId: world.projectId, isRepeat: false, log };
    await refused(job);
    await refused({ ...job, isRepeat: true });
    const [row] = await db()('jobs').where({ project_id: world.projectId, id: job.jobId });
    expect(JSON.parse(row.outcome)).to.have.property('refused');
  });
});
