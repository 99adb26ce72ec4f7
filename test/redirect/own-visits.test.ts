import { expect } from 'chai';
import { ownVisitsQuery, workspaceOfQuery } from '../../src/visitors/own-visits.ts';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace, type VisitOptions, visit, type World } from '../support/world.ts';

const A = 'https://example.com/a';

describe('a member who does not count their own visits', () => {
  let world: World;
  let visitor = 0;

  beforeEach(async () => {
    world = await aWorkspace();
    await world.api.post('/links', { url: A, key: 'tracked', trackConversion: true });
  });

  /** The path of the page on a domain, as members get it. */
  async function pageOf({ api }: World, domain: string): Promise<string> {
    const { status, body } = await api.get('/workspace/own-visits');
    expect(status).to.equal(200);
    const { url } = body.find((one: { domain: string }) => one.domain === domain);
    const { pathname, search } = new URL(url);
    return pathname + search;
  }

  /** Sends the form of the page, and returns the cookie. */
  async function choose(count: 'yes' | 'no', options: VisitOptions = {}): Promise<string> {
    const path = await pageOf(world, options.host ?? world.domain);
    const sent = await world.visit(path, { form: { count }, ...options });
    expect([sent.status, sent.headers.location]).to.deep.equal([303, path]);
    return sent.headers['set-cookie']![0]!;
  }

  async function isCounted(cookie: string, options: VisitOptions = {}, key = 'tracked') {
    visitor += 1;
    const { status, headers } = await world.visit(`/${key}`, {
      userAgent: browser(visitor),
      ...options,
      headers: { cookie },
    });
    expect(status).to.equal(302);
    return new URL(headers.location!).searchParams.has('click_id');
  }
  const valueOf = (cookie: string) => cookie.split(';')[0]!;

  it('opens a page on each domain, whose button turns counting off and on', async () => {
    const { domain } = world;
    const path = await pageOf(world, domain);
    const shown = await world.visit(path);
    expect(shown.status).to.equal(200);
    expect(shown.body).to.contain(`on ${domain} are counted in this browser`);
    expect(shown.headers['cache-control']).to.contain('no-store');
    expect(shown.headers['set-cookie']).to.equal(undefined);

    const off = await choose('no');
    const attributes = off.split('; ').slice(1);
    expect(attributes).to.have.members(['Max-Age=34560000', 'Path=/', 'HttpOnly', 'SameSite=Lax']);
    expect(await choose('no', { headers: { 'x-forwarded-proto': 'https' } })).to.contain(
      '; Secure',
    );
    const cookie = valueOf(off);
    const after = await world.visit(path, { headers: { cookie } });
    expect(after.body).to.contain(`on ${domain} are not counted in this browser`);
    expect(await isCounted(cookie)).to.equal(false);
    expect(await isCounted(`a=b; ${cookie}`, { process: 0 })).to.equal(false);
    expect(await isCounted(`a=b; ${cookie}`, { process: 1 })).to.equal(false);

    const on = await choose('yes', { headers: { cookie } });
    expect(on).to.contain('Max-Age=0');
    expect(await isCounted(valueOf(on))).to.equal(true);
  });

  it('is redirected as others, without any count', async () => {
    const { body: link } = await world.api.post('/links', { url: A, key: 'a' });
    const cookie = valueOf(await choose('no'));
    for (let n = 0; n < 3; n += 1) {
      const { status, headers } = await world.visit('/a?x=1', {
        userAgent: browser(n),
        headers: { cookie },
      });
      expect([status, headers.location, headers['set-cookie']]).to.deep.equal([
        302,
        `${A}?x=1`,
        undefined,
      ]);
    }
    await world.visit('/a', { userAgent: browser(9) });
    await eventually(async () => {
      expect((await world.api.get(`/links/${link.id}`)).body.clicks).to.equal(1);
    });
    expect((await world.api.get('/events', { linkId: link.id })).body).to.have.length(1);
  });

  it('is counted on links of other workspaces, also on the shared domain', async () => {
    const other = await aWorkspace();
    const cookie = valueOf(await choose('no', { host: 'localhost' }));
    const shared = { url: A, domain: 'localhost', trackConversion: true };
    for (const [{ api }, expected] of [[world, false] as const, [other, true] as const]) {
      const { body: link } = await api.post('/links', shared);
      expect(await isCounted(cookie, { host: 'localhost' }, link.key)).to.equal(expected);
    }
  });

  it('cannot be made up by others', async () => {
    const { domain, projectId } = world;
    const other = await aWorkspace();
    const expiredQuery = ownVisitsQuery({ projectId, domain }, Date.now() - 600_001);
    const good = await pageOf(world, domain);
    const paths = [
      '/_/own-visits',
      '/_/own-visits?token=',
      `/_/own-visits?token=${projectId}`,
      `/_/own-visits?${expiredQuery}`,
      good.replace(projectId, other.projectId),
      good.slice(0, -1),
      await pageOf(world, 'localhost'),
    ];
    for (const path of paths) {
      for (const options of [{}, { form: { count: 'no' } }]) {
        const { status, headers } = await visit(path, { host: domain, ...options });
        expect(status, path).to.equal(410);
        expect(headers['set-cookie']).to.equal(undefined);
      }
    }
    const cookie = valueOf(await choose('no'));
    const [name, value] = cookie.split('=') as [string, string];
    for (const made of [
      `${name}=1`,
      `${name}=`,
      `${name}=${value.slice(1)}`,
      `${name}x=${value}`,
    ]) {
      expect(await isCounted(made), made).to.equal(true);
    }
    expect(workspaceOfQuery(ownVisitsQuery({ projectId, domain }, 0), domain, 599_999)).to.equal(
      projectId,
    );
  });
});
