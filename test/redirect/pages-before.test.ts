import { expect } from 'chai';
import { db } from '../../src/infra/db.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type VisitAnswer, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const FIELDS = [
  { name: 'name', label: 'Your name', type: 'text', required: true },
  { name: 'email', label: 'Your email', type: 'email', required: true },
  { name: 'phone', label: 'Phone', type: 'phone' },
  { name: 'age', label: 'Age', type: 'number' },
  { name: 'size', label: 'Size', type: 'select', options: ['S', 'M', 'L'] },
  { name: 'why', label: 'Why', type: 'textarea' },
  { name: 'news', label: 'Send me news', type: 'checkbox' },
];
const ANSWERS = { name: 'Ada', email: 'ada@example.com' };

/** Reads the path behind a page's button. */
function onward({ body }: VisitAnswer): string {
  const path = /(?:action|href)="(\/_\/continue\/[^"]+)"/.exec(body)?.[1];
  if (path === undefined) throw new Error(`no path to continue:\n${body}`);
  return path.replaceAll('&amp;', '&');
}

describe('a page before the destination', () => {
  let world: World;
  let visitor = 1_000;

  before(async () => {
    world = await aWorkspace();
  });

  beforeEach(() => {
    visitor += 1;
  });

  async function aPage(fields: object = {}) {
    const { status, body } = await world.api.post('/pages', { title: 'Before you go', ...fields });
    expect(status).to.equal(201);
    return body;
  }

  async function aLink(fields: object) {
    const { status, body } = await world.api.post('/links', {
      url: A,
      preRedirection: true,
      ...fields,
    });
    expect(status).to.equal(201);
    return body;
  }

  const open = (path: string, options: object = {}) =>
    world.visit(path, { userAgent: browser(visitor), ...options });
  const record = async (id: string) => (await world.api.get(`/links/${id}`)).body;
  const leadsOf = (linkId: string) =>
    db()('events').where({ project_id: world.projectId, link_id: linkId, event: 'lead' });

  it('is shown first, and continues with the visitor’s query', async () => {
    const page = await aPage({ text: 'Two\nlines', button: 'Go on', image: 'https://i.example/p' });
    const link = await aLink({ pageId: page.id });
    const shown = await open(`/${link.key}?x=%20y`);
    expect(shown.status).to.equal(200);
    expect(shown.headers['content-security-policy']).to.contain(
      "img-src 'self' https://i.example;",
    );
    for (const words of ['Before you go', 'Two\nlines', 'Go on', 'src="https://i.example/p"']) {
      expect(shown.body).to.contain(words);
    }
    const { status, headers } = await open(onward(shown));
    expect([status, headers.location]).to.deep.equal([302, `${A}?x=%20y`]);
  });

  it('counts a view when it is shown and a click when the visitor continues', async () => {
    const page = await aPage();
    const link = await aLink({ pageId: page.id });
    const shown = await open(`/${link.key}`);
    await open(`/${link.key}`);
    await eventually(async () => {
      expect((await world.api.get(`/pages/${page.id}`)).body.views).to.equal(1);
    });
    expect((await record(link.id)).clicks).to.equal(0);
    await open(onward(shown));
    await eventually(async () => expect((await record(link.id)).clicks).to.equal(1));
    expect((await world.api.get(`/pages/${page.id}`)).body.views).to.equal(1);
  });

  it('is changed for all its links at once', async () => {
    const page = await aPage();
    const link = await aLink({ pageId: page.id });
    for (const process of [0, 1] as const) await open(`/${link.key}`, { process });
    await world.api.patch(`/pages/${page.id}`, { title: 'Another title' });
    for (const process of [0, 1] as const) {
      await eventually(
        async () =>
          expect((await open(`/${link.key}`, { process })).body).to.contain('Another title'),
        200,
      );
    }
  });

  it('stores the answers of its form as a lead, and sets filled of the link', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id, isFormMandatory: true });
    const shown = await open(`/${link.key}`);
    const form = { ...ANSWERS, size: 'M', why: 'Because\r\nI can', news: 'yes', other: 'dropped' };
    const { status, headers } = await open(onward(shown), { form });
    expect([status, headers.location]).to.deep.equal([303, A]);
    await eventually(async () => {
      expect(await record(link.id)).to.include({ leads: 1, clicks: 1, filled: true });
    });
    expect((await world.api.get(`/pages/${page.id}`)).body).to.include({ views: 1, leads: 1 });
    const [lead] = await leadsOf(link.id);
    expect(lead).to.deep.include({
      page_id: page.id,
      event_name: 'Form submitted',
      metadata: { ...ANSWERS, size: 'M', why: 'Because\nI can', news: true },
    });
    expect(lead.id).to.match(/^evt_/);
    const click = await db()('events').where({ id: lead.click_id }).first();
    expect(click).to.include({ event: 'click', link_id: link.id });
  });

  it('records the click of a lead also without a window', async () => {
    const { api, visit, projectId, set } = await aWorkspace();
    await set({ clickDedupeSeconds: 0 });
    const page = (await api.post('/pages', { title: 'Before', fields: FIELDS })).body;
    for (const trackConversion of [false, true]) {
      const before = { preRedirection: true, pageId: page.id };
      const link = (await api.post('/links', { url: A, trackConversion, ...before })).body;
      const userAgent = browser(visitor);
      for (let times = 0; times < 2; times += 1) {
        const path = onward(await visit(`/${link.key}`, { userAgent }));
        await visit(path, { userAgent, form: ANSWERS });
      }
      const ids = (event: string, column: string) =>
        db()('events').where({ project_id: projectId, link_id: link.id, event }).pluck(column);
      await eventually(async () => {
        const clicks = await ids('click', 'id');
        expect(clicks).to.have.lengthOf(2);
        expect(await ids('lead', 'click_id')).to.have.members(clicks);
      });
    }
  });

  it('records one lead for a form that is sent twice', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id });
    const path = onward(await open(`/${link.key}`));
    await Promise.all([0, 1, 0, 1].map((process) => open(path, { form: ANSWERS, process })));
    await open(onward(await open(`/${link.key}`)), { form: ANSWERS });
    await eventually(async () => expect((await record(link.id)).leads).to.equal(2));
    expect(await leadsOf(link.id)).to.have.lengthOf(2);
  });

  it('shows the form again with its errors, and keeps the valid answers', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id, isFormMandatory: true });
    const path = onward(await open(`/${link.key}?x=1`));
    const form = { name: 'Ada "L" <b>', email: 'nobody', phone: 'x', age: 'old', size: 'XXL' };
    const { status, body } = await open(path, { form });
    expect(status).to.equal(422);
    for (const words of [
      'Please enter an email address.',
      'Please enter a phone number.',
      'Please enter a number.',
      'Please choose one of these.',
      'value="Ada &quot;L&quot; &lt;b&gt;"',
      'aria-invalid="true"',
    ]) {
      expect(body).to.contain(words);
    }
    const again = onward({ body } as VisitAnswer);
    expect(again).to.equal(path);
    expect((await open(again, { form: ANSWERS })).headers.location).to.equal(`${A}?x=1`);
    await eventually(async () => expect((await record(link.id)).leads).to.equal(1));
  });

  it('with a mandatory form hides the destination from previews and crawlers', async () => {
    const page = await aPage({ fields: FIELDS });
    const hidden = {
      url: 'https://concealed.example/destination',
      title: 'Concealed title',
      description: 'Concealed words',
      proxy: true,
      isFormMandatory: true,
    };
    const ours = await aLink({ ...hidden, pageId: page.id });
    const owners = await aLink({ ...hidden, pageUrl: 'https://owner.example/form' });
    const crawler = { userAgent: 'facebookexternalhit/1.1' };
    for (const { key } of [ours, owners]) {
      const ways: [path: string, options: object][] = [
        [`/${key}+`, {}],
        [`/${key}`, crawler],
        [`/${key}+`, crawler],
        [`/_/file/${key}`, {}],
        [`/${key}`, { method: 'HEAD' }],
        [`/${key}?qr=1`, {}],
      ];
      for (const [path, options] of ways) {
        const { status, headers, body } = await open(path, options);
        expect(status, path).to.be.oneOf([200, 302, 404]);
        expect(JSON.stringify(headers) + body, path).not.to.match(/concealed/i);
      }
    }
    expect((await open(`/${ours.key}+`)).body).to.contain('Before you go');
    const shown = onward(await open(`/${ours.key}`));
    expect((await open(shown, { form: ANSWERS })).headers.location).to.equal(hidden.url);
  });

  it('with a mandatory form cannot be skipped', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id, isFormMandatory: true });
    const other = await aLink({ pageId: page.id });
    const shown = await open(`/${link.key}`);
    expect(shown.body).not.to.contain('>Skip<');
    const path = onward(shown);
    const borrowed = onward(await open(`/${other.key}`)).replace(other.key, link.key);
    const attempts: [what: string, path: string, options: object][] = [
      ['the address alone', path, {}],
      ['HEAD', path, { method: 'HEAD' }],
      ['an empty form', path, { form: {} }],
      ['blanks', path, { form: { name: '  ', email: ' ' } }],
      ['half of it', path, { form: { name: 'Ada' } }],
      ['the pass of another link', borrowed, { form: ANSWERS }],
      [
        'a made-up pass',
        `/_/continue/${Date.now().toString(36)}.n.s/${link.key}`,
        { form: ANSWERS },
      ],
      ['no pass', `/_/continue/x/${link.key}`, { form: ANSWERS }],
      ['answers in the address', `${path}?name=Ada&email=ada@example.com`, {}],
    ];
    for (const [what, where, options] of attempts) {
      const { status, headers } = await open(where, options);
      expect(status, what).to.be.oneOf([200, 303, 422]);
      expect(headers.location ?? '', what).not.to.contain('example.com/a');
    }
    expect(await leadsOf(link.id)).to.have.lengthOf(0);
  });

  it('with an optional form can be skipped', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id });
    const shown = await open(`/${link.key}`);
    expect(shown.body).to.contain('>Skip<');
    expect((await open(onward(shown))).headers.location).to.equal(A);
  });

  it('delays visitors for waitSeconds', async () => {
    const page = await aPage({ waitSeconds: 3 });
    const link = await aLink({ pageId: page.id });
    const shown = await open(`/${link.key}`);
    const early = await open(onward(shown));
    expect(early.status).to.equal(200);
    expect(onward(early)).to.equal(onward(shown));
    await eventually(
      async () => expect((await open(onward(shown))).headers.location).to.equal(A),
      4_000,
    );
  });

  it('of the owner gets a URL that continues', async () => {
    const link = await aLink({ pageUrl: 'https://owner.example/page?a=1#part' });
    const { status, headers } = await open(`/${link.key}?x=1`, {
      headers: { 'x-forwarded-proto': 'https' },
    });
    expect(status).to.equal(302);
    const page = new URL(headers.location!);
    expect(page.href).to.match(/^https:\/\/owner\.example\/page\?a=1&continue=[^#]+#part$/);
    const next = new URL(page.searchParams.get('continue')!);
    expect(next.origin).to.equal(`https://${world.domain}`);
    const { headers: last } = await open(next.pathname + next.search);
    expect(last.location).to.equal(`${A}?x=1`);
  });

  it('of the owner continues only after its form, if that is mandatory', async () => {
    const link = await aLink({ pageUrl: 'https://owner.example/', isFormMandatory: true });
    const { headers } = await open(`/${link.key}`);
    const next = new URL(new URL(headers.location!).searchParams.get('continue')!);
    const again = await open(next.pathname);
    expect(again.headers.location).to.match(/^https:\/\/owner\.example\/\?continue=/);
    const body = 'answer=42&colour=red&colour=blue&__proto__=x';
    const { status, headers: last } = await open(next.pathname, { body });
    expect([status, last.location]).to.deep.equal([303, A]);
    await eventually(async () => expect((await record(link.id)).leads).to.equal(1));
    const [lead] = await leadsOf(link.id);
    expect(lead.metadata).to.deep.include({ answer: '42', colour: 'red, blue' });
  });

  it('of the owner continues behind a password too, though its form sends no cookie', async () => {
    const link = await aLink({
      pageUrl: 'https://owner.example/',
      isFormMandatory: true,
      password: 'open',
    });
    const opened = await open(`/${link.key}`, { form: { password: 'open' } });
    const cookie = opened.headers['set-cookie']![0]!.split(';')[0]!;
    const { headers } = await open(`/${link.key}`, { headers: { cookie } });
    const next = new URL(new URL(headers.location!).searchParams.get('continue')!);
    const sent = await open(next.pathname, { form: { answer: '42' } });
    expect([sent.status, sent.headers.location]).to.deep.equal([303, A]);
    await world.api.patch(`/links/${link.id}`, { password: 'another' });
    await eventually(async () => {
      const later = await open(next.pathname, { form: { answer: '42' } });
      expect(later.headers.location).not.to.equal(A);
    });
  });

  it('is shown for QR codes too, and after their password', async () => {
    const page = await aPage({ fields: FIELDS });
    const { body: code } = await world.api.post('/qrcodes', {
      type: 'wifi',
      wifi: { ssid: 'guest', encryption: 'nopass' },
      preRedirection: true,
      pageId: page.id,
      isFormMandatory: true,
    });
    const shown = await open(`/${code.key}`);
    expect(shown.body).not.to.contain('guest');
    const { status, body } = await open(onward(shown), { form: ANSWERS });
    expect(status).to.equal(200);
    expect(body).to.contain('guest');
    await eventually(async () => {
      const { body: now } = await world.api.get(`/qrcodes/${code.id}`);
      expect(now).to.include({ leads: 1, scans: 1, filled: true });
    });
  });

  it('that continues with 308 does not send the answers to the destination', async () => {
    const page = await aPage({ fields: FIELDS });
    const link = await aLink({ pageId: page.id, redirectStatus: 308 });
    const { status } = await open(onward(await open(`/${link.key}`)), { form: ANSWERS });
    expect(status).to.equal(303);
  });

  it('cannot be deleted while a link uses it', async () => {
    const page = await aPage();
    const link = await aLink({ pageId: page.id });
    const refused = await world.api.delete(`/pages/${page.id}`);
    expect([refused.status, refused.body.error.code]).to.deep.equal([409, 'conflict']);
    await world.api.patch(`/links/${link.id}`, { pageId: null });
    expect((await world.api.delete(`/pages/${page.id}`)).body).to.deep.equal({ id: page.id });
    expect((await world.api.get(`/pages/${page.id}`)).status).to.equal(404);
    expect((await open(`/${link.key}`)).headers.location).to.equal(A);
  });

  const bad: [what: string, fields: object, names: RegExp][] = [
    ['no title', { title: undefined }, /title is required/],
    ['an unknown field', { colour: 'red' }, /colour/],
    [
      'a picture that is a script',
      { image: 'javascript:alert(1)' },
      /image must not use the scheme/,
    ],
    ['a wait that is too long', { waitSeconds: 61 }, /waitSeconds/],
    ['a question without a label', { fields: [{ name: 'a' }] }, /label/],
    ['two questions of one name', { fields: [FIELDS[0], FIELDS[0]] }, /fields/],
    ['an invalid name', { fields: [{ ...FIELDS[0], name: '1 a' }] }, /name/],
    ['a choice of nothing', { fields: [{ ...FIELDS[4], options: [] }] }, /options/],
    [
      'a select without options',
      { fields: [{ name: 'a', label: 'A', type: 'select' }] },
      /options/,
    ],
    ['options of a text', { fields: [{ ...FIELDS[0], options: ['a'] }] }, /options/],
    ['an unknown type', { fields: [{ ...FIELDS[0], type: 'file' }] }, /type/],
  ];
  for (const [what, fields, names] of bad) {
    it(`is refused with 422 and the name of the field: ${what}`, async () => {
      const { status, body } = await world.api.post('/pages', { title: 'A', ...fields });
      expect(status).to.equal(422);
      expect(body.error.message).to.match(names);
    });
  }
});
