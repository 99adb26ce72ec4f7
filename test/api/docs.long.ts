import { readdirSync } from 'node:fs';
import axe from 'axe-core';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { JSDOM } from 'jsdom';
import { render } from '../../src/docs/markdown.ts';
import { ERRORS } from '../../src/errors.ts';
import { reference } from '../support/reference.ts';
import { stack } from '../support/stack.ts';
import { visit } from '../support/world.ts';

const BROWSER = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

async function get(path: string, headers: Record<string, string> = {}): Promise<Response> {
  const response = await fetch(stack().apiUrl + path, { headers, redirect: 'manual' });
  // The server gives up a request that it could not read in time, as on a machine that was stopped.
  return response.status === 408 ? get(path, headers) : response;
}

async function open(path: string): Promise<Document> {
  const response = await get(path, BROWSER);
  expect(response.status, path).to.equal(200);
  return new JSDOM(await response.text()).window.document;
}

const attributes = (document: Document, selector: string, name: string): string[] =>
  [...document.querySelectorAll(selector)].map((element) => element.getAttribute(name)!);

/** Pages that together have everything that a page can have; the rules take seconds for each. */
const WITH_ALL_MARKUP = [
  'getting-started',
  'api-reference',
  'api-reference/errors',
  'qr-codes',
  'analytics',
  'architecture',
  'operations',
  'help/links',
].map((name) => `/docs/${name}`);

/** Reads the paths of all pages in the navigation. */
async function navigated(): Promise<string[]> {
  return attributes(await open('/docs/api-reference/errors'), 'nav a', 'href');
}

describe('/docs', () => {
  it('has a page for each guide, and navigation to all of them', async () => {
    const files = readdirSync('docs', { recursive: true, encoding: 'utf8' });
    const names = files.filter((file) => file.endsWith('.md')).map((file) => file.slice(0, -3));
    const expected = ['getting-started', 'api-reference', 'api-reference/errors', ...names];
    expect(await navigated()).to.have.members(expected.map((name) => `/docs/${name}`));
  });

  it('has the Markdown of each guide, which its page names, and two lists for agents', async () => {
    const { servers } = (await (await get('/openapi.json')).json()) as {
      servers: [{ url: string }];
    };
    const [{ url: base }] = servers;
    const list = await (await get('/llms.txt')).text();
    expect(list).to.match(/^# .+\n\n> .+\n/);
    const all = await (await get('/llms-full.txt')).text();
    const addressesIn = (text: string) =>
      [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, address = '']) => address);
    const paths = (await navigated()).filter((path) => !path.startsWith('/docs/api-reference'));
    const known = new Map<string, string>([['/llms-full.txt', all]]);
    for (const path of paths) {
      const [alternate] = attributes(await open(path), 'link[rel=alternate]', 'href');
      expect(alternate).to.equal(`${path}.md`);
      const response = await get(alternate!);
      expect(response.headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
      expect(response.headers.get('content-security-policy')).to.contain("default-src 'none'");
      const etag = response.headers.get('etag')!;
      expect((await get(alternate!, { 'if-none-match': etag })).status).to.equal(304);
      known.set(alternate!, await response.text());
      expect(all).to.contain(known.get(alternate!));
      expect(list).to.contain(`](${base}${alternate})`);
    }
    for (const text of [list, ...known.values()]) {
      for (const address of addressesIn(text)) {
        expect(address).to.match(/^(?:https?:\/\/|mailto:|#)/);
        if (!address.startsWith(base)) continue;
        const path = address.slice(base.length).split('#')[0]!;
        if (!known.has(path)) expect((await get(path)).status, address).to.equal(200);
      }
    }
    for (const { operationId, summary } of Object.values(reference().paths).flatMap((path) =>
      Object.values(path),
    )) {
      expect(all).to.contain(`(${operationId}): ${summary}\n`);
    }
    expect((await get('/docs/none.md')).status).to.equal(404);
  });

  it('has a skill for agents in the format of https://agentskills.io', async () => {
    const text = await (await get('/docs/skills/shortlinks/SKILL.md')).text();
    const [, metadata = ''] = /^---\n([^]*?)\n---\n/.exec(text) ?? [];
    const { name, description } = load(metadata) as Record<string, string>;
    expect(name).to.equal('shortlinks');
    expect(description).to.have.length.within(100, 1_024);
    const page = await open('/docs/skills/shortlinks/SKILL');
    expect(page.querySelector('main')!.textContent).not.to.contain(description!.slice(0, 40));
  });

  it('has only links and pictures that resolve, and loads nothing from another host', async () => {
    const pages = new Map<string, Document>();
    for (const path of ['/docs', '/docs/search?q=click', ...(await navigated())]) {
      pages.set(path, await open(path));
    }
    for (const [path, document] of pages) {
      for (const source of [
        ...attributes(document, '[src]', 'src'),
        ...attributes(document, 'head link', 'href'),
      ]) {
        expect(source, path).to.match(/^\/docs\//);
        expect((await get(source)).status, source).to.equal(200);
      }
      for (const href of attributes(document, 'a', 'href')) {
        if (/^https?:/.test(href)) continue;
        const [target = '', anchor = ''] = href.split('#');
        const name = target === '' ? path : target;
        if (!pages.has(name)) expect((await get(name)).status, `${path}: ${href}`).to.equal(200);
        else if (anchor !== '' && !anchor.startsWith('/')) {
          expect(pages.get(name)!.getElementById(anchor), `${path}: ${href}`).not.to.equal(null);
        }
      }
    }
  });

  it('keeps the rules for accessible pages', async function () {
    for (const path of ['/docs', '/docs/search?q=click', ...WITH_ALL_MARKUP]) {
      const response = await get(path);
      expect(response.status, path).to.equal(200);
      const { window } = new JSDOM(await response.text(), {
        pretendToBeVisual: true,
        runScripts: 'outside-only',
      });
      window.eval(axe.source);
      const { violations } = await (window as unknown as { axe: typeof axe }).axe.run(
        window.document.documentElement,
        {
          rules: {
            'color-contrast': { enabled: false },
            // The script of the API reference adds its landmarks, so the page itself has none.
            'landmark-one-main': { enabled: path !== '/docs/api-reference' },
          },
        },
      );
      window.close();
      expect(
        violations.map(({ id, nodes }) => [id, nodes[0]?.html]),
        path,
      ).to.deep.equal([]);
    }
  });

  it('has a strict policy, and is answered with 304 while it has not changed', async () => {
    for (const path of ['/docs', '/docs/analytics', '/docs/analytics/']) {
      const { headers } = await get(path);
      const policy = headers.get('content-security-policy')!;
      expect(policy).to.contain("default-src 'none'").and.contain("script-src 'none'");
      expect(policy).not.to.contain('unsafe');
      const etag = headers.get('etag')!;
      const again = await get(path, { 'if-none-match': etag });
      expect(again.status).to.equal(304);
      expect((await get(path, { 'if-none-match': '"other"' })).status).to.equal(200);
    }
  });

  it('finds sections of guides and operations, also by misspelt words', async () => {
    const results = async (question: string) =>
      attributes(
        await open(`/docs/search?q=${encodeURIComponent(question)}`),
        '.results a',
        'href',
      );
    expect(await results('retension')).to.include('/docs/analytics#retention');
    expect(await results('create link')).to.include('/docs/api-reference#/Links/createLink');
    expect(await results('PUT /tags')).to.include('/docs/api-reference#/Tags/updateTag');
    expect(await results('qwertyuiop')).to.deep.equal([]);
    expect(await results('')).to.deep.equal([]);
  });

  it('takes a similar time for every question', async () => {
    /** Measures the processor time of the API for some searches, in ms. */
    const timeOf = async (questions: readonly string[]): Promise<number> => {
      const series = 'process_cpu_seconds_total';
      const [before] = await stack().metric('api', series);
      for (const question of questions)
        await open(`/docs/search?q=${encodeURIComponent(question)}`);
      const [after] = await stack().metric('api', series);
      return (after! - before!) * 1_000;
    };
    const names = Array.from({ length: 20 }, (_, n) => n);
    // No query is a repeat of another.
    const plain = names.map((n) => `link ${'qrcodes'.slice(0, 2 + (n % 5))}${n}`);
    await timeOf(plain);
    const usual = await timeOf(names.map((n) => `click ${n + 100}`));
    const letters = names.map((n) => `${'e '.repeat(99)}${n}`);
    expect(await timeOf(letters), '100 words of one letter').to.be.below(8 * usual);
    const words = names.map(
      (n) => `co re in de st pr se li ${'a'.repeat(n + 2)} ${'b '.repeat(80)}`,
    );
    expect(await timeOf(words), 'words that many others begin with').to.be.below(8 * usual);
  });

  it('shows a hostile question as text', async () => {
    const question = '"><script>alert(1)</script>';
    const document = await open(`/docs/search?q=${encodeURIComponent(question)}`);
    expect(document.querySelector('script')).to.equal(null);
    expect(document.querySelector('input')!.value).to.equal(question);
    expect((await get(`/docs/search?q=${'a b '.repeat(5_000)}`)).status).to.equal(200);
  });

  it('has the explanation of every error where doc_url leads', async () => {
    const refused = (await (await get('/links')).json()) as { error: { doc_url: string } };
    const url = new URL(refused.error.doc_url);
    const document = await open(url.pathname);
    for (const { anchor } of Object.values(ERRORS)) {
      expect(document.getElementById(anchor), anchor).not.to.equal(null);
    }
    expect(`#${ERRORS.unauthorized.anchor}`).to.equal(url.hash);
  });

  it('has the interactive reference, whose files are its own', async () => {
    const response = await get('/docs/api-reference');
    const policy = response.headers.get('content-security-policy')!;
    expect(policy).to.contain("script-src 'self';").and.not.contain('unsafe');
    const { document } = new JSDOM(await response.text()).window;
    const [bundle, start] = attributes(document, 'script', 'src');
    for (const source of [bundle!, start!]) {
      const { headers } = await get(source);
      expect(headers.get('content-type')).to.contain('text/javascript');
      expect(headers.get('cache-control')).to.contain('immutable');
    }
    expect(await (await get(bundle!)).text()).to.contain('SwaggerUIBundle');
  });

  it('answers 404 for what is not there', async () => {
    for (const path of ['/docs/nothing', '/docs/assets/x.js', '/docs/pictures/..%2fapi.md']) {
      expect((await get(path)).status, path).to.equal(404);
    }
    expect((await get('/docs/../package.json')).status).to.equal(404);
  });
});

describe('a guide', () => {
  async function shown(text: string): Promise<HTMLElement> {
    const { html } = await render(text, (target) => (target === 'a.md' ? '/docs/a' : undefined));
    return new JSDOM(html).window.document.body;
  }

  it('shows HTML as text', async () => {
    const body = await shown(
      '# A\n\n<script>alert(1)</script> and `<b>`\n\n| a |\n|---|\n| <img src=x> |',
    );
    expect(body.querySelector('script, img, b')).to.equal(null);
    expect(body.textContent).to.contain('<script>alert(1)</script>').and.contain('<img src=x>');
  });

  it('has no link to anything that is not resolved', async () => {
    const body = await shown(
      '[a](a.md) [b](javascript:alert(1)) ![c](https://elsewhere.test/c.png)',
    );
    expect(attributes(body as unknown as Document, 'a', 'href')).to.deep.equal(['/docs/a']);
    expect(body.querySelector('img')).to.equal(null);
  });
});

describe('the root', () => {
  it('of the API leads browsers to the console, and programs to the addresses', async () => {
    const browser = await get('/', BROWSER);
    expect(browser.status).to.equal(302);
    expect(browser.headers.get('location')).to.be.oneOf(['/console', '/docs']);
    const program = await get('/');
    expect(await program.json()).to.deep.equal({
      docs: '/docs',
      reference: '/openapi.json',
      console: '/console',
    });
  });

  it('of the default short domain shows where to go, in the visitor’s language', async () => {
    const { status, body, headers } = await visit('/', {
      headers: { 'accept-language': 'de' },
    });
    expect(status).to.equal(200);
    expect(headers['content-security-policy']).to.contain("script-src 'none'");
    const { document } = new JSDOM(body).window;
    expect(document.querySelector('h1')!.textContent).to.equal('Kurzlinks');
    const [, docs] = attributes(document, 'a', 'href');
    expect(docs).to.match(/\/docs$/);
    expect((await get('/docs/help/links')).status).to.equal(200);
  });
});
