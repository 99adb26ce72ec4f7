import { expect } from 'chai';
import sharp from 'sharp';
import { db } from '../../src/infra/db.ts';
import { browser as userAgent } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aPerson, mailedInvitations } from '../support/people.ts';
import { Receiver } from '../support/receiver.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { addSampleEvents } from './sample-events.ts';

/** A workspace with data of some months, and the ids of the views' records. */
export interface SampleWorkspace {
  world: World;
  linkId: string;
  qrcodeId: string;
  pageId: string;
  customerId: string;
  webhookId: string;
  /** Ids of two imports: one checked and waiting, one done. */
  imports: { checked: string; done: string };
  /** URL that accepts an invitation to the workspace. */
  invitationUrl: string;
}

const TAGS = [
  ['Spring sale', 'green'],
  ['Newsletter', 'blue'],
  ['Social', 'purple'],
  ['Partners', 'yellow'],
  ['Print', 'red'],
  ['Events', 'pink'],
] as const;
const FOLDERS = ['Campaigns 2026', 'Product', 'Help center', 'Conference in Lisbon'];

/** Links of a small shop: slug, destination, and other fields. */
const LINKS: readonly (readonly [key: string, url: string, fields?: object])[] = [
  ['spring', 'https://shop.northwind.example/collections/spring?utm_source=newsletter'],
  ['launch', 'https://northwind.example/blog/introducing-the-new-collection', { proxy: true }],
  ['careers', 'https://northwind.example/company/careers/open-positions'],
  ['app', 'https://northwind.example/app', { ios: 'https://apps.apple.com/app/northwind' }],
  ['lisbon', 'https://conference.example/2026/lisbon/schedule', { comments: 'For the badge' }],
  ['press-kit', 'https://northwind.example/press/kit-2026.zip', { password: 'open sesame' }],
  ['returns', 'https://help.northwind.example/articles/how-to-return-something'],
  ['de', 'https://northwind.example', { geo: { DE: 'https://northwind.example/de' } }],
  ['webinar', 'https://northwind.example/webinar', { expiresAt: '2040-01-01T00:00:00Z' }],
  ['a-slug-that-says-everything-about-the-page-it-leads-to', 'https://northwind.example/about'],
  ['status', 'https://status.northwind.example'],
  ['gift-cards', 'https://shop.northwind.example/gift-cards?utm_medium=social&utm_source=video'],
  ['survey', 'https://forms.example/f/7d1c0a4e', { maxVisits: 5_000 }],
  ['docs', 'https://help.northwind.example/developers/getting-started/first-steps'],
  ['summer-preview', 'https://shop.northwind.example/collections/summer'],
  [
    'winter',
    'https://shop.northwind.example/collections/winter',
    {
      testVariants: [
        { url: 'https://shop.northwind.example/collections/winter', percentage: 50 },
        { url: 'https://shop.northwind.example/collections/winter?layout=list', percentage: 50 },
      ],
    },
  ],
];

const RULES = [
  { value: { country: ['DE', 'AT'] }, url: 'https://northwind.example/de/garden' },
  { value: { device: ['Mobile'], language: ['fr'] }, url: 'https://northwind.example/fr/m' },
];
const CSV_ROWS = [
  'Long URL,Slug,Labels,Notes',
  'https://northwind.example/stores,stores,Print,From the old service',
  'https://northwind.example/gallery,gallery,Social,',
  'not an address,broken,Social,',
  'https://northwind.example/jobs,spring,Partners,Is there already',
];
const SITE = 'https://northwind.example';

/** Creates a record, and throws if that fails. */
async function made(world: World, path: string, body: unknown, headers = {}) {
  const answer = await world.api.post(path, body, { headers });
  expect(answer.status, `${path}: ${JSON.stringify(answer.body)}`).to.be.within(200, 202);
  return answer.body;
}

/** Fills a workspace through the API. */
export async function aSampleWorkspace(): Promise<SampleWorkspace> {
  const world = await aWorkspace();
  await setBrand(world);
  await world.api.post('/domains', { slug: `go.${world.domain}`, target: SITE });
  const tags: { id: string }[] = [];
  for (const [name, color] of TAGS) tags.push(await made(world, '/tags', { name, color }));
  const folders: { id: string }[] = [];
  for (const name of FOLDERS) folders.push(await made(world, '/folders', { name }));
  const pageId = await aPage(world);
  const links = await someLinks(world, tags, folders);
  const qrcodeId = await someCodes(world, tags);
  await addSampleEvents(
    world,
    links.slice(0, 5).map(({ id }) => id),
    qrcodeId,
  );
  const customerId = await someCustomers(world);
  await anAnswer(world, pageId);
  const webhookId = await aWebhook(world);
  await someDestinations(world);
  const checked = await anImport(world, { name: 'links of the old service.csv', dryRun: 'true' });
  const imports = { checked, done: await anImport(world, { name: 'bitly.csv' }) };
  const invitationUrl = await somePeople(world);
  const linkId = links[0]!.id;
  return {
    world,
    linkId,
    qrcodeId,
    pageId,
    customerId,
    webhookId,
    imports,
    invitationUrl,
  };
}

/** Sets a brand with a color too light for text, and a logo wider than high. */
async function setBrand(world: World): Promise<void> {
  const logo = await sharp(
    Buffer.from(
      '<svg xmlns="http://www.w3.org/2000/svg" width="360" height="90"><circle cx="45" cy="45" r="36" fill="#0f766e"/><rect x="100" y="30" width="240" height="30" rx="15" fill="#0f766e"/></svg>',
    ),
  )
    .png()
    .toBuffer();
  const { status, body } = await world.api.patch('/workspace', {
    name: 'Northwind',
    brandColor: '#0f766e',
    logo: `data:image/png;base64,${logo.toString('base64')}`,
  });
  expect(status, JSON.stringify(body)).to.equal(200);
}

async function someLinks(
  world: World,
  tags: readonly { id: string }[],
  folders: readonly { id: string }[],
): Promise<{ id: string }[]> {
  const bodies = LINKS.map(([key, url, fields], at) => ({
    key,
    url,
    tagIds: tags.slice(at % 6, (at % 6) + (at % 4)).map(({ id }) => id),
    ...(at % 3 !== 2 && { folderId: folders[at % 4]!.id }),
    ...fields,
  }));
  const links = await made(world, '/links/bulk', bodies);
  for (const one of links) expect(one.error, JSON.stringify(one)).to.equal(undefined);
  const everything = {
    title: 'Spring at Northwind: everything for the garden',
    description: 'Seeds, tools and furniture, delivered in two days.',
    ios: `${SITE}/ios`,
    android: `${SITE}/android`,
    geo: { DE: `${SITE}/de`, FR: `${SITE}/fr` },
    rules: RULES,
    comments: 'Also printed on the bags of the shop in Berlin.',
    expiresAt: '2040-01-01T00:00:00Z',
    expiredUrl: SITE,
  };
  const { status, body } = await world.api.patch(`/links/${links[0].id}`, everything);
  expect(status, JSON.stringify(body)).to.equal(200);
  await world.api.patch(`/links/${links[9].id}`, { archived: true });
  const soon = new Date(Date.now() + 2_000).toISOString();
  const survey = links.find(({ key }: { key: string }) => key === 'survey');
  await world.api.patch(`/links/${survey.id}`, { expiresAt: soon });
  return links;
}

async function someCodes(world: World, tags: readonly { id: string }[]): Promise<string> {
  const look = { fgColor: '#134e4a', pattern: 'rounded', shape: 'rounded' };
  const codes = await made(world, '/qrcodes/bulk', [
    {
      type: 'url',
      url: `${SITE}/menu`,
      key: 'code',
      title: 'Menu on the tables',
      frame: 'label-bottom',
      frameText: 'The menu',
      tagIds: [tags[4]!.id],
      ...look,
    },
    {
      type: 'wifi',
      wifi: { ssid: 'Northwind guests', password: 'welcome in' },
      title: 'Guest network',
      key: 'wifi',
    },
    {
      type: 'vcard',
      vcard: {
        firstName: 'Ada',
        lastName: 'Lovelace',
        organization: 'Northwind',
        phones: ['+49 30 901820'],
        emails: ['ada@northwind.example'],
      },
      title: 'Business card of Ada Lovelace',
      key: 'ada',
      pattern: 'dots',
      shape: 'extra-rounded',
    },
    { type: 'text', text: 'Table 12', static: true, title: 'Table 12' },
    { type: 'email', email: { email: 'hello@northwind.example' }, key: 'mail' },
    { type: 'phone', phone: '+49 30 901820', title: 'Hotline', key: 'call' },
    { type: 'url', url: `${SITE}/a-long-address/${'part/'.repeat(20)}`, key: 'long', ...look },
  ]);
  for (const one of codes) expect(one.error, JSON.stringify(one)).to.equal(undefined);
  await made(world, '/qrcodes', {
    type: 'url',
    url: `${SITE}/templates`,
    useAsTemplate: true,
    pattern: 'diamonds',
    shape: 'leaf',
    fgColor: '#7c2d12',
  });
  return codes[0].id;
}

const FIELDS = [
  { name: 'name', label: 'Your name', type: 'text', required: true },
  { name: 'email', label: 'Email', type: 'email', required: true },
  { name: 'size', label: 'Size', type: 'select', options: ['S', 'M', 'L'] },
];

async function aPage(world: World): Promise<string> {
  await made(world, '/pages', { title: 'Mind the cookies', button: 'Understood' });
  const text = 'Tell us who you are, and we send you the catalogue.';
  const page = { title: 'The new catalogue', text, fields: FIELDS, button: 'To the catalogue' };
  return (await made(world, '/pages', page)).id;
}

/** Submits the form of a page as a visitor. */
async function anAnswer(world: World, pageId: string): Promise<void> {
  const fields = { url: `${SITE}/catalogue`, key: 'catalogue', preRedirection: true, pageId };
  await made(world, '/links', fields);
  const shown = await world.visit('/catalogue', { userAgent: userAgent(7) });
  const path = /action="(\/_\/continue\/[^"]+)"/.exec(shown.body)![1]!.replaceAll('&amp;', '&');
  const form = { name: 'Grace Hopper', email: 'grace@people.example', size: 'M' };
  await world.visit(path, { userAgent: userAgent(7), form });
  await eventually(async () => {
    expect((await world.api.get(`/pages/${pageId}`)).body.leads).to.equal(1);
  });
}

async function someCustomers(world: World): Promise<string> {
  const url = `${SITE}/shop`;
  await made(world, '/links', { url, key: 'shop', trackConversion: true });
  const { headers } = await world.visit('/shop', { userAgent: userAgent(8) });
  const clickId = new URL(headers.location!).searchParams.get('click_id');
  const lead = (fields: object) =>
    made(world, '/track/lead', { eventName: 'Sign up', clickId, ...fields });
  const grace = { customerName: 'Grace Hopper', customerEmail: 'grace@people.example' };
  await lead({ customerExternalId: 'cus_1027', ...grace });
  for (const [at, amount] of [4_900, 12_900, 990].entries()) {
    await made(world, '/track/sale', {
      customerExternalId: 'cus_1027',
      eventName: 'Purchase',
      amount,
      currency: 'eur',
      invoiceId: `in_${at}`,
    });
  }
  const alan = { customerName: 'Alan Turing', customerEmail: 'alan@people.example' };
  await lead({ customerExternalId: 'cus_1028', ...alan });
  await lead({ customerExternalId: 'cus_1029' });
  const { body } = await world.api.get('/customers', { search: 'grace' });
  return body[0].id;
}

/** Creates an active and a disabled destination. */
async function someDestinations(world: World): Promise<void> {
  const settings = { url: 'https://matomo.example.com/', siteId: 7 };
  const matomo = { type: 'matomo', name: 'Matomo', settings, secret: 'a token' };
  const { id } = await made(world, '/destinations', matomo);
  await db()('destinations').where({ id }).update({
    status: 'disabled',
    failing_since: new Date(),
    error: 'The receiver must respond with status 2xx, not 401',
  });
  const umami = { websiteId: '4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b' };
  await made(world, '/destinations', { type: 'umami', name: 'Umami', settings: umami });
}

/** Creates a webhook with one successful and one failed delivery. */
async function aWebhook(world: World): Promise<string> {
  const receiver = await Receiver.start();
  try {
    const webhook = {
      name: 'Warehouse',
      url: receiver.url,
      kinds: ['link.created', 'link.updated'],
    };
    const { id } = await made(world, '/webhooks', webhook);
    const orders = await made(world, '/webhooks', {
      name: 'Orders',
      url: 'https://hooks.northwind.example/orders',
      kinds: ['sale.created', 'lead.created', 'link.created'],
    });
    await world.api.patch(`/webhooks/${orders.id}`, { enabled: false });
    await made(world, '/links', { url: SITE, key: 'delivered' });
    await eventually(() => expect(receiver.received).to.have.length(1));
    receiver.answerWith(503, {}, 'The warehouse is closed');
    await made(world, '/links', { url: SITE, key: 'refused' });
    await eventually(() => expect(receiver.received).to.have.length(2));
    await eventually(async () => {
      const { body } = await world.api.get(`/webhooks/${id}/deliveries`);
      expect(body.map(({ attempts }: { attempts: number }) => attempts)).to.deep.equal([1, 1]);
    });
    return id;
  } finally {
    await receiver.stop();
  }
}

async function anImport(world: World, query: Record<string, string>): Promise<string> {
  const { body } = await world.api.post('/imports', CSV_ROWS.join('\n'), {
    query,
    headers: { 'content-type': 'text/csv' },
  });
  await eventually(async () => {
    const { state } = (await world.api.get(`/imports/${body.id}`)).body;
    expect(state).to.be.oneOf(['checked', 'done']);
  });
  return body.id;
}

/**
 * Adds members, an invitation and API keys.
 * @returns the URL of the invitation
 */
async function somePeople({ projectId, slug }: World): Promise<string> {
  const owner = await aPerson({ in: { projectId, slug, role: 'owner' } });
  for (const [role, name] of [
    ['member', 'Grace Hopper'],
    ['viewer', 'Katherine Johnson'],
  ] as const) {
    const { userId } = await aPerson({ in: { projectId, slug, role } });
    await db()('users').where({ id: userId }).update({ name });
  }
  await db()('users').where({ id: owner.userId }).update({ name: 'Ada Lovelace' });
  for (const [name, scopes] of [
    ['Shop', ['links.write', 'conversions.write']],
    ['Nightly report', ['analytics.read', 'events.read']],
  ] as const) {
    const { status, body } = await owner.api.post('/keys', { name, scopes });
    expect(status, JSON.stringify(body)).to.equal(201);
  }
  const email = `margaret@${slug}.example`;
  const { status, body } = await owner.api.post('/invitations', { email, role: 'member' });
  expect(status, JSON.stringify(body)).to.equal(201);
  const [address] = await mailedInvitations(email);
  return address!;
}
