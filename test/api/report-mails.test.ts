import { expect } from 'chai';
import { JSDOM } from 'jsdom';
import { pino } from 'pino';
import { eventRecords } from '../../src/event-records/event-records.ts';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { type MailSchedule, periodOf } from '../../src/mail/sending-times.ts';
import { sendReportMails } from '../../src/reports/mail/send.ts';
import { pruneRecipients } from '../../src/reports/recipients/commands.ts';
import { LANGUAGES } from '../../src/web/language.ts';
import type { ApiAnswer } from '../support/client.ts';
import { atTime } from '../support/clock.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { ReceivedMail } from '../support/mail-server.ts';
import { OneProcess } from '../support/one-process.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

const log = pino({ level: 'silent' });
const WEEKLY: MailSchedule = { every: 'week', day: 1, hour: 8, timezone: 'Europe/Berlin' };
const DAY_MS = 86_400_000;

const anAddress = (name = 'reader') => `${name}-${newId('user').toLowerCase()}@people.test`;

/** Sends the due reports twice at once, as two workers do. */
const send = () =>
  Promise.all([sendReportMails(eventRecords, log), sendReportMails(eventRecords, log)]);

interface Opened {
  status: number;
  headers: Headers;
  document: Document;
  text: string;
}

let visitors = 0;

/** Opens a URL of a mail as a person or a program does. */
async function open(url: string, init: RequestInit = {}, language = 'en'): Promise<Opened> {
  visitors += 1;
  const response = await fetch(stack().apiUrl + new URL(url, 'http://localhost').pathname, {
    redirect: 'manual',
    ...init,
    headers: {
      'x-forwarded-for': `10.78.${Math.floor(visitors / 250)}.${visitors % 250}`,
      'accept-language': language,
      ...(init.headers as Record<string, string>),
    },
  });
  const { document } = new JSDOM(await response.text()).window;
  const text = document.querySelector('main')?.textContent.replaceAll(/\s+/g, ' ').trim() ?? '';
  return { status: response.status, headers: response.headers, document, text };
}

/** Presses the button of a page. */
const press = (url: string, language?: string) => open(url, { method: 'POST' }, language);

/** Sends a one-click unsubscribe request as a mail client does (RFC 8058). */
const oneClick = (url: string) =>
  open(url, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: 'List-Unsubscribe=One-Click',
  });

const pathOf = ({ url }: { url: string }) => new URL(url).pathname;
const confirmUrlIn = ({ body }: ReceivedMail) => /http\S+\/subscriptions\/[\w-]+/.exec(body)![0];
const unsubscribeUrlIn = ({ headers }: ReceivedMail) =>
  /^<(http\S+\/unsubscribe\/[\w.-]+)>$/.exec(headers.get('list-unsubscribe')!)![1]!;
const textIn = ({ body }: ReceivedMail) => body.split('<!doctype html>')[0]!;

describe('shared reports by email', () => {
  let world: World;

  before(async () => {
    world = await aWorkspace();
  });

  async function share(body: object = {}): Promise<ApiAnswer['body']> {
    const made = await world.api.post('/reports', {
      name: 'Campaign',
      schedule: WEEKLY,
      groups: ['countries'],
      ...body,
    });
    expect(made.status, JSON.stringify(made.body)).to.equal(201);
    return made.body;
  }

  async function invite(report: { id: string }, email = anAddress(), more: object = {}) {
    const path = `/reports/${report.id}/recipients`;
    const { status, body } = await world.api.post(path, { email, ...more });
    expect(status, JSON.stringify(body)).to.equal(201);
    return { ...body, path: `${path}/${body.id}` } as ApiAnswer['body'];
  }

  /** Adds a recipient who confirms. */
  async function aReader(report: { id: string }, more: object = {}) {
    const recipient = await invite(report, anAddress(), more);
    const [mail] = await stack().mail.arrived(recipient.email);
    expect((await press(confirmUrlIn(mail!))).status).to.equal(200);
    return recipient;
  }

  const makeDue = ({ id }: { id: string }) =>
    db()('shared_reports')
      .where({ id })
      .update({ mail_due_at: db().raw("now() - interval '1 minute'") });

  const recipientsOf = async ({ id }: { id: string }) =>
    (await world.api.get(`/reports/${id}/recipients`)).body as ApiAnswer['body'][];

  /** Waits until a mail after the ones before it has arrived, so that none is still on its way. */
  async function settle(): Promise<void> {
    const report = await share({ name: 'Later' });
    const { email } = await invite(report);
    await stack().mail.arrived(email);
  }

  it('have a schedule, which moves only when it changes', async () => {
    const { api } = world;
    const report = await share({ schedule: null });
    expect(report).to.include({ schedule: null, nextMailAt: null });
    const path = `/reports/${report.id}`;
    const { body } = await api.patch(path, {
      schedule: { every: 'month', timezone: 'asia/tokyo' },
    });
    expect(body.schedule).to.deep.equal({
      every: 'month',
      day: 1,
      hour: 8,
      timezone: 'Asia/Tokyo',
    });
    // 8:00 in Tokyo is 23:00 UTC of the previous day.
    expect(body.nextMailAt).to.match(/T23:00:00\.000Z$/);
    expect(Date.parse(body.nextMailAt)).to.be.within(Date.now(), Date.now() + 32 * DAY_MS);
    await makeDue(report);
    const due = (await api.get(path)).body.nextMailAt;
    const same = await api.patch(path, { name: 'Other', schedule: body.schedule });
    expect(same.body.nextMailAt).to.equal(due);
    const daily = await api.patch(path, { schedule: { every: 'day', hour: 0 } });
    expect(daily.body.schedule).to.deep.equal({
      every: 'day',
      day: null,
      hour: 0,
      timezone: 'UTC',
    });
    expect(Date.parse(daily.body.nextMailAt)).to.be.within(Date.now(), Date.now() + DAY_MS);
    expect((await api.patch(path, { schedule: null })).body).to.include({
      schedule: null,
      nextMailAt: null,
    });
  });

  it('refuse schedules and recipients that cannot be', async () => {
    const report = await share();
    const path = `/reports/${report.id}`;
    const bad: [schedule: unknown, message: RegExp][] = [
      [{}, /^schedule\.every is required/],
      [{ every: 'hour' }, /^schedule\.every must be one of/],
      [{ every: 'week', day: 8 }, /^schedule must have a day from 1 to 7 if every is week$/],
      [{ every: 'week', day: 0 }, /^schedule\.day must /],
      [{ every: 'month', day: 32 }, /^schedule\.day must /],
      [{ every: 'day', day: 1 }, /^schedule must have no day if every is day$/],
      [{ every: 'day', hour: 24 }, /^schedule\.hour must /],
      [{ every: 'day', hour: 8.5 }, /^schedule\.hour must /],
      [{ every: 'day', timezone: 'Mars' }, /^schedule\.timezone must be an IANA time zone/],
      [{ every: 'day', minute: 5 }, /^schedule\.minute is not a known field$/],
      ['every Monday', /^schedule must /],
    ];
    for (const [schedule, message] of bad) {
      const { status, body } = await world.api.patch(path, { schedule });
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(body.error.message).to.match(message);
    }
    const badRecipients: [body: object, message: RegExp][] = [
      [{}, /^email is required/],
      [{ email: 'nobody' }, /^email must be /],
      [{ email: 'a@b.test, c@d.test' }, /^email must be /],
      [{ email: 'a@b.test\nBcc: c@d.test' }, /^email must be /],
      [{ email: `${'a'.repeat(250)}@b.test` }, /^email must be /],
      [{ email: anAddress(), language: 'tlh' }, /^language must be one of/],
      [{ email: anAddress(), state: 'confirmed' }, /^state is not a known field$/],
    ];
    for (const [recipient, message] of badRecipients) {
      const { status, body } = await world.api.post(`${path}/recipients`, recipient);
      expect(status, JSON.stringify(body)).to.equal(422);
      expect(body.error.message).to.match(message);
    }
    const missing = await world.api.post('/reports/shr_none/recipients', { email: anAddress() });
    expect([missing.status, missing.body.error.message]).to.deep.equal([
      404,
      'There is no shared report "shr_none"',
    ]);
    for (const answer of [
      await world.api.get(`${path}/recipients/rcp_none`),
      await world.api.post(`${path}/recipients/rcp_none/resend`),
      await world.api.delete(`${path}/recipients/rcp_none`),
    ]) {
      expect([answer.status, answer.body.error.message]).to.deep.equal([
        404,
        'There is no report recipient "rcp_none"',
      ]);
    }
    expect(await recipientsOf(report)).to.deep.equal([]);
  });

  it('go to nobody who has not confirmed by the button of a page', async () => {
    const report = await share({ name: 'Visit https://evil.example now' });
    const recipient = await invite(report);
    expect(recipient.state).to.equal('waiting');
    const until = Date.parse(recipient.confirmableUntil);
    expect(until).to.be.within(Date.now() + 6.9 * DAY_MS, Date.now() + 7 * DAY_MS);
    const [mail] = (await stack().mail.arrived(recipient.email)) as [ReceivedMail];
    expect(mail.headers.get('subject')).to.equal('Do you want this report by email?');
    expect(mail.headers.get('auto-submitted')).to.equal('auto-generated');
    expect(textIn(mail)).to.contain('Report: Visit https evil example now');
    expect(mail.body).not.to.contain('evil.example').and.not.to.contain('/shared/');

    const url = confirmUrlIn(mail);
    const [row] = await db()('report_recipients').where({ id: recipient.id });
    const jobs = await db()('jobs').where({ project_id: world.projectId });
    const stored = JSON.stringify([row, jobs]);
    expect(stored).not.to.contain(new URL(url).pathname.split('/').at(-1));

    // A scanner opens all URLs of a mail, before the person does.
    for (let times = 0; times < 2; times += 1) {
      const page = await open(url);
      expect(page.status).to.equal(200);
      expect(page.text).to.contain('It is sent every week.').and.to.contain('Yes, send me this');
      expect(page.document.querySelector('form')!.method).to.equal('post');
      expect(page.headers.get('cache-control')).to.equal('private, no-store');
      expect(page.headers.get('x-robots-tag')).to.equal('noindex');
      expect(page.headers.get('content-security-policy')).to.match(
        /^default-src 'none'; style-src 'sha256-\S+'; script-src 'none'; img-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'self'$/,
      );
    }
    await open(url, { method: 'HEAD' });
    expect(await recipientsOf(report)).to.deep.equal(
      [{ ...recipient, path: undefined, state: 'waiting' }].map(({ path: _, ...record }) => record),
    );
    await makeDue(report);
    await send();
    await settle();
    expect(stack().mail.to(recipient.email)).to.have.length(1);

    for (let times = 0; times < 2; times += 1) {
      const confirmed = await press(url);
      expect(confirmed.text).to.contain('You will get this report by email');
    }
    const [record] = await recipientsOf(report);
    expect(record).to.include({ state: 'confirmed', confirmableUntil: null });
    await makeDue(report);
    await send();
    await stack().mail.arrived(recipient.email, 2);
  });

  it('are confirmed by the newest mail only, and within 7 days', async () => {
    const report = await share();
    const recipient = await invite(report);
    const [first] = (await stack().mail.arrived(recipient.email)) as [ReceivedMail];
    expect((await world.api.post(`${recipient.path}/resend`)).status).to.equal(200);
    const second = (await stack().mail.arrived(recipient.email, 2))[1]!;
    expect(confirmUrlIn(second)).not.to.equal(confirmUrlIn(first));
    const url = confirmUrlIn(second);
    for (const wrong of [confirmUrlIn(first), `${url}x`, url.slice(0, -1), '/subscriptions/x']) {
      for (const page of [await open(wrong), await press(wrong)]) {
        expect(page.status).to.equal(404);
        expect(page.text).to.contain('This link is no longer valid');
      }
    }
    await db()('report_recipients')
      .where({ id: recipient.id })
      .update({ token_expires_at: db().raw('now()') });
    expect((await press(url)).status).to.equal(404);
    expect((await recipientsOf(report))[0]!.state).to.equal('waiting');
    // A month later the person is forgotten.
    await db()('report_recipients')
      .where({ id: recipient.id })
      .update({ token_expires_at: db().raw("now() - interval '31 days'") });
    await pruneRecipients();
    expect(await recipientsOf(report)).to.deep.equal([]);
  });

  it('have a person once, however often they are added', async () => {
    const report = await share();
    const email = anAddress('Reader');
    const answers = await Promise.all(
      [email, email.toUpperCase(), ` ${email} `].map((text) => invite(report, text)),
    );
    expect(new Set(answers.map(({ id }) => id)).size).to.equal(1);
    const [mail] = await stack().mail.arrived(answers[0]!.email);
    await press(confirmUrlIn(mail!));
    expect((await invite(report, email)).state).to.equal('confirmed');
    const again = await world.api.post(`${answers[0]!.path}/resend`);
    expect([again.status, again.body.error.message]).to.deep.equal([
      409,
      'The recipient has confirmed already',
    ]);
    await settle();
    const sent = stack().mail.received.filter(({ to }) => to.toLowerCase() === email.toLowerCase());
    expect(sent).to.have.length(1);
  });

  it('cannot fill the mailbox of a stranger', async () => {
    const email = anAddress('victim');
    const [name, host] = email.split('@');
    const statuses: number[] = [];
    const messages = new Set<string>();
    for (let n = 0; n < 7; n += 1) {
      const report = await share({ name: `Report ${n}` });
      // Most servers deliver what follows a plus sign to the same mailbox.
      const alias = `${name}+${n}@${host}`;
      const path = `/reports/${report.id}/recipients`;
      const { status, body } = await world.api.post(path, { email: alias });
      statuses.push(status);
      if (status === 429) messages.add(body.error.message);
      else if (n < 2) await world.api.delete(`${path}/${body.id}`);
    }
    expect(statuses).to.deep.equal([201, 201, 201, 201, 201, 429, 429]);
    expect([...messages]).to.deep.equal([
      'An email address gets at most 5 requests to confirm by email in 24 hours',
    ]);
    const other = await aWorkspace();
    const { body: report } = await other.api.post('/reports', { name: 'a' });
    const path = `/reports/${report.id}/recipients`;
    const refused = await other.api.post(path, { email });
    expect(refused.status).to.equal(429);
    // Gmail delivers an address with or without dots, at both of its hosts, to the same mailbox.
    const user = newId('user')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '');
    const spelled = Array.from(
      { length: 7 },
      (_, n) => `${user.slice(0, n + 1)}.${user.slice(n + 1)}`,
    );
    const gmail: number[] = [];
    for (const [n, text] of spelled.entries()) {
      const address = `${text}${n % 3 === 0 ? '+a' : ''}@${n % 2 === 0 ? 'gmail' : 'GoogleMail'}.com`;
      gmail.push((await other.api.post(path, { email: address })).status);
    }
    expect(gmail).to.deep.equal([201, 201, 201, 201, 201, 429, 429]);
    for (const { id } of (await other.api.get(path)).body) {
      await other.api.delete(`${path}/${id}`);
    }
    expect(Number(refused.headers.get('retry-after'))).to.be.within(80_000, 86_400);
    // The refused person is not there.
    expect((await other.api.get(path)).body).to.deep.equal([]);

    const { body: stranger } = await other.api.post(path, { email: anAddress() });
    const resends: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      resends.push((await other.api.post(`${path}/${stranger.id}/resend`)).status);
    }
    expect(resends).to.deep.equal([200, 200, 200, 200, 429]);

    await db()('confirmation_mails').insert(
      Array.from({ length: 100 }, (_, n) => ({ project_id: other.projectId, recipient: `${n}` })),
    );
    const many = await other.api.post(path, { email: anAddress() });
    expect([many.status, many.body.error.message]).to.deep.equal([
      429,
      'A workspace sends at most 100 requests to confirm by email in 24 hours',
    ]);
    await db()('confirmation_mails')
      .where({ project_id: other.projectId })
      .update({ sent_at: db().raw("now() - interval '2 days'") });
    expect((await other.api.post(path, { email: anAddress() })).status).to.equal(201);
  });

  it('have at most 50 recipients', async () => {
    const small = await aWorkspace();
    const { body: report } = await small.api.post('/reports', { name: 'a' });
    const answers = await Promise.all(
      Array.from({ length: 53 }, () =>
        small.api.post(`/reports/${report.id}/recipients`, { email: anAddress() }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 422);
    expect(refused.map(({ body }) => body.error.message)).to.deep.equal(
      Array(3).fill('A shared report has at most 50 recipients'),
    );
  });

  describe('with events', () => {
    before(async () => {
      const { projectId, domain } = world;
      // Six clicks in the week before the latest Monday, and four in the one before it.
      const { start, end } = periodOf(WEEKLY, new Date());
      const events = Array.from({ length: 10 }, (_, at) =>
        anEvent(projectId, {
          id: `evt_${projectId}_${at}`,
          event: 'click',
          link_id: `link_${projectId}`,
          key: 'a',
          domain,
          country: at % 3 === 0 ? 'FR' : 'DE',
          occurred_at: new Date((at < 6 ? end : start).getTime() - 1_000).toISOString(),
        }),
      );
      await db().transaction((trx) => eventsStore().append(trx, events));
    });

    it('have the numbers of the week before, once however often the job runs', async () => {
      const report = await share({ name: 'Spring & <b>more</b>', query: 'interval=1h&country=DE' });
      const reader = await aReader(report);
      await makeDue(report);
      await send();
      const mail = (await stack().mail.arrived(reader.email, 2))[1]!;
      await send();
      const next = (await world.api.get(`/reports/${report.id}`)).body.nextMailAt;
      expect(Date.parse(next)).to.be.within(Date.now(), Date.now() + 7 * DAY_MS);
      expect(mail.headers.get('subject')).to.match(/^Spring & <b>more<\/b>: \w{3} \d+/);
      expect(mail.headers.get('list-unsubscribe-post')).to.equal('List-Unsubscribe=One-Click');
      expect(mail.headers.get('content-type')).to.match(/^multipart\/alternative/);
      const text = textIn(mail);
      // Of 6 clicks 4 are from Germany, and 2 of the 4 before.
      expect(text).to.contain('- Clicks: 4 (2 before, +100%)').and.to.contain('- Germany: 4');
      expect(text).to.contain('Times are in Europe/Berlin.').and.to.contain(pathOf(report));
      expect(text).to.contain(`Unsubscribe: ${unsubscribeUrlIn(mail)}`);
      const { document } = new JSDOM(mail.body.slice(mail.body.indexOf('<!doctype'))).window;
      expect(document.querySelector('h1')!.textContent).to.contain('Spring & <b>more</b>');
      expect(document.querySelectorAll('b,img,script,link')).to.have.length(0);

      await settle();
      expect(stack().mail.to(reader.email)).to.have.length(2);
    });

    it('have no password of the report', async () => {
      const report = await share({ password: 'a password of readers' });
      const reader = await aReader(report);
      await makeDue(report);
      await send();
      const mail = (await stack().mail.arrived(reader.email, 2))[1]!;
      expect(mail.body).to.contain(pathOf(report)).and.not.to.contain('password');
      expect((await open(report.url)).status).to.equal(403);
    });

    it('are in the language of each recipient', async () => {
      const report = await share();
      const readers: { email: string; language: string }[] = [];
      for (const language of LANGUAGES) {
        const recipient = await invite(report, anAddress(), { language });
        const [mail] = (await stack().mail.arrived(recipient.email)) as [ReceivedMail];
        expect(mail.body).to.contain(`<html lang="${language}">`);
        const url = confirmUrlIn(mail);
        const page = await open(url, {}, language);
        expect(page.document.documentElement.lang).to.equal(language);
        expect((await press(url, language)).document.documentElement.lang).to.equal(language);
        readers.push(recipient);
      }
      await makeDue(report);
      await send();
      const clicks: Record<string, string> = {
        en: 'Clicks: 6 (4 before, +50%)',
        de: 'Klicks: 6 (vorher 4, +50 %)',
        ja: '（',
      };
      for (const { email, language } of readers) {
        const mail = (await stack().mail.arrived(email, 2))[1]!;
        expect(mail.body).to.contain(`<html lang="${language}">`);
        if (language === 'en' || language === 'de') {
          expect(textIn(mail).replaceAll('\u00a0', ' ')).to.contain(clicks[language]);
        }
      }
    });
  });

  it('end by one click of a mailbox; opening the URL only asks', async () => {
    const report = await share();
    const reader = await aReader(report);
    await makeDue(report);
    await send();
    const [asked, mail] = (await stack().mail.arrived(reader.email, 2)) as [
      ReceivedMail,
      ReceivedMail,
    ];
    const url = unsubscribeUrlIn(mail);
    const page = await open(url, {}, 'de');
    expect(page.status).to.equal(200);
    expect(page.document.documentElement.lang).to.equal('de');
    expect(page.document.querySelector('form')!.method).to.equal('post');
    expect((await recipientsOf(report))[0]!.state).to.equal('confirmed');
    for (let times = 0; times < 2; times += 1) {
      expect((await oneClick(url)).status).to.equal(200);
      expect((await recipientsOf(report))[0]!.state).to.equal('unsubscribed');
    }
    // The link of the first mail does not start them again.
    expect((await press(confirmUrlIn(asked))).status).to.equal(404);
    await makeDue(report);
    await send();
    await settle();
    expect(stack().mail.to(reader.email)).to.have.length(2);
    const forged = url.slice(0, -1) + (url.endsWith('A') ? 'B' : 'A');
    expect((await oneClick(forged)).status).to.equal(404);

    const again = await world.api.post(`${reader.path}/resend`);
    expect([again.status, again.body.error.message]).to.deep.equal([
      409,
      'The recipient has unsubscribed',
    ]);
    expect((await invite(report, reader.email)).state).to.equal('unsubscribed');
    await settle();
    expect(stack().mail.to(reader.email)).to.have.length(2);
  });

  it('are refused by the link in the request to confirm', async () => {
    const report = await share();
    const recipient = await invite(report);
    const [asked] = (await stack().mail.arrived(recipient.email)) as [ReceivedMail];
    expect(textIn(asked)).to.contain('ignore this email or unsubscribe');
    expect((await oneClick(unsubscribeUrlIn(asked))).status).to.equal(200);
    expect((await press(confirmUrlIn(asked))).status).to.equal(404);
    expect((await recipientsOf(report))[0]).to.include({
      state: 'unsubscribed',
      confirmableUntil: null,
    });
    expect((await world.api.post(`${recipient.path}/resend`)).status).to.equal(409);
  });

  it('are sent once by a worker whose clock is behind', async () => {
    const due = new Date();
    due.setUTCMinutes(0, 0, 0);
    const schedule = { every: 'day', hour: due.getUTCHours(), timezone: 'UTC' };
    const report = await share({ schedule });
    const reader = await aReader(report);
    await atTime(new Date(due.getTime() - 500), async () => {
      await db()('shared_reports').where({ id: report.id }).update({ mail_due_at: due });
      await send();
      await send();
    });
    const { body } = await world.api.get(`/reports/${report.id}`);
    expect(body.nextMailAt).to.equal(new Date(due.getTime() + DAY_MS).toISOString());
    await settle();
    expect(stack().mail.to(reader.email)).to.have.length(2);
  });

  it('keep an unsubscription waiting until their mails are there to delete', async () => {
    const report = await share();
    const reader = await aReader(report);
    const { sent } = await db().transaction(async (trx) => {
      await trx.raw('LOCK TABLE mails IN SHARE MODE');
      await makeDue(report);
      const sending = sendReportMails(eventRecords, log);
      await eventually(async () => {
        const error = await db()
          .raw('SELECT id FROM report_recipients WHERE id = ? FOR NO KEY UPDATE NOWAIT', [
            reader.id,
          ])
          .then(() => undefined)
          .catch(({ code }: { code: string }) => code);
        expect(error).to.equal('55P03');
      });
      return { sent: sending };
    });
    await sent;
    await stack().mail.arrived(reader.email, 2);
  });

  it('are not sent for a report that expired, was deleted or has no plan', async () => {
    const soon = new Date(Date.now() + 3_600_000).toISOString();
    const reports: ApiAnswer['body'][] = [];
    for (const name of ['expired', 'deleted', 'removed']) {
      const report = await share({ name, expiresAt: soon });
      reports.push({ ...report, reader: await aReader(report) });
    }
    const [expired, deleted, removed] = reports;
    await db()('shared_reports').where({ id: expired.id }).update({ expires_at: new Date() });
    await makeDue(expired);
    await makeDue(deleted);
    await makeDue(removed);
    await world.api.delete(`/reports/${deleted.id}`);
    await world.api.delete(removed.reader.path);
    await send();
    const { body } = await world.api.get(`/reports/${expired.id}`);
    expect(Date.parse(body.nextMailAt)).to.be.above(Date.now());

    const lacking = await share({ name: 'lacking' });
    const reader = await aReader(lacking);
    await db()('workspaces').where({ id: world.projectId }).update({ plan: 'free' });
    await makeDue(lacking);
    await send();
    await db()('workspaces').where({ id: world.projectId }).update({ plan: 'enterprise' });
    await settle();
    for (const { email } of [...reports.map((one) => one.reader), reader]) {
      expect(stack().mail.to(email)).to.have.length(1);
    }
    expect(await db()('report_recipients').where({ report_id: deleted.id })).to.deep.equal([]);
  });

  it('that wait for the mail server are not sent to those who left meanwhile', async () => {
    const report = await share();
    const waiting = async (name: string) => {
      const reader = await aReader(report);
      const id = newId('mail');
      await db()('mails').insert({
        id,
        project_id: world.projectId,
        report_recipient_id: reader.id,
        kind: 'shared report',
        recipient: reader.email,
        content: `sealed ${name}`,
      });
      return { reader, isThere: async () => (await db()('mails').where({ id })).length === 1 };
    };
    const [unsubscribed, removed, deleted] = [
      await waiting('a'),
      await waiting('b'),
      await waiting('c'),
    ];
    await makeDue(report);
    await send();
    const mail = (await stack().mail.arrived(unsubscribed.reader.email, 2))[1]!;
    await oneClick(unsubscribeUrlIn(mail));
    await world.api.delete(removed.reader.path);
    expect(await unsubscribed.isThere()).to.equal(false);
    expect(await removed.isThere()).to.equal(false);
    expect(await deleted.isThere()).to.equal(true);
    await world.api.delete(`/reports/${report.id}`);
    expect(await deleted.isThere()).to.equal(false);
  });

  it('with something deleted in their filters are left out, and do not delay others', async () => {
    const { body: tag } = await world.api.post('/tags', { name: 'Gone' });
    const broken = await share({ query: `tagId=${tag.id}` });
    const whole = await share();
    const [first, second] = [await aReader(broken), await aReader(whole)];
    await world.api.delete(`/tags/${tag.id}`);
    await makeDue(broken);
    await makeDue(whole);
    await send();
    await stack().mail.arrived(second.email, 2);
    expect(stack().mail.to(first.email)).to.have.length(1);
    const { body } = await world.api.get(`/reports/${broken.id}`);
    expect(Date.parse(body.nextMailAt)).to.be.above(Date.now());
  });

  it('are sent by the schedule of the service itself', async () => {
    const report = await share();
    const reader = await aReader(report);
    await makeDue(report);
    await stack().mail.arrived(reader.email, 2, 90_000);
  });

  it('cannot be set up where the service sends no email', async function () {
    this.timeout(120_000);
    const report = await share();
    const worker = new OneProcess('worker_writes', {
      SMTP_URL: undefined,
      MAIL_FROM: undefined,
      HEALTH_PORT: '0',
    });
    try {
      await worker.logged('ready');
      // One of the two workers takes each job.
      const refused = await eventually(async () => {
        const path = `/reports/${report.id}/recipients`;
        const answer = await world.api.post(path, { email: anAddress() });
        expect(answer.status).to.equal(422);
        return answer;
      });
      expect(refused.body.error.message).to.equal(
        'Reports cannot be sent by email: this installation has no mail server',
      );
    } finally {
      await worker.stop();
    }
  });
});
