import { inflateSync } from 'node:zlib';
import { expect } from 'chai';
import { defaultDesign } from '../../src/qrcodes/render/design.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { toEps } from '../../src/qrcodes/render/eps.ts';
import type { Output } from '../../src/qrcodes/render/output.ts';
import { toPdf } from '../../src/qrcodes/render/print.ts';
import { sampleImage } from '../qr/cases.ts';
import { printed, scan } from '../support/decoders.ts';

const PAYLOAD = 'https://acme.link/spring-2027';
const blue = { fgColor: '#1A4FB0', bgColor: '#FFFFFF' };

/** The operators of the page of a PDF. */
function contentOf(pdf: Buffer): string {
  const start = pdf.lastIndexOf('stream\n', pdf.lastIndexOf('endstream') - 1) + 'stream\n'.length;
  return inflateSync(pdf.subarray(start)).toString();
}

const drawn = (design = {}) => draw(PAYLOAD, { ...defaultDesign(), ...design });

describe('files for print', () => {
  const GREYS = { frame: 'label-bottom' as const, frameColor: '#333333' };

  it('have black and greys in black ink alone', async () => {
    const drawing = drawn(GREYS);
    const content = contentOf(await toPdf(drawing));
    expect(content).to.match(/ 0 g\n/);
    expect(content).to.match(/ 0.2 g\n/);
    expect(content).not.to.match(/ (rg|k)\n/);
    const eps = (await toEps(drawing)).toString();
    expect(eps).to.match(/^0.2 setgray$/m);
    expect(eps).not.to.contain('setrgbcolor\n');
  });

  it('have the given inks in CMYK, and a spot color with them as its alternate', async () => {
    const output: Output = { inks: { '#1A4FB0': { cmyk: [1, 0.72, 0, 0.06] } } };
    expect(contentOf(await toPdf(drawn(blue), undefined, output))).to.contain('1 0.72 0 0.06 k');
    expect(String(await toEps(drawn(blue), undefined, output))).to.contain(
      '1 0.72 0 0.06 setcmykcolor',
    );
    const spot: Output = {
      inks: { '#1A4FB0': { cmyk: [1, 0.72, 0, 0.06], spot: 'PANTONE 286 (C)' } },
    };
    const pdf = await toPdf(drawn(blue), undefined, spot);
    expect(pdf.toString('latin1')).to.contain(
      '[/Separation /PANTONE#20286#20#28C#29 /DeviceCMYK << /FunctionType 2 /Domain [0 1] /C0 [0 0 0 0] /C1 [1 0.72 0 0.06] /N 1 >>]',
    );
    const eps = await toEps(drawn(blue), undefined, spot);
    expect(eps.toString()).to.contain('[/Separation (PANTONE 286 \\(C\\)) /DeviceCMYK {');
    expect(await scan(await printed(pdf, 'pdf'))).to.equal(PAYLOAD);
    expect(await scan(await printed(eps, 'eps'))).to.equal(PAYLOAD);
  });

  it('have a bleed and crop marks around the trimmed page', async () => {
    const output: Output = { width: { value: 40, unit: 'mm' }, bleedMm: 3, cropMarks: true };
    const pdf = await toPdf(drawn({ bgColor: '#FFF7E6' }), undefined, output);
    const boxes = pdf.toString('latin1');
    expect(boxes).to.contain('/MediaBox [0 0 160.394 160.394]');
    expect(boxes).to.contain('/TrimBox [23.504 23.504 136.89 136.89]');
    expect(boxes).to.contain('/BleedBox [15 15 145.394 145.394]');
    expect(contentOf(pdf)).to.contain('1 0.969 0.902 rg\n15 15 m');
    const eps = await toEps(drawn(), undefined, output);
    expect(eps.toString()).to.contain('%%BoundingBox: 0 0 161 161');
  });

  it('have an image that is compressed, and decoded', async () => {
    const image = await sampleImage();
    const middle = { width: 80, height: 80, excavate: true };
    const drawing = drawn({ level: 'H', middle });
    for (const inks of [undefined, {}]) {
      const eps = await toEps(drawing, image, { inks });
      expect(eps.length).to.be.below(100_000);
      expect(await scan(await printed(eps, 'eps'))).to.equal(PAYLOAD);
      const pdf = await toPdf(drawing, image, { inks });
      expect(await scan(await printed(pdf, 'pdf'))).to.equal(PAYLOAD);
    }
  });
});
