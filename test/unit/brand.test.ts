import { expect } from 'chai';
import fc from 'fast-check';
import { branded } from '../../src/web/brand.ts';
import { contrast } from '../../src/web/contrast.ts';
import { answer, notice } from '../../src/web/layout.ts';

const WHERE = { baseUrl: 'https://api.acme.test', projectId: 'proj_1' };
const LOGO = { id: 'abc', width: 1_000, height: 100 };
const page = () => notice(410, { language: 'en', title: 'Gone', text: '</head> <main>' });
const headerOf = (of: { headers: readonly string[] }, name: string) =>
  of.headers[of.headers.indexOf(name) + 1]!;

describe('a page in the look of a workspace', () => {
  it('has colors that can be read, whatever the color of the workspace', () => {
    const colors = fc.integer({ min: 0, max: 0xff_ff_ff });
    fc.assert(
      fc.property(colors, (bits) => {
        const color = `#${bits.toString(16).padStart(6, '0')}`;
        const text = branded(page(), { color }, WHERE).body.toString();
        const style = /<style>(:root\{--accent.*?)<\/style>/s.exec(text)![1]!;
        const schemes = [...style.matchAll(/:root\{(.*?)\}/g)].map((match) =>
          Object.fromEntries(match[1]!.split(';').map((one) => one.split(':'))),
        );
        const grounds = [
          ['#ffffff', '#f5f7fa'],
          ['#16191f', '#1f242c'],
        ];
        for (const [index, scheme] of schemes.entries()) {
          const pairs = [
            [scheme['--accent'], scheme['--on-accent']],
            [scheme['--on-tint'], scheme['--tint']],
            ...grounds[index]!.flatMap((ground) => [
              [scheme['--accent'], ground],
              [scheme['--on-tint'], ground],
            ]),
          ];
          for (const [a, b] of pairs) {
            expect(contrast(a, b), `${color}: ${a} on ${b}`).to.be.at.least(4.5);
          }
        }
        expect(schemes).to.have.length(2);
      }),
    );
  });

  it('keeps a color that can be read', () => {
    const text = branded(page(), { color: '#0055aa' }, WHERE).body.toString();
    expect(text).to.contain(':root{--accent:#0055aa;--on-accent:#ffffff');
  });

  it('shows the logo at most 240 by 64 px, and allows it alone by its policy', () => {
    const shown = branded(page(), { logo: LOGO }, WHERE);
    expect(shown.body.toString()).to.contain(
      '<main class="notice">\n<img class="brand" src="https://api.acme.test/logos/proj_1/abc" alt="" width="240" height="24">\n',
    );
    const policy = headerOf(shown, 'Content-Security-Policy');
    expect(policy).to.contain("img-src 'self' https://api.acme.test;");
    expect(policy.match(/style-src ('sha256-[\w+/=]+' ?){2};/)).to.not.equal(null);
    expect(policy).to.not.contain('unsafe');
    expect(headerOf(shown, 'Content-Length')).to.equal(String(shown.body.length));
    expect(shown.body.toString()).to.contain('&lt;/head&gt; &lt;main&gt;');
  });

  it('is as it was without a look, and so are answers that are no page of ours', () => {
    const plain = page();
    expect(branded(plain, {}, WHERE)).to.equal(plain);
    const csv = answer(200, 'text/csv', "default-src 'none'", 'a,b\n');
    expect(branded(csv, { color: '#0055aa', logo: LOGO }, WHERE)).to.equal(csv);
  });
});
