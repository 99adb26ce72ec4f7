import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { pino } from 'pino';
import { eventRecords } from '../../src/event-records/event-records.ts';
import { sendReports } from '../../src/events/report/send.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { seal } from '../../src/infra/seal.ts';
import { announceExpired } from '../../src/links/expire.ts';
import { ALERT_KINDS } from '../../src/mail/alert-kinds.ts';
import { sendAlerts } from '../../src/mail/alerts.ts';
import { toContent } from '../../src/mail/message.ts';
import { addMails, sweepMails } from '../../src/mail/outbox.ts';
import { publishRecordEvent } from '../../src/webhooks/outbox.ts';
import type { Role } from '../../src/workspaces/roles.ts';
import { browser } from '../support/browser.ts';
import { atTime } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedMail } from '../support/mail-server.ts';
import { OneProcess } from '../support/one-process.ts';
import { aBrowser, aPerson, type Person } from '../support/people.ts';
import { checkDelivery, Receiver } from '../support/receiver.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const log = pino({ level: 'silent' });
const person = () => newId('user').toLowerCase();

describe('notifications', () => {
  let world: World;
  let receiver: Receiver;

  before(async () => {
    receiver = await Receiver.start();
  });
  after(() => receiver.stop());

  beforeEach(async () => {
    world = await aWorkspace();
    receiver.received.length = 0;
  });

  const member = (role: Role) => aPerson({ in: { ...world, role } });
  const choose = async ({ api }: Person, changes: object) => {
    const answer = await api.patch(`/me/notifications/${world.projectId}`, changes);
    expect(answer.status, JSON.stringify(answer.body)).to.equal(200);
    return answer.body;
  };
  const mailTo = async ({ email }: { email: string }, count = 1) =>
    (await stack().mail.arrived(email, count)).at(-1)!;
  /** Sends the pending alert mails as if their collection time had passed. */
  const gather = async () => {
    await db()('pending_alerts')
      .where({ project_id: world.projectId })
      .update({ created_at: db().raw("now() - interval '10 minutes'") });
    await Promise.all([sendAlerts(), sendAlerts()]);
  };
  /** Reads the alert mails that workers sent to a person. */
  const alertsTo = ({ email }: { email: string }) =>
    eventually(async () => {
      await gather();
      const mails = stack().mail.to(email);
      expect(mails).to.have.length.above(0);
      return mails;
    });
  const unsubscribeIn = ({ headers }: ReceivedMail) =>
    /^<http:\/\/localhost:\d+(\/unsubscribe\/[\w.-]+)>$/.exec(
      headers.get('list-unsubscribe')!,
    )![1]!;
  /** Sends a one-click unsubscribe request as a mail client does (RFC 8058). */
  const oneClick = (path: string) =>
    fetch(stack().apiUrl + path, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
  const alertsOf = async ({ api }: Person) =>
    (await api.get('/me/notifications')).body.workspaces[0].alerts;
  /** Creates a webhook to the receiver of this test. */
  async function aWebhook(kinds: readonly string[], url = receiver.url): Promise<string> {
    const { status, body } = await world.api.post('/webhooks', { name: 'Hook', url, kinds });
    expect(status, JSON.stringify(body)).to.equal(201);
    return body.id;
  }
  const delivered = (count: number) =>
    eventually(() => {
      expect(receiver.received).to.have.length(count);
      for (const one of receiver.received) checkDelivery(one);
      return receiver.received.map(({ body }) => body);
    });

  describe('are chosen', () => {
    it('by each member for each workspace, with defaults by role', async () => {
      const [owner, viewer] = [await member('owner'), await member('viewer')];
      expect(await alertsOf(owner)).to.deep.equal(['limit.reached', 'webhook.disabled']);
      expect(await alertsOf(viewer)).to.deep.equal([]);
      await choose(viewer, { alerts: ['webhook.disabled', 'link.expired'] });
      expect(await alertsOf(viewer)).to.deep.equal(['link.expired', 'webhook.disabled']);
      expect(await alertsOf(owner)).to.deep.equal(['limit.reached', 'webhook.disabled']);
    });

    it('only in workspaces that the person belongs to', async () => {
      const stranger = await aPerson();
      const { status } = await stranger.api.patch(`/me/notifications/${world.projectId}`, {
        alerts: [],
      });
      expect(status).to.equal(404);
      expect((await world.api.get('/me/notifications')).status).to.equal(403);
    });

    it('with a message that names the field and the rule', async () => {
      const { api } = await member('owner');
      const refusals: [object, RegExp][] = [
        [{}, /must/],
        [{ alerts: ['link.created'] }, /^alerts\[0\] must be one of/],
        [{ report: { every: 'daily' } }, /^report\.every must be one of/],
        [{ report: { every: 'weekly', timezone: 'Mars' } }, /^report\.timezone must be an IANA/],
      ];
      for (const [changes, message] of refusals) {
        const { status, body } = await api.patch(`/me/notifications/${world.projectId}`, changes);
        expect(status, JSON.stringify(body)).to.equal(422);
        expect(body.error.message).to.match(message);
      }
    });
  });

  describe('tell', () => {
    it('of links that have expired, by date or visits, once: webhooks and those who want it', async () => {
      await aWebhook(['link.expired']);
      await member('owner');
      const viewer = await member('viewer');
      await choose(viewer, { alerts: ['link.expired'] });
      await world.api.post('/links', { url: A, key: 'dated' });
      await world.api.post('/links', { url: A, key: 'visited', maxVisits: 1 });
      await world.api.post('/links', { url: A, key: 'valid', expiresAt: '2199-01-01' });
      await db()('links')
        .where({ project_id: world.projectId, key: 'dated' })
        .update({ expires_at: db().raw("now() - interval '1 minute'") });
      await world.visit('/visited', { userAgent: browser(7) });
      await eventually(async () => {
        const { body } = await world.api.get('/links/info', {
          domain: world.domain,
          key: 'visited',
        });
        expect(body.clicks).to.equal(1);
      });
      await Promise.all([announceExpired(), announceExpired()]);
      await announceExpired();
      const bodies = await delivered(2);
      expect(bodies.map(({ data }) => data.key)).to.have.members(['dated', 'visited']);
      await sendAlerts();
      expect(await db()('mails').where({ project_id: world.projectId })).to.deep.equal([]);
      await gather();
      const { headers, body } = await mailTo(viewer);
      expect(headers.get('subject')).to.contain('2 links have expired');
      expect(body).to.contain(`${world.domain}/dated`).and.contain(`${world.domain}/visited`);
      expect(body).to.not.contain('/valid');
      const mails = await db()('mails').where({ project_id: world.projectId });
      expect(mails.map(({ recipient }) => recipient)).to.deep.equal([viewer.email]);
    });

    it('of destinations that broke, in one mail that lists the first twenty', async () => {
      const reader = await member('viewer');
      await choose(reader, { alerts: ['link.broken'] });
      const links = Array.from({ length: 22 }, (_, number) => ({
        id: `link_${number}`,
        domain: 'acme.test',
        folderId: null,
        tags: [],
        shortLink: `https://acme.test/broken-${number}-`,
        destinationCheck: { url: `${A}?in=de`, error: 'must have a host that responds' },
      }));
      for (const link of links) {
        await db().transaction((trx) =>
          publishRecordEvent(trx, world.projectId, 'link.broken', link),
        );
      }
      await gather();
      const { headers, body } = await mailTo(reader);
      expect(headers.get('subject')).to.contain('The destinations of 22 links are broken');
      expect(body)
        .to.contain('/broken-0-: https://example.com/a?in=de must have a host that responds')
        .and.contain('/broken-19-')
        .and.contain('and 2 more')
        .and.not.contain('/broken-20-');
      expect(stack().mail.to(reader.email)).to.have.length(1);
    });

    it('of a webhook that was disabled: owners, and the other webhooks', async () => {
      const owner = await member('owner');
      const gone = await Receiver.start();
      try {
        gone.answerWith(410);
        await aWebhook(['link.created', 'webhook.disabled'], gone.url);
        await aWebhook(['webhook.disabled']);
        await world.api.post('/links', { url: A });
        const [body] = await delivered(1);
        expect(body.data).to.include({ url: gone.url, enabled: false });
        const [mail] = (await alertsTo(owner)) as [ReceivedMail];
        expect(mail.headers.get('subject')).to.contain('A webhook was disabled');
        expect(mail.body).to.contain('410 Gone');
        expect(gone.received).to.have.length(1);
      } finally {
        await gone.stop();
      }
    });

    it('of a limit at 80% and at all of it, once a day', async () => {
      await aWebhook(['limit.reached']);
      const owner = await member('owner');
      await world.set({ requestsPerMinute: 5 });
      for (let sent = 0; sent < 8; sent += 1) await world.api.get('/tags');
      const bodies = await delivered(2);
      expect(bodies.map(({ data }) => data)).to.have.deep.members([
        { limit: 'requestsPerMinute', percent: 80, most: 5 },
        { limit: 'requestsPerMinute', percent: 100, most: 5 },
      ]);
      await eventually(async () => {
        const told = (await alertsTo(owner)).map(({ body }) => body).join('\n');
        expect(told.match(/>80% of 5 requests a minute used<\/p>/g)).to.have.length(1);
        expect(told.match(/>All of 5 requests a minute used<\/p>/g)).to.have.length(1);
      });
    });
  });

  describe('come by e-mail', () => {
    const message = (subject = 'Hello') => ({ subject, lines: ['A line'], reason: 'A test.' });
    async function mail(recipient: string, text = message()): Promise<void> {
      const { projectId } = world;
      await addMails(db(), [
        { projectId, userId: null, kind: 'invitation', recipient, message: text },
      ]);
    }
    const row = (recipient: string) => db()('mails').where({ recipient }).first();

    it('over TLS, with the account of the mail server', async () => {
      const email = `${person()}@people.test`;
      await mail(email);
      const { from, headers, isEncrypted, user, body } = await mailTo({ email });
      expect({ from, isEncrypted, user }).to.deep.equal({
        from: 'links@mail.test',
        isEncrypted: true,
        user: 'links',
      });
      const { id, state, content } = await eventually(async () => {
        const found = await row(email);
        expect(found.state).to.equal('sent');
        return found;
      });
      expect([state, content]).to.deep.equal(['sent', null]);
      expect(headers.get('message-id')).to.equal(`<${id}@mail.test>`);
      expect(headers.get('from')).to.equal('Short links <links@mail.test>');
      expect(headers.get('content-type')).to.match(/^multipart\/alternative/);
      expect(body).to.contain('A line').and.contain('>A line</p>');
    });

    describe('only over a connection that keeps the password secret:', () => {
      const trusted = { NODE_EXTRA_CA_CERTS: 'test/data/tls/localhost.crt' };
      /**
       * Sends one mail in a process with other settings.
       * @returns its error output
       */
      async function sendWith(mailId: string, settings: Record<string, string>): Promise<string> {
        const script = `import { sendMail } from './dist/src/mail/send.js';
          await sendMail({ mailId: '${mailId}' }, { log: console }).catch((error) => console.log(String(error.stack)));
          process.exit();`;
        const args = ['--input-type=module', '-e', script];
        const { stdout } = await promisify(execFile)(process.execPath, args, {
          env: { ...process.env, ...settings },
        });
        return stdout;
      }
      async function aPendingMail(): Promise<{ id: string; email: string }> {
        const [id, email] = [newId('mail'), `${person()}@people.test`];
        const content = seal(
          { purpose: 'mail', owner: world.projectId },
          JSON.stringify(toContent(message())),
        );
        const kind = 'invitation';
        await db()('mails').insert({
          id,
          project_id: world.projectId,
          kind,
          recipient: email,
          content,
        });
        return { id, email };
      }

      it('TLS from the start', async () => {
        const { id, email } = await aPendingMail();
        const SMTP_URL = stack().mail.url('tls');
        expect(await sendWith(id, { SMTP_URL, ...trusted })).to.equal('');
        const { isEncrypted, user } = await mailTo({ email });
        expect({ isEncrypted, user }).to.deep.equal({ isEncrypted: true, user: 'links' });
      });

      const cases: [string, () => Record<string, string>, RegExp][] = [
        [
          'not with a certificate that nobody trusts',
          () => ({ SMTP_URL: stack().mail.url('tls') }),
          /self.signed certificate/,
        ],
        [
          'not in the clear to another machine',
          () => ({
            SMTP_URL: stack().mail.url('none', { host: '[::ffff:127.0.0.1]' }),
            ...trusted,
          }),
          /STARTTLS/,
        ],
        [
          'and not said when it is wrong',
          () => ({ SMTP_URL: stack().mail.url('starttls', { password: 'wr0ng-one' }), ...trusted }),
          /535(?!.*wr0ng-one)/s,
        ],
      ];
      for (const [title, settings, failure] of cases) {
        it(title, async () => {
          const { id, email } = await aPendingMail();
          expect(await sendWith(id, settings())).to.match(failure);
          expect((await row(email)).state).to.equal('pending');
          expect(stack().mail.asked(email)).to.equal(0);
        });
      }
    });

    it('later, where the mail server asks for patience', async () => {
      const recipients = [`later-${person()}@people.test`, `unread-${person()}@people.test`];
      for (const email of recipients) await mail(email);
      for (const email of recipients) {
        await mailTo({ email });
        expect([stack().mail.asked(email), stack().mail.to(email).length]).to.deep.equal([2, 1]);
      }
    });

    it('only when an operator says so, where the mail server refuses it for good', async () => {
      const email = `refused-${person()}@people.test`;
      await mail(email);
      const { api } = await aPerson({ isOperator: true });
      const letter = `/admin/dead-letters/mail:${(await row(email)).id}`;
      const attempts = (count: number) =>
        eventually(async () => {
          const { body } = await api.get(letter);
          expect(body).to.include({ job: 'mail.send', attempts: count });
          expect(body.error).to.contain('550').and.not.contain(email);
          expect(stack().mail.asked(email)).to.equal(count);
        });
      await attempts(1);
      await api.post(`${letter}/retry`);
      await attempts(2);
      expect((await api.delete(letter)).status).to.equal(204);
      // The sweep would find a discarded mail again and add its job before the next mail.
      await db()('mails')
        .where({ recipient: email })
        .update({ created_at: db().raw("now() - interval '2 minutes'") });
      await sweepMails();
      const next = `${person()}@people.test`;
      await mail(next);
      await mailTo({ email: next });
      expect(stack().mail.asked(email)).to.equal(2);
    });

    it('without headers or markup that a name smuggles in', async () => {
      const email = `${person()}@people.test`;
      const evil = 'A\r\nBcc: victim@people.test\r\n\r\n<img src=x>\u2028B\u202e';
      await mail(email, { ...message(evil), lines: [evil] });
      const { headers, body } = await mailTo({ email });
      expect([...headers.keys()]).to.not.include('bcc');
      expect(headers.get('subject')).to.match(/^A Bcc: victim@people\.test <img src=x> B$/);
      const [, markup] = body.split('<!doctype html>');
      expect(markup).to.not.contain('<img');
      expect(markup).to.contain('&lt;img src=x&gt;');
      expect(stack().mail.to('victim@people.test')).to.deep.equal([]);
    });

    it('of an invitation, with the address at which it is accepted', async () => {
      const { api } = await member('owner');
      const email = `${person()}@people.test`;
      const invite = async () =>
        (await api.post('/invitations', { email, role: 'viewer' })).body as {
          url: null;
          isMailed: boolean;
        };
      const first = await invite();
      expect(first).to.include({ isMailed: true, url: null });
      const { body, headers } = await mailTo({ email });
      expect(body).to.match(/\/console\/invitation#[\w-]{43}/);
      expect(headers.has('list-unsubscribe')).to.equal(false);
    });
  });

  describe('end', () => {
    async function anAlert(): Promise<{ owner: Person; path: string }> {
      const owner = await member('owner');
      await world.set({ requestsPerMinute: 1 });
      await world.api.get('/tags');
      const [mail] = (await alertsTo(owner)) as [ReceivedMail];
      expect(mail.headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
      return { owner, path: unsubscribeIn(mail) };
    }

    it('by one click of a mailbox, without signing in; opening the address only asks', async () => {
      const { owner, path } = await anAlert();
      const page = await fetch(stack().apiUrl + path);
      expect(page.status).to.equal(200);
      expect(await page.text()).to.contain('<form method="post">');
      expect(await alertsOf(owner)).to.deep.equal(['limit.reached', 'webhook.disabled']);
      for (let times = 0; times < 2; times += 1) {
        expect((await oneClick(path)).status).to.equal(200);
        expect(await alertsOf(owner)).to.deep.equal(['webhook.disabled']);
      }
    });

    it('for a limited person too, whose mail would start again with the end of the limits', async () => {
      const { owner, path } = await anAlert();
      await member('owner');
      await world.set({ requestsPerMinute: 0 });
      const change = (fields: object) =>
        world.api.patch(`/members/${owner.userId}`, fields).then(({ status }) => status);
      expect(await change({ role: 'member', limits: { own: true } })).to.equal(200);
      expect((await oneClick(path)).status).to.equal(200);
      expect(await change({ role: 'owner', limits: null })).to.equal(200);
      expect(await alertsOf(owner)).to.not.include('limit.reached');
    });

    it('not by an address that is forged', async () => {
      const { owner, path } = await anAlert();
      const other = Buffer.from(`${owner.userId} ${world.projectId} webhook.disabled`);
      const [, signature] = path.split('.');
      const forged = [
        path.slice(0, -1) + (path.endsWith('A') ? 'B' : 'A'),
        `/unsubscribe/${other.toString('base64url')}.${signature}`,
        '/unsubscribe/x',
      ];
      for (const address of forged) {
        expect((await oneClick(address)).status, address).to.equal(404);
      }
      expect(await alertsOf(owner)).to.deep.equal(['limit.reached', 'webhook.disabled']);
    });
  });

  describe('bring reports', () => {
    const choice = { every: 'weekly', timezone: 'Asia/Tokyo' } as const;

    it('at 8 o’clock of the reader’s Monday, or first of the month', async () => {
      const reader = await member('viewer');
      for (const [every, isRight] of [
        ['weekly', (at: Date) => at.getUTCDay() === 0],
        ['monthly', (at: Date) => new Date(at.getTime() + 9 * 3_600_000).getUTCDate() === 1],
      ] as const) {
        const { report } = await choose(reader, { report: { ...choice, every } });
        const at = new Date(report.nextAt);
        // 8:00 in Tokyo is 23:00 UTC of the previous day.
        expect([at.getUTCHours(), at.getUTCMinutes(), isRight(at)]).to.deep.equal([23, 0, true]);
        expect(at.getTime()).to.be.greaterThan(Date.now());
      }
      expect((await choose(reader, { report: null })).report).to.equal(null);
    });

    it('with the numbers of analytics, once however often the job runs', async () => {
      const reader = await member('viewer');
      const { body: link } = await world.api.post('/links', { url: A, key: 'seen' });
      const { body: preview } = await world.api.get('/report', choice);
      // Reports cover complete weeks, so the clicks lie in the past.
      const { start, end } = preview;
      const clickAt = new Date(Date.parse(end) - 3_600_000).toISOString();
      const headers = { referer: 'https://news.example.com/' };
      for (const visitor of [1, 2, 3]) {
        const { status } = await world.visit('/seen', { userAgent: browser(visitor), headers });
        expect(status).to.equal(302);
      }
      await eventually(async () => {
        const { body } = await world.api.get(`/links/${link.id}`);
        expect(body.clicks).to.equal(3);
      });
      await db()('events').where({ project_id: world.projectId }).update({ occurred_at: clickAt });
      await eventsStore().rebuild(world.projectId);

      const span = { start, end, timezone: choice.timezone };
      const { body: report } = await world.api.get('/report', choice);
      const { body: counted } = await world.api.get('/analytics', { ...span, groupBy: 'count' });
      expect(report.totals.clicks.value).to.equal(counted.clicks).and.to.equal(3);
      const { body: links } = await world.api.get('/analytics', { ...span, groupBy: 'top_links' });
      expect(report.topLinks).to.deep.equal(
        links.map((one: { shortLink: string; clicks: number }) => ({
          shortLink: one.shortLink,
          clicks: one.clicks,
        })),
      );
      const { body: referers } = await world.api.get('/analytics', {
        ...span,
        groupBy: 'referers',
      });
      expect(report.referers).to.deep.equal(
        referers.map((one: { referer: string; clicks: number }) => ({
          referer: one.referer,
          clicks: one.clicks,
        })),
      );

      await choose(reader, { report: choice });
      await db()('workspace_users')
        .where({ project_id: world.projectId, user_id: reader.userId })
        .update({ report_due_at: db().raw("now() - interval '1 minute'") });
      await Promise.all([
        sendReports(eventRecords.names, log),
        sendReports(eventRecords.names, log),
      ]);
      const mail = await mailTo(reader);
      await sendReports(eventRecords.names, log);
      expect(mail.headers.get('subject')).to.contain('weekly report');
      expect(mail.body).to.contain('Clicks: 3 (0 before)').and.contain('news.example.com: 3');
      const due = (await reader.api.get('/me/notifications')).body.workspaces[0].report.nextAt;
      expect(Date.parse(due)).to.be.greaterThan(Date.now());
      expect((await oneClick(unsubscribeIn(mail))).status).to.equal(200);
      expect((await reader.api.get('/me/notifications')).body.workspaces[0].report).to.equal(null);
      expect(stack().mail.to(reader.email)).to.have.length(1);
      const { status, bytes } = await world.api.download('/report/mail', choice);
      expect([status, bytes.includes('>3 (0 before)</td>')]).to.deep.equal([200, true]);
    });

    it('once by a worker whose clock is behind', async () => {
      const reader = await member('viewer');
      const { report } = await choose(reader, { report: choice });
      const due = new Date(Date.parse(report.nextAt) - 7 * 86_400_000);
      await atTime(new Date(due.getTime() - 500), async () => {
        await db()('workspace_users')
          .where({ project_id: world.projectId, user_id: reader.userId })
          .update({ report_due_at: due });
        await sendReports(eventRecords.names, log);
        await sendReports(eventRecords.names, log);
      });
      await mailTo(reader);
      const { body } = await reader.api.get('/me/notifications');
      expect(body.workspaces[0].report.nextAt).to.equal(report.nextAt);
      expect(stack().mail.to(reader.email)).to.have.length(1);
    });

    it('only where the plan has analytics', async () => {
      await world.set({ plan: 'free' });
      const reader = await member('viewer');
      const { status, body } = await reader.api.patch(`/me/notifications/${world.projectId}`, {
        report: choice,
      });
      expect([status, body.error.code]).to.deep.equal([403, 'forbidden']);
    });
  });

  it('are known for every alert as a kind of webhook event', async () => {
    await aWebhook(ALERT_KINDS);
    expect((await aBrowser().get('/me/notifications')).status).to.equal(401);
  });

  it('are chosen and shown by the requests of the guide', async () => {
    const { api } = await member('owner');
    const guide = readFileSync('docs/notifications.md', 'utf8');
    const blocks = [...guide.matchAll(/^```http[^\n]*\n([^]*?)^```$/gm)];
    const requests = blocks.flatMap(([, block]) => block!.trim().split('\n'));
    expect(requests).to.have.length(4);
    for (const line of requests) {
      const [, method, path, body] = /^(GET|POST|PATCH) (\S+) ?(.*)$/.exec(line)!;
      const { pathname, searchParams } = new URL(path!, 'http://api.test');
      const address = decodeURI(pathname).replace('{projectId}', world.projectId);
      const query = Object.fromEntries(searchParams);
      const { status } = await api.send(method!, address, body || undefined, { query });
      expect(status, line).to.be.oneOf([200, 201]);
    }
  });

  it('say where e-mail is not set up', async function () {
    const { token } = await member('owner');
    const settings = { SMTP_URL: undefined, MAIL_FROM: undefined, API_PORT: '0', HEALTH_PORT: '0' };
    const api = new OneProcess('api', settings);
    try {
      const { port } = await api.logged('API is listening');
      const answer = await fetch(`http://127.0.0.1:${String(port)}/me/notifications`, {
        headers: { cookie: `session=${token}` },
      });
      expect(answer.status).to.equal(200);
      expect(await answer.json()).to.include({ isMailSetUp: false });
    } finally {
      await api.stop();
    }
  });
});
