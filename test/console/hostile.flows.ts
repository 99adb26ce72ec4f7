import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { eventsStore } from '../../src/events/store/index.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { hashToken, newToken } from '../../src/infra/secrets.ts';
import { createSignInAddress } from '../../src/users/accounts.ts';
import { browser as userAgent } from '../support/browser.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { inConsole, sizes, useBrowser } from './window.ts';

/* Shows markup and control characters as plain text in every view. See flows.ts. */

/** Direction marks in every hostile text, by which it is found on the page. */
const MARKS = '\u202egnp.exe\u2066';
const TAGS = '"\'><img src=x onerror=globalThis.ran=1>';
const SVG = '<svg onload=globalThis.ran=2>';
const TEMPLATE = `{{constructor.constructor('globalThis.ran=3')()}}\${7*7}`;
const SCRIPT = 'javascript:globalThis.ran=4';
const ALL = `${TAGS}${SVG}${TEMPLATE}${MARKS}`;
const A = 'https://example.com/';

describe('hostile texts in the console', function () {
  useBrowser();
  let world: World;
  let receiver: Receiver;
  let token: string;
  let ids: Record<
    'link' | 'script' | 'qrcode' | 'page' | 'customer' | 'webhook' | 'import',
    string
  >;

  before(async () => {
    receiver = await Receiver.start();
    receiver.answerWith(400, {}, ALL);
    world = await aWorkspace();
    const { api } = world;
    const make = async (path: string, body: object): Promise<string> => {
      const answer = await api.post(path, body);
      expect(answer.status, `${path} ${JSON.stringify(answer.body)}`).to.be.within(200, 299);
      return answer.body.id;
    };
    await api.patch('/workspace', { name: TAGS });
    const tag = await make('/tags', { name: ALL });
    const folderId = await make('/folders', { name: ALL });
    const fields = [
      { name: 'why', label: ALL, type: 'text', required: false },
      { name: 'size', label: TAGS, type: 'select', options: [SVG, TEMPLATE] },
    ];
    const page = await make('/pages', { title: ALL, text: ALL, button: SVG, fields });
    const link = await make('/links', {
      url: `${A}?q=${encodeURIComponent(ALL)}&raw=<svg onload=globalThis.ran=1>`,
      key: 'hostile',
      tagIds: [tag],
      folderId,
      title: ALL,
      description: ALL,
      comments: ALL,
      externalId: TAGS,
      proxy: true,
      preRedirection: true,
      pageId: page,
    });
    for (const field of ['url', 'ios', 'expiredUrl', 'image']) {
      const refused = await api.post('/links', { url: A, [field]: SCRIPT });
      expect(refused.status, field).to.equal(422);
    }
    // An earlier version could have accepted this URL.
    const script = await make('/links', { url: A, key: 'script' });
    await db()('links').where({ id: script }).update({ url: SCRIPT });
    const qrcode = await make('/qrcodes', {
      type: 'vcard',
      vcard: { firstName: TAGS, lastName: SVG, organization: ALL },
      title: ALL,
      frame: 'label-bottom',
      frameText: SVG,
    });
    await make('/qrcodes', { type: 'text', text: ALL, static: true });
    const webhook = await make('/webhooks', {
      name: TAGS,
      url: receiver.url,
      kinds: ['link.created'],
    });
    await api.post(`/webhooks/${webhook}/test`, { kind: 'link.created' });
    await make('/keys', { name: TAGS });
    await api.post('/domains', { slug: `x.${world.slug}.example`, target: `${A}?${SVG}` });
    await make('/links', { url: A, key: 'shop', trackConversion: true });
    const { headers } = await world.visit('/shop', { userAgent: userAgent(702) });
    const clickId = new URL(headers.location!).searchParams.get('click_id');
    await make('/track/lead', {
      clickId,
      eventName: TAGS.slice(0, 50),
      customerExternalId: TAGS,
      customerName: ALL.slice(0, 100),
      metadata: { [TAGS]: ALL },
    });
    const [{ id: customer }] = (await api.get('/customers')).body;
    const visitor = {
      userAgent: `${userAgent(701)} ${ALL.replaceAll(/[^\x20-\x7e]/g, '')}`,
      headers: { referer: `https://evil.example/${encodeURIComponent(ALL)}` },
    };
    const shown = await world.visit('/hostile', visitor);
    const onward = /action="([^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
    await world.visit(onward, { ...visitor, form: { why: ALL, size: SVG } });
    await db().transaction((trx) =>
      eventsStore().append(trx, [
        anEvent(world.projectId, {
          id: newId('event'),
          occurred_at: new Date().toISOString(),
          event: 'click',
          link_id: link,
          domain: world.domain,
          key: 'hostile',
          url: `${A}?utm_source=${encodeURIComponent(ALL)}`,
          country: 'DE',
          city: TAGS,
          browser: TAGS,
          os: SVG,
          device: TEMPLATE,
          referer: TAGS,
          referer_url: SCRIPT,
        }),
      ]),
    );
    const file = `Long URL,Slug,${SVG}\n${SCRIPT},${TAGS.replaceAll('"', '')},${ALL.replaceAll('"', '')}\n`;
    const started = await api.post('/imports', file, {
      query: { name: TAGS, dryRun: true },
      headers: { 'content-type': 'text/csv' },
    });
    expect(started.status, JSON.stringify(started.body)).to.be.within(200, 299);
    const person = await aPerson({ in: { ...world, role: 'owner' }, isOperator: true });
    token = person.token;
    await db()('users').where({ id: person.userId }).update({ name: ALL });
    await db()('sessions').insert({
      id: newId('session'),
      user_id: person.userId,
      hash: hashToken(newToken()),
      method: 'link',
      user_agent: ALL,
      network: TAGS,
      expires_at: new Date(Date.now() + 86_400_000),
    });
    await person.api.patch(`/links/${link}`, { comments: `${ALL}!` });
    ids = { link, script, qrcode, page, customer, webhook, import: started.body.id };
    await eventually(async () => {
      expect((await api.get('/events', { event: 'leads' })).body).to.have.length(2);
    }, 10_000);
  });
  after(async () => {
    await receiver.stop();
  });

  /** Expects that no script ran, no element was injected, and no link runs a script. */
  async function expectText(page: Page, view: string): Promise<void> {
    const found = await page.evaluate(`({
      ran: globalThis.ran ?? null,
      elements: document.querySelectorAll('img[src="x"], svg[onload], script:not([src])').length,
      addresses: [...document.querySelectorAll('[href], [src], [action], [formaction]')]
        .flatMap((one) => ['href', 'src', 'action', 'formaction'].map((name) => one.getAttribute(name)))
        .filter((address) => /^\\s*(javascript|vbscript|data:text)/i.test(address ?? '')),
    })`);
    expect(found, view).to.deep.equal({ ran: null, elements: 0, addresses: [] });
  }

  /** Lists views, each with a function that opens its details. */
  const views = (): [path: string, open?: (page: Page) => Promise<void>][] => {
    const { link, qrcode, page, customer, webhook } = ids;
    const dialog = (in_: Page) => in_.getByRole('dialog');
    return [
      [
        'links',
        async (in_) => {
          await in_.getByRole('button', { name: `Actions for ${world.domain}/script` }).click();
          const items = await in_.getByRole('menuitem').allTextContents();
          expect(items.join()).to.contain('Copy short link').and.not.to.contain('Open destination');
        },
      ],
      [`links?search=${encodeURIComponent(ALL)}&folderId=${encodeURIComponent(TAGS)}`],
      [
        `links?edit=${link}`,
        async (in_) => {
          for (const summary of await in_.locator('summary').all()) await summary.click();
          await dialog(in_).getByText(TAGS).first().waitFor();
        },
      ],
      [`links?edit=${ids.script}`],
      ['qrcodes'],
      [`links/${link}`, async (in_) => in_.getByRole('heading', { name: 'Rules' }).waitFor()],
      [`links/${ids.script}`],
      [`qrcodes/${qrcode}`],
      [`qrcodes/${qrcode}/edit`],
      ['trash'],
      ['analytics'],
      [`analytics?city=${encodeURIComponent(TAGS)}`],
      [`analytics?interval=${encodeURIComponent(SVG)}&tabs=${encodeURIComponent(TAGS)}`],
      ...['clicks', 'leads'].map((event): [string, (page: Page) => Promise<void>] => [
        `events?event=${event}`,
        async (in_) => {
          const rows = in_.getByRole('table').locator('tbody tr');
          await rows.first().waitFor();
          for (const row of await rows.all()) {
            await row.getByRole('button').first().click();
            await dialog(in_).waitFor();
            await expectText(in_, 'event');
            await in_.keyboard.press('Escape');
            await dialog(in_).waitFor({ state: 'detached' });
          }
        },
      ]),
      ['live'],
      ['domains'],
      ['labels'],
      ['pages'],
      [`pages/${page}`, (in_) => in_.getByRole('cell', { name: TAGS }).first().waitFor()],
      ['customers'],
      [`customers/${customer}`, (in_) => in_.getByRole('cell', { name: 'lead' }).waitFor()],
      ['webhooks'],
      [
        `webhooks/${webhook}`,
        async (in_) => {
          await in_.getByRole('row').getByRole('button').first().click();
          await dialog(in_).getByLabel('Response body').first().waitFor();
        },
      ],
      ['imports'],
      [`imports/${ids.import}`],
      ['settings/workspace'],
      ['settings/members'],
      ['settings/keys'],
      ['settings/audit-log'],
      ['settings/profile', (in_) => in_.getByRole('main').getByText(TAGS).first().waitFor()],
      ['/admin'],
      [`/${encodeURIComponent(SVG)}/links`],
      [`/sign-in?to=${encodeURIComponent(SCRIPT)}&error=${encodeURIComponent(TAGS)}`],
    ];
  };

  for (const size of sizes) {
    it(`stay texts in every view (${size})`, async () => {
      await inConsole(world, 'links', { size, token }, async (page) => {
        const dialogs: string[] = [];
        page.on('dialog', (asked) => {
          if (asked.type() === 'alert') dialogs.push(asked.message());
          void asked.accept();
        });
        // Pages of links and codes would never become idle, since their stream stays open.
        await page.route(/\/events\/live\?.*Id=/, (route) => route.fulfill({ status: 403 }));
        const root = page.url().replace(/\/console\/.*$/, '/console');
        for (const [path, open] of views()) {
          await page.goto(path.startsWith('/') ? root + path : `${root}/${world.slug}/${path}`);
          await page.getByRole('heading').first().waitFor();
          // The live view never becomes idle, since its stream stays open.
          if (path !== 'live') await page.waitForLoadState('networkidle');
          await open?.(page);
          await expectText(page, path);
        }
        expect(dialogs).to.deep.equal([]);
      });
    });
  }

  it('lead nowhere else after the sign-in', async () => {
    for (const to of [SCRIPT, '//evil.example/', 'https://evil.example/', '/\\evil.example']) {
      const { userId } = await aPerson({ in: { ...world, role: 'member' } });
      const { hash } = new URL(await createSignInAddress(db(), userId));
      const path = `/sign-in?to=${encodeURIComponent(to)}${hash}`;
      await inConsole(world, path, { role: null }, async (page) => {
        await page.getByRole('button', { name: /^Sign in as/ }).click();
        await page.getByRole('button', { name: /^Sign in/ }).waitFor({ state: 'detached' });
        await page.getByRole('heading').first().waitFor();
        await expectText(page, to);
      });
    }
  });
});
