import { expect } from 'chai';
import sharp from 'sharp';
import { vectorIn, withVector } from '../../src/images/vector/stored.ts';
import { vectorOfSvg } from '../../src/images/vector/svg.ts';
import type { Vector } from '../../src/images/vector/types.ts';
import { defaultDesign, type Format } from '../../src/qrcodes/render/design.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { printed, scan } from '../support/decoders.ts';

const PAYLOAD = 'https://acme.link/spring-2027';

const svg = (content: string, attributes = 'viewBox="0 0 64 64"') =>
  `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}>${content}</svg>`;

/** Documents that shapes reproduce, as drawing programs and libraries of icons write them. */
const EXACT: Record<string, string> = {
  'every basic shape': svg(
    '<rect x="2" y="3" width="20" height="12" rx="4" fill="#c00"/><rect x="30" y="3" width="9" height="12" rx="2" ry="6"/>' +
      '<circle cx="12" cy="30" r="8" fill="navy"/><ellipse cx="40" cy="30" rx="12" ry="5" fill="rgb(0,120,60)"/>' +
      '<polygon points="5,60 20,45 30,60" fill="orange"/><polyline points="34 60,44 46,54 60" fill="none" stroke="#333" stroke-width="2"/>' +
      '<line x1="2" y1="42" x2="60" y2="42" stroke="purple"/>',
  ),
  'every command of paths': svg(
    '<path d="M4 4h20v10H4zM30 6l10 3-4 8q-8 4-9-3t4-6zm20 0c4-6 12 2 6 8s-12 2-8-4S46 2 50 6z M4 40a10 6 30 1 0 16-4A8 8 0 0 1 4 40z" fill="#0a7"/>',
  ),
  'nested transformations': svg(
    '<g transform="translate(32 32) rotate(30)"><g transform="scale(1.5)"><rect x="-10" y="-6" width="20" height="12" fill="#345" transform="skewX(12)"/><circle r="4" fill="#fff" stroke="#c00" stroke-width="1.5"/></g></g>',
  ),
  'compact transformations, as minifiers write them': svg(
    '<g transform="matrix(1 0 0-1 0 64)"><rect x="4" y="4" width="20" height="9" transform="translate(5-3)rotate(-.1e2,9,9)" fill="#c00"/><path d="M30 30h20v9z" transform=" skewY( 4 ) scale(.9),translate(1) "/></g>',
  ),
  'a description within a gradient': svg(
    '<linearGradient id="a"><stop stop-color="#f00"/><stop offset="1" stop-color="#00f"/><desc>Red to blue</desc></linearGradient><rect x="8" y="8" width="40" height="40" fill="url(#a)"/>',
  ),
  'lines with ends, corners and dashes': svg(
    '<g fill="none" stroke="#111" stroke-width="5"><path d="M8 12L30 12L19 30" stroke-linejoin="round" stroke-linecap="round"/><path d="M40 12L58 12L49 30" stroke-linejoin="bevel" stroke-linecap="square"/><path d="M6 50H58" stroke-dasharray="8 3 2"/></g>',
  ),
  'classes and style attributes': svg(
    '<defs><style type="text/css">/* Illustrator */ .cls-1,.cls-2{fill:#e11d48;} .cls-2{fill-rule:evenodd}</style></defs><circle class="cls-1" cx="20" cy="20" r="12"/><path class="cls-2" style="stroke:#000;stroke-width:2px" d="M30 30h28v28h-28zM38 38h12v12h-12z"/>',
  ),
  'currentColor and inheritance': svg(
    '<g color="#0000aa" fill="none" stroke="currentColor" stroke-width="3"><path d="M10 10v44"/><path d="M30 10v44" stroke="#a00"/><g fill="inherit"><circle cx="50" cy="20" r="6"/></g></g>',
    'width="24" height="24" viewBox="0 0 64 64"',
  ),
  'a clip of the whole picture, hidden elements, and data of programs': svg(
    '<g clip-path="url(#all)"><rect x="-10" y="20" width="90" height="20" fill="#070"/></g><rect width="64" height="64" display="none"/><g visibility="hidden"><rect width="9" height="9"/></g><sodipodi:namedview xmlns:sodipodi="x"/><title>Logo</title><defs><clipPath id="all"><rect width="64" height="64" fill="white"/></clipPath></defs>',
  ),
  'opacity of single shapes': svg(
    '<rect width="40" height="40" fill="#f00"/><circle cx="40" cy="40" r="20" fill="#00f" opacity=".5"/><path d="M0 60H64" stroke="#000" stroke-width="6" stroke-opacity="50%"/>',
  ),
  'plain gradients': svg(
    '<defs><linearGradient id="a"><stop offset="0" stop-color="#f00"/><stop offset="50%" style="stop-color:#ff0"/><stop offset="1" stop-color="#00f"/></linearGradient><linearGradient id="b" href="#a" x1="0" y1="0" x2="1" y2="1"/><radialGradient id="c" cx="48" cy="48" r="14" gradientUnits="userSpaceOnUse"><stop stop-color="#fff"/><stop offset="1" stop-color="#070"/></radialGradient></defs>' +
      '<rect x="2" y="2" width="40" height="14" fill="url(#a)"/><rect x="2" y="20" width="28" height="40" fill="url(#b)"/><circle cx="48" cy="48" r="14" fill="url(#c)"/>',
  ),
  'an origin elsewhere, and other proportions': svg(
    '<rect x="-40" y="10" width="60" height="10" fill="#804"/>',
    'viewBox="-50 5 100 40"',
  ),
};

/** Documents that stay pixels. */
const PIXELS: Record<string, string> = {
  text: svg('<text x="4" y="20">Acme</text>'),
  'a filter': svg('<filter id="f"/><rect width="9" height="9" filter="url(#f)"/>'),
  'a mask': svg('<g mask="url(#m)"><rect width="9" height="9"/></g>'),
  'a clip of a part': svg(
    '<clipPath id="c"><rect width="9" height="9"/></clipPath><g clip-path="url(#c)"><rect width="64" height="64"/></g>',
  ),
  'a clip of the whole picture in other coordinates': svg(
    '<clipPath id="c"><rect width="64" height="64"/></clipPath><g transform="scale(.5)"><g clip-path="url(#c)"><rect width="128" height="64"/></g></g>',
  ),
  'a clip of a transformed shape': svg(
    '<clipPath id="c"><rect width="64" height="64"/></clipPath><rect width="128" height="64" transform="scale(.5)" clip-path="url(#c)"/>',
  ),
  'transformations with units': svg('<rect width="9" height="9" transform="rotate(45deg)"/>'),
  'an unknown transformation': svg('<rect width="9" height="9" transform="scale(2) spin(4)"/>'),
  'transformations with too few numbers': svg(
    '<rect width="9" height="9" transform="matrix(1 0 0)"/>',
  ),
  'an image': svg('<image href="https://example.com/a.png" width="9" height="9"/>'),
  'a reference': svg('<use href="#a"/><rect id="a" width="9" height="9"/>'),
  'a pattern': svg('<pattern id="p"/><rect width="9" height="9" fill="url(#p)"/>'),
  'a group with opacity': svg('<g opacity=".5"><rect width="9" height="9"/></g>'),
  'a distorted line': svg('<path d="M0 0h9" stroke="red" transform="scale(1 2)"/>'),
  'a selector of elements': svg('<style>rect{fill:red}</style><rect width="9" height="9"/>'),
  'a style import': svg(
    '<style>@import "https://example.com/a.css";</style><rect width="9" height="9"/>',
  ),
  'a foreign object': svg('<foreignObject width="9" height="9"/>'),
  'an unknown unit': svg('<rect width="2em" height="9"/>'),
  'a focal gradient': svg(
    '<radialGradient id="g" fx=".2"><stop/></radialGradient><rect width="9" height="9" fill="url(#g)"/>',
  ),
  'other proportions than its viewBox': svg(
    '<rect width="9" height="9"/>',
    'viewBox="0 0 9 9" width="20" height="10"',
  ),
};

const vectorOf = (text: string): Vector => {
  const vector = vectorOfSvg(text);
  if (vector === undefined) throw new Error('stays pixels');
  return vector;
};

const SIDE = 400;

/** Draws a document on white paper with a longer side of 400 px. */
const drawn = (text: string | Buffer) =>
  sharp(Buffer.from(text), { density: 300 })
    .resize({ width: SIDE, height: SIDE, fit: 'contain', background: '#FFFFFF' })
    .flatten({ background: '#FFFFFF' })
    .removeAlpha()
    .raw()
    .toBuffer();

/** Share of values that differ by more than a rim with other smoothing. */
function difference(a: Buffer, b: Buffer): number {
  expect(a.length).to.equal(b.length);
  return a.filter((value, at) => Math.abs(value - b[at]!) > 48).length / a.length;
}

/** The picture of a code with nothing but a logo of a tenth of its width. */
async function pictureOf(text: string, format: Format): Promise<Buffer> {
  const image = await sharp(Buffer.from(text)).png().toBuffer();
  const png = withVector(image, vectorOf(text));
  const design = { ...defaultDesign(), level: 'H' as const, size: 410 };
  const { width, height } = vectorOf(text);
  const middle = { width: 80, height: Math.round((80 * height) / width), excavate: true };
  return drawPicture(PAYLOAD, { ...design, middle }, format, { png, width, height });
}

describe('a logo of shapes', () => {
  for (const [name, text] of Object.entries(EXACT)) {
    it(`looks like its SVG: ${name}`, async () => {
      const code = (await pictureOf(text, 'svg')).toString();
      const inner = /<svg x="[^"]*" y="[^"]*" (.*<\/svg>)<\/svg>$/.exec(code)![1]!;
      const nested = `<svg xmlns="http://www.w3.org/2000/svg" ${inner}`;
      expect(difference(await drawn(nested), await drawn(text))).to.be.below(0.004);
    });

    it(`is drawn alike in PDF and EPS: ${name}`, async () => {
      const picture = async (format: Format) => printed(await pictureOf(text, format), format);
      const middle = (drawing: Buffer) =>
        sharp(drawing)
          .flatten({ background: '#FFFFFF' })
          .extract({ left: 165, top: 165, width: 80, height: 80 })
          .removeAlpha()
          .raw()
          .toBuffer();
      const expected = await middle(await picture('svg'));
      for (const format of ['pdf', 'eps'] as const) {
        const drawing = await picture(format);
        // Ghostscript does not smooth clips, and draws 80 points as 80 px.
        expect(difference(await middle(drawing), expected), format).to.be.below(0.1);
        expect(await scan(drawing), format).to.equal(PAYLOAD);
      }
    });
  }

  for (const [name, text] of Object.entries(PIXELS)) {
    it(`stays pixels for an SVG with ${name}`, () => {
      expect(vectorOfSvg(text)).to.equal(undefined);
    });
  }

  it('stays pixels for documents that would take minutes to read', () => {
    const n = 100_000;
    const rect = (attributes: string) => `<rect width="9" height="9" ${attributes}/>`;
    const stops = '<stop/>'.repeat(n / 20);
    const documents = [
      svg(rect(`transform="scale(${' '.repeat(n)}"`)),
      svg(rect(`transform="scale(1)${' '.repeat(n)}x"`)),
      svg(`<style>${'/*a'.repeat(n / 3)}*/rect{}</style>${rect('')}`),
      svg(`<rect width="9" height="9" x="${'1'.repeat(n)}z"/>`),
      svg(
        rect('fill="url(#a)"').repeat(2_000) + `<linearGradient id="a">${stops}</linearGradient>`,
      ),
      svg(`<style>${'.a,'.repeat(3_000)}.a{fill:red}</style>${rect('class="a"').repeat(1_200)}`),
      svg(`<g fill="none" transform="${'scale(1)'.repeat(100)}">${'<line/>'.repeat(20_000)}</g>`),
      svg(rect(''), `viewBox="0 0 9 9" width="${'a'.repeat(n)}1" height="9"`),
    ];
    for (const text of documents) expect(vectorOfSvg(text), text.slice(0, 90)).to.equal(undefined);
  });

  it('keeps no script, handler or reference', async () => {
    const text = svg(
      '<script>alert(1)</script><rect width="64" height="64" onclick="alert(1)" fill="#070"/><metadata><a href="https://example.com"/></metadata>',
      'viewBox="0 0 64 64" onload="alert(1)"',
    );
    const code = (await pictureOf(text, 'svg')).toString();
    expect(code).not.to.match(/script|alert|on(click|load)|example\.com|<image/);
    expect(code).to.contain('fill="#007700"');
  });

  it('is small in EPS, and absent from formats of pixels', async () => {
    const eps = await pictureOf(EXACT['plain gradients']!, 'eps');
    expect(eps.length).to.be.below(100_000);
    expect(eps.toString()).to.contain('shfill').and.to.contain('rectclip');
    expect(eps.toString()).not.to.contain('/ImageType');
    const png = await pictureOf(EXACT['plain gradients']!, 'png');
    expect(vectorIn(png)).to.equal(undefined);
    expect(await scan(png)).to.equal(PAYLOAD);
  });

  it('is not taken from a PNG whose shapes are broken', async () => {
    const png = await sharp(Buffer.from(EXACT['plain gradients']!)).png().toBuffer();
    const shape = { path: 'M0 0L1 1Z', fill: '#000000' };
    const vectors = [
      { path: 'M0 0"/><script>' },
      { ...shape, fill: 'url(https://example.com)' },
      { ...shape, stroke: { color: '#000000', width: 1e9 } },
      { ...shape, fill: { kind: 'linear', x1: 0, y1: 0, x2: 1, y2: '"' } },
      {
        ...shape,
        fill: {
          kind: 'script>alert(1)</script><radial',
          cx: 1,
          cy: 1,
          r: 1,
          stops: [
            { at: 0, color: '#000000' },
            { at: 1, color: '#FFFFFF' },
          ],
        },
      },
      null,
    ].map((one) => ({ width: 1, height: 1, shapes: [one] }) as unknown as Vector);
    for (const vector of vectors) expect(vectorIn(withVector(png, vector))).to.equal(undefined);
    const fine = { width: 1, height: 1, shapes: [shape] };
    expect(vectorIn(withVector(png, fine))).to.deep.equal(fine);
  });
});
