/*
 * Goes through a whole service with a real browser as visitors do, from a short link to its
 * destination.
 */
import path from 'node:path';
import type { Browser, Locator } from 'playwright-core';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { mochaGlobalSetup, mochaGlobalTeardown } from '../support/global-setup.ts';
import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { type World } from '../support/world.ts';
import { inWindow } from './browser.ts';
import { aScene, here, made, ownersPage, type Scene } from './scene.ts';
import { Visitor, WINDOWS } from './visitor.ts';

const QUERY = '?utm_source=poster&name=J%C3%BCrgen';
const PASSWORD = 'croissant au beurre';

const FIELDS = [
  { name: 'name', label: 'Your name', type: 'text', required: true },
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'people', label: 'How many people', type: 'number' },
  { name: 'room', label: 'Room', type: 'select', required: true, options: ['Library', 'Hall'] },
  { name: 'note', label: 'Anything else?', type: 'textarea' },
  { name: 'terms', label: 'I have read the house rules', type: 'checkbox', required: true },
];

type Flow = (visitor: Visitor, scene: Scene) => Promise<void>;

const password: Flow = async (visitor, { link, destination }) => {
  const { page } = visitor;
  const { url } = await link({ password: PASSWORD });
  await visitor.open(url + QUERY, 403);
  await visitor.see('asked');
  const field = page.getByLabel('Password');
  visitor.check(await hasFocus(field), 'the password is not where one types at once');
  await field.fill('something else');
  await visitor.go(() => field.press('Enter'), 403);
  await page.getByRole('alert').getByText('This password is not right.').waitFor();
  await visitor.see('wrong');
  await field.fill(PASSWORD);
  await visitor.go(() => page.getByRole('button', { name: 'Continue' }).click(), 200);
  await visitor.arrives(destination + QUERY);
  await visitor.see('arrived');
  await visitor.open(url);
  await visitor.arrives(destination);
};

const tooManyTries: Flow = async (visitor, { link }) => {
  const { page } = visitor;
  const { url } = await link({ password: PASSWORD });
  await visitor.open(url, 403);
  for (let tries = 1; tries <= 6; tries += 1) {
    await page.getByLabel('Password').fill(`try ${tries}`);
    await visitor.go(() => page.getByLabel('Password').press('Enter'), tries === 6 ? 429 : 403);
  }
  await page.getByRole('alert').getByText('Too many tries').waitFor();
  await visitor.see('too-many');
};

const expired: Flow = async (visitor, { link, world }) => {
  const { url, key } = await link({ expiresAt: new Date(Date.now() + 1_000).toISOString() });
  await eventually(async () => {
    if ((await world.visit(`/${key}`)).status !== 410) throw new Error('does not expire');
  });
  await visitor.open(url, 410);
  await visitor.see('expired');
};

const notStarted: Flow = async (visitor, { link }) => {
  const { url } = await link({ startsAt: '2099-01-01T09:00:00Z' });
  await visitor.open(url, 404);
  await visitor.see('not-started');
};

const skipped: Flow = async (visitor, { link, page: aPage, site, destination }) => {
  const { page } = visitor;
  const image = `${site.url}/picture.svg`;
  const text = 'Tell us who is coming.\nThank you!';
  const pageId = await aPage({ image, text, fields: FIELDS });
  const { url } = await link({ preRedirection: true, pageId });
  await visitor.open(url + QUERY);
  const isDrawn = (picture: HTMLImageElement) => picture.naturalWidth > 0;
  visitor.check(await page.locator('.picture').evaluate(isDrawn), 'the picture is not shown');
  await visitor.see('asked');
  await visitor.go(() => page.getByRole('link', { name: 'Skip' }).click(), 200);
  await visitor.arrives(destination + QUERY);
};

const mandatory: Flow = async (visitor, { link, page: aPage, world, destination }) => {
  const { page } = visitor;
  const pageId = await aPage({ button: 'Book a seat', fields: FIELDS });
  const { id, url } = await link({ preRedirection: true, pageId, isFormMandatory: true });
  await visitor.open(url + QUERY);
  await visitor.see('asked');
  const skip = page.getByRole('link', { name: 'Skip' });
  visitor.check((await skip.count()) === 0, 'what is mandatory can be skipped');
  const send = page.getByRole('button', { name: 'Book a seat' });
  await page.getByLabel('Anything else?').fill('A chair\nby the window');
  await page.getByLabel('How many people').fill('two');
  await visitor.go(() => send.click(), 422);
  await page.getByRole('alert').waitFor();
  await visitor.see('faults');
  await checkFaults(visitor, ['name', 'email', 'people', 'room', 'terms']);
  const note = await page.getByLabel('Anything else?').inputValue();
  visitor.check(note === 'A chair\nby the window', `what was written became ${note}`);
  await page.getByLabel('Your name').fill('Jürgen “Ada” Ōtani');
  await page.getByLabel('Email').fill('ada@example.com');
  await page.getByLabel('How many people').fill('2');
  await page.getByLabel('Room').selectOption('Library');
  await page.getByText('I have read the house rules').click();
  await visitor.see('filled-in');
  await visitor.go(() => send.click(), 200);
  await visitor.arrives(destination + QUERY);
  await isFilledIn(world, id);
};

/**
 * Expects exactly these fields to be marked invalid, each with a message and able to take the
 * focus.
 */
async function checkFaults(visitor: Visitor, names: readonly string[]): Promise<void> {
  const marked = await visitor.page.locator('[aria-invalid=true]').all();
  const found: (string | null)[] = [];
  for (const field of marked) {
    const name = await field.getAttribute('name');
    found.push(name);
    const message = visitor.page.locator(`#${await field.getAttribute('aria-describedby')}`);
    visitor.check((await message.textContent()) !== '', `${name} does not say what is wrong`);
    await field.focus();
    visitor.check(await hasFocus(field), `${name} cannot be gone to`);
  }
  const isRight = found.join() === names.join();
  visitor.check(isRight, `marked are ${found.join()}, not ${names.join()}`);
}

const hasFocus = (field: Locator): Promise<boolean> =>
  field.evaluate((element) => document.activeElement === element);

async function isFilledIn(world: World, id: string): Promise<void> {
  await eventually(async () => {
    const { filled, leads, clicks } = (await world.api.get(`/links/${id}`)).body;
    if (!filled || leads !== 1 || clicks !== 1) {
      throw new Error(`filled ${filled}, leads ${leads}, clicks ${clicks}`);
    }
  });
}

const waits: Flow = async (visitor, { link, page: aPage, destination }) => {
  const { page } = visitor;
  const pageId = await aPage({ text: 'One moment, please.', waitSeconds: 2 });
  const { url } = await link({ preRedirection: true, pageId });
  await visitor.open(url);
  const opened = Date.now();
  const onward = page.locator('.action');
  const isEarly = await onward.click({ timeout: 500, noWaitAfter: true }).then(
    () => true,
    () => false,
  );
  visitor.check(!isEarly, 'the button can be used before the time');
  await visitor.see('waiting');
  await onward.waitFor({ state: 'visible' });
  const seconds = (Date.now() - opened) / 1000;
  visitor.check(seconds > 1.5 && seconds < 4, `the button came after ${seconds} s`);
  await visitor.see('waited');
  await visitor.go(() => onward.click(), 200);
  await visitor.arrives(destination);
};

const owners: Flow = async (visitor, { link, world, site, destination }) => {
  const { page } = visitor;
  const pageUrl = ownersPage(site);
  const { id, url } = await link({ preRedirection: true, pageUrl, isFormMandatory: true });
  await visitor.open(url + QUERY);
  visitor.check(page.url().startsWith(pageUrl), `led to ${page.url()}, not ${pageUrl}`);
  await visitor.see('own');
  await page.getByLabel('Name').fill('Ada');
  await visitor.go(() => page.getByRole('button').click(), 200);
  await visitor.arrives(destination + QUERY);
  await isFilledIn(world, id);
};

/**
 * Tests an owner's page behind a password, since cookies of a link are not sent with a form of
 * another site.
 */
const ownersBehindPassword: Flow = async (visitor, { link, site, destination }) => {
  const { page } = visitor;
  const pageUrl = ownersPage(site);
  const fields = { preRedirection: true, pageUrl, isFormMandatory: true, password: PASSWORD };
  const { url } = await link(fields);
  await visitor.open(url, 403);
  await page.getByLabel('Password').fill(PASSWORD);
  await visitor.go(() => page.getByLabel('Password').press('Enter'), 200);
  await page.getByLabel('Name').fill('Ada');
  await visitor.go(() => page.getByRole('button').click(), 200);
  await visitor.see('sent');
  await visitor.arrives(destination);
};

const rewrite: Flow = async (visitor, { link }) => {
  const { page } = visitor;
  const { url } = await link({ rewrite: true, title: 'Summer in the garden' });
  await visitor.open(url + QUERY);
  const inside = page.frameLocator('iframe');
  await inside.getByRole('heading', { name: 'Arrived' }).waitFor();
  visitor.check(page.url() === url + QUERY, `the address bar says ${page.url()}`);
  const title = await page.title();
  visitor.check(title === 'Summer in the garden', `the window is called ${title}`);
  const frame = await page.locator('iframe').boundingBox();
  const { width, height } = page.viewportSize()!;
  const fills = frame?.width === width && frame.height === height;
  visitor.check(fills, `the frame measures ${frame?.width} × ${frame?.height} px`);
  await visitor.see('framed');
  await inside.getByRole('link', { name: 'Further' }).click();
  await inside.getByRole('heading', { name: 'Further' }).waitFor();
  visitor.check(page.url() === url + QUERY, `after a step the address bar says ${page.url()}`);
};

const display: Flow = async (visitor, { world }) => {
  const wifi = { ssid: 'Café Lumière', password: 'croissant; "au beurre"' };
  const { key } = await made(world, '/qrcodes', { type: 'wifi', wifi });
  await visitor.open(here(world, key));
  await visitor.page.getByRole('img').waitFor();
  await visitor.see('display');
};

const preview: Flow = async (visitor, { link, destination }) => {
  const { page } = visitor;
  const { url } = await link({ title: 'Summer in the garden' });
  await visitor.open(`${url}+${QUERY}`);
  await page.getByText(destination).waitFor();
  await visitor.see('preview');
  await visitor.go(() => page.getByRole('link', { name: 'Open link' }).click(), 200);
  await visitor.arrives(destination + QUERY);
};

/**
 * Tests that a display page, its preview and its file need the password, and that entering it once
 * opens all of them.
 */
const contact: Flow = async (visitor, { world }) => {
  const { page } = visitor;
  const vcard = { firstName: 'Jürgen', lastName: 'Müller', phones: ['+4930123456'] };
  const body = { type: 'vcard', vcard, password: PASSWORD };
  const { key } = await made(world, '/qrcodes', body);
  await visitor.open(`${here(world, key)}+`, 403);
  await page.getByLabel('Password').fill(PASSWORD);
  await visitor.go(() => page.getByLabel('Password').press('Enter'), 200);
  await visitor.see('preview');
  await visitor.go(() => page.getByRole('link', { name: 'Open link' }).click(), 200);
  await visitor.see('contact');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Save contact' }).click();
  const name = (await download).suggestedFilename();
  visitor.check(name === 'Jürgen Müller.vcf', `the file is called ${name}`);
};

const statistics: Flow = async (visitor, { link, world }) => {
  const { page } = visitor;
  const { id, key, url } = await link({ publicStats: true });
  for (let at = 0; at < 12; at += 1) await visitFromAbroad(world, key, at);
  await eventually(async () => {
    const { clicks } = (await world.api.get(`/links/${id}`)).body;
    if (clicks !== 12) throw new Error(`${clicks} clicks are counted`);
  });
  await visitor.open(url.replace(`/${key}`, `/_/stats/${key}`));
  await page.getByText('12', { exact: true }).first().waitFor();
  await page.getByText('Germany').waitFor();
  await visitor.see('month');
  await visitor.go(() => page.getByRole('link', { name: 'Last 24 hours' }).click(), 200);
  await page.locator('summary').click();
  await visitor.see('day-with-table');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as CSV' }).click();
  const name = (await download).suggestedFilename();
  visitor.check(name === 'statistics.csv', `the file is called ${name}`);
};

const report: Flow = async (visitor, { link, world }) => {
  const { page } = visitor;
  const { id, key } = await link();
  await visitFromAbroad(world, key, 0);
  await eventually(async () => {
    const { clicks } = (await world.api.get(`/links/${id}`)).body;
    if (clicks !== 1) throw new Error(`${clicks} clicks are counted`);
  });
  const { url } = await made(world, '/reports', {
    name: 'Spring campaign',
    query: `interval=30d&linkId=${id}`,
    groups: ['top_links', 'countries', 'sources', 'devices'],
    password: PASSWORD,
  });
  await visitor.open(stack().apiUrl + new URL(url).pathname, 403);
  await visitor.see('asked');
  await page.getByLabel('Password').fill(PASSWORD);
  await visitor.go(() => page.getByRole('button', { name: 'Continue' }).click(), 200);
  await page.getByText('Germany').waitFor();
  await page.locator('summary').click();
  await visitor.see('open');
  const download = page.waitForEvent('download');
  await page.getByRole('link', { name: 'Download as CSV' }).click();
  const name = (await download).suggestedFilename();
  visitor.check(name === 'report.csv', `the file is called ${name}`);
};

const ADDRESSES = ['192.0.2.1', '198.51.100.2', '203.0.113.3', '192.0.2.4', '9.9.9.9'];
const FROM = ['', 'https://news.example/', 'https://www.search.example/'];

const visitFromAbroad = (world: World, key: string, at: number) =>
  world.visit(`/${key}`, {
    userAgent: at % 3 === 0 ? String(WINDOWS['phone']!.userAgent) : userAgent(at),
    headers: {
      'x-forwarded-for': ADDRESSES[at % ADDRESSES.length]!.replace(/\d+$/, String(at + 1)),
      referer: FROM[at % FROM.length]!,
    },
  });

const FLOWS: Record<string, Flow> = {
  password,
  'too-many-tries': tooManyTries,
  expired,
  'not-started': notStarted,
  skipped,
  mandatory,
  waits,
  owners,
  'owners-behind-password': ownersBehindPassword,
  rewrite,
  display,
  preview,
  contact,
  statistics,
  report,
};

/** Flows that must also work without scripts. */
const WITHOUT_SCRIPTS: ReadonlySet<string> = new Set([
  'password',
  'skipped',
  'mandatory',
  'waits',
  'owners',
]);

/** Runs all flows in all windows. */
export async function inspectFlows(
  browser: Browser,
  folder: string,
  isWanted: (name: string) => boolean,
): Promise<{ name: string; findings: string[] }[]> {
  await mochaGlobalSetup();
  const site = await Site.start();
  try {
    const scene = await aScene(site);
    const results: { name: string; findings: string[] }[] = [];
    for (const [name, flow] of Object.entries(FLOWS)) {
      if (!isWanted(`flow-${name}`)) continue;
      for (const window of Object.keys(WINDOWS)) {
        if (window === 'mute' && !WITHOUT_SCRIPTS.has(name)) continue;
        const file = path.join(folder, `flow-${name}-${window}`);
        const findings = await follow(browser, window, file, (visitor) => flow(visitor, scene));
        results.push({ name: `${name}, ${window}`, findings });
      }
    }
    return results;
  } finally {
    await site.stop();
    await mochaGlobalTeardown();
  }
}

function follow(
  browser: Browser,
  window: string,
  file: string,
  flow: (visitor: Visitor) => Promise<void>,
): Promise<string[]> {
  const options = WINDOWS[window]!;
  return inWindow(browser, options, async (page) => {
    const visitor = new Visitor(page, file, options.javaScriptEnabled !== false);
    try {
      await flow(visitor);
    } catch (error) {
      visitor.found.push(`stopped at ${page.url()}: ${(error as Error).message}`);
      await page.screenshot({ path: `${file}-stopped.png` });
    }
    return visitor.found;
  });
}
