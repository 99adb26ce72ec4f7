import { expect } from 'chai';
import { ApiClient } from '../support/client.ts';
import { aWorkspace, type VisitAnswer, type World } from '../support/world.ts';

const A = 'https://example.com/a';
const SVG =
  'data:image/svg+xml,<svg xmlns="http://www.w3.org/2000/svg" width="90" height="30"><circle r="9" cx="9" cy="9"/></svg>';
const ACCENT = ':root{--accent:#0055aa;';

describe('pages for visitors', () => {
  let world: World;

  beforeEach(async () => {
    world = await aWorkspace();
  });

  const set = async (look: object) => {
    const { status, body } = await world.api.patch('/workspace', look);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const link = async (fields: object) => {
    const { status, body } = await world.api.post('/links', { url: A, ...fields });
    expect(status, JSON.stringify(body)).to.equal(201);
  };

  /** Visits to every kind of page that belongs to a workspace. */
  const PAGES: Record<string, () => Promise<VisitAnswer>> = {
    password: async () => {
      await link({ key: 'a', password: 'secret' });
      return world.visit('/a');
    },
    'wrong password': async () => {
      await link({ key: 'a', password: 'secret' });
      return world.visit('/a', { form: { password: 'wrong' } });
    },
    'before the destination': async () => {
      const { id: pageId } = (await world.api.post('/pages', { title: 'Wait' })).body;
      await link({ key: 'a', preRedirection: true, pageId });
      return world.visit('/a');
    },
    'display of a code': async () => {
      const code = { type: 'wifi', key: 'a', static: false, ssid: 'net', password: 'password' };
      await world.api.post('/qrcodes', code);
      return world.visit('/a');
    },
    preview: async () => {
      await link({ key: 'a' });
      return world.visit('/a+');
    },
    'not started': async () => {
      await link({ key: 'a', startsAt: '2099-01-01' });
      return world.visit('/a');
    },
    'not found': () => world.visit('/none'),
  };

  for (const [name, open] of Object.entries(PAGES)) {
    it(`have the logo and the color of the workspace: ${name}`, async () => {
      const { logo } = await set({ logo: SVG, brandColor: '#0055aa' });
      const { body, headers } = await open();
      expect(headers['content-type']).to.match(/^text\/html/);
      expect(body).to.contain(ACCENT);
      expect(body).to.contain(`src="${logo}"`);
      const policy = String(headers['content-security-policy']);
      expect(policy).to.contain(new URL(logo).origin);
      expect(policy).to.not.contain('unsafe');
      expect(Number(headers['content-length'])).to.equal(Buffer.byteLength(body));
    });
  }

  it('show a change of the look at once, and none once it is cleared', async () => {
    await link({ key: 'a', password: 'secret' });
    expect((await world.visit('/a')).body).to.not.contain('class="brand"');
    await set({ brandColor: '#0055aa' });
    expect((await world.visit('/a')).body).to.contain(ACCENT);
    await set({ logo: SVG });
    expect((await world.visit('/a')).body).to.contain('class="brand"');
    await set({ brandColor: null, logo: null });
    const { body } = await world.visit('/a');
    expect(body).to.not.contain('class="brand"');
    expect(body).to.not.contain(ACCENT);
  });

  it('have its name, escaped, alone or under the logo', async () => {
    await link({ key: 'a', password: 'secret' });
    await set({ brandName: 'A & B <Café>' });
    expect((await world.visit('/a')).body).to.contain(
      '<p class="brand-name" dir="auto">A &amp; B &lt;Café&gt;</p>',
    );
    await set({ logo: SVG });
    expect((await world.visit('/a')).body).to.match(/class="brand"[^>]*>\n<p class="brand-name"/);
    await set({ brandName: null, logo: null });
    expect((await world.visit('/a')).body).to.not.contain('brand-name');
  });

  it('have it on public statistics too', async () => {
    const { logo } = await set({ logo: SVG, brandColor: '#0055aa' });
    await link({ key: 'a', publicStats: true });
    const path = `/stats/${world.domain}/a`;
    const { bytes, headers } = await new ApiClient(undefined).download(path);
    expect(bytes.toString()).to.contain(ACCENT).and.to.contain(`src="${logo}"`);
    expect(headers.get('content-security-policy')).to.contain(new URL(logo).origin);
  });

  it('leave other workspaces as they are', async () => {
    await set({ logo: SVG, brandColor: '#0055aa' });
    const other = await aWorkspace();
    expect((await other.visit('/none')).body).to.not.contain('class="brand"');
  });
});
