import { readFileSync } from 'node:fs';
import { scanGrayBuffer } from '@undecaf/zbar-wasm';
import { expect } from 'chai';
import sharp from 'sharp';
import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import { type Design, defaultDesign, FORMATS } from '../../src/qrcodes/render/design.ts';
import { draw } from '../../src/qrcodes/render/drawing.ts';
import { EYE_SHAPE_NAMES, type EyeShape } from '../../src/qrcodes/render/eyes/index.ts';
import { FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { encodeMatrix } from '../../src/qrcodes/render/matrix.ts';
import type { MiddleImage } from '../../src/qrcodes/render/middle-image.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { placeModules } from '../../src/qrcodes/render/place.ts';
import { isPlain } from '../../src/qrcodes/render/plain-png.ts';
import { toRaster } from '../../src/qrcodes/render/raster.ts';
import { printed } from '../support/decoders.ts';

const PAYLOAD = 'https://sho.rt/launch26';
/**
 * Gray levels at the centers of modules: dark ones are below the first, light ones above the
 * second.
 */
const DARK = 40;
const LIGHT = 215;

/** Distance by which stars can exceed their modules, in px. */
const SWELL = 3;

const design = (changes: Partial<Design> = {}): Design => ({ ...defaultDesign(), ...changes });

interface Grey {
  data: Buffer;
  width: number;
  height: number;
}

async function grey(picture: Buffer): Promise<Grey> {
  const { data, info } = await sharp(picture)
    .flatten({ background: '#FFFFFF' })
    .greyscale()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

async function rgbaOf(picture: Buffer) {
  const { data, info } = await sharp(picture)
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height };
}

const rgba = (picture: Buffer) => sharp(picture).ensureAlpha().raw().toBuffer();

/** Decodes a picture with two independent decoders; `undefined` stands for nothing found. */
async function decode(
  picture: Buffer,
): Promise<[zxing: string | undefined, zbar: string | undefined]> {
  const { data, width, height } = await grey(picture);
  const [zxing] = await readBarcodes(await sharp(picture).png().toBuffer(), {
    formats: ['QRCode'],
  });
  const [zbar] = await scanGrayBuffer(Uint8Array.from(data).buffer, width, height);
  return [zxing?.text, zbar?.decode()];
}

/** Draws a red disc with a transparent surrounding. */
async function disc(side: number): Promise<MiddleImage> {
  const half = side / 2;
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><circle cx="${half}" cy="${half}" r="${half}" fill="#D00"/></svg>`;
  return { png: await sharp(Buffer.from(svg)).png().toBuffer(), width: side, height: side };
}

describe('drawing of QR codes', () => {
  before(() => {
    // By default, the reader downloads its WebAssembly module.
    const wasm = readFileSync('node_modules/zxing-wasm/dist/reader/zxing_reader.wasm');
    prepareZXingModule({ overrides: { wasmBinary: Uint8Array.from(wasm).buffer } });
  });

  describe('size', () => {
    for (const size of [100, 333, 512, 1001]) {
      for (const format of ['png', 'jpeg', 'webp'] as const) {
        it(`is ${size} px in ${format}`, async () => {
          for (const pattern of ['squares', 'rounded'] as const) {
            const picture = await drawPicture(PAYLOAD, design({ size, pattern }), format);
            const { width, height } = await sharp(picture).metadata();
            expect([width, height]).to.deep.equal([size, size]);
          }
        });
      }
    }

    it('is written into the SVG', async () => {
      const svg = String(await drawPicture(PAYLOAD, design({ size: 333 }), 'svg'));
      expect(svg).to.match(/^<svg [^>]*width="333" height="333" viewBox="0 0 333 333"/);
    });
  });

  describe('modules', () => {
    const size = 337;
    const { size: modules } = encodeMatrix(PAYLOAD, 'M');
    const { code, modulePx } = draw(PAYLOAD, design({ size }));
    const { x0, y0, px } = placeModules(code, modules, 4);

    it('are whole px wide, and the remainder belongs to the quiet zone', () => {
      expect(px).to.equal(Math.floor(size / (modules + 8)));
      expect(modulePx).to.equal(px);
      expect([x0, y0].every(Number.isInteger)).to.equal(true);
      expect(size - 2 * x0 - modules * px).to.be.within(0, 1);
    });

    it('have sharp edges', async () => {
      const matrix = encodeMatrix(PAYLOAD, 'M');
      const { data } = await grey(await toRaster(draw(PAYLOAD, design({ size })), 'png'));
      const wrong = data.findIndex((value, at) => {
        const column = Math.floor(((at % size) - x0) / px);
        const row = Math.floor((Math.floor(at / size) - y0) / px);
        const inside = row >= 0 && row < modules && column >= 0 && column < modules;
        return value !== (inside && matrix.isDark(row, column) ? 0 : 255);
      });
      expect(wrong).to.equal(-1);
    });

    for (const pattern of PATTERN_NAMES) {
      it(`leave the quiet zone empty and contain their centres: ${pattern}`, async () => {
        const matrix = encodeMatrix(PAYLOAD, 'M');
        for (const shape of ['extra-rounded', 'leaf'] satisfies EyeShape[]) {
          const drawing = draw(PAYLOAD, design({ size, pattern, shape }));
          const { data } = await grey(await toRaster(drawing, 'png'));
          const at = (x: number, y: number) => data[y * size + x] ?? Number.NaN;
          const stained = data.findIndex((value, index) => {
            const x = index % size;
            const y = Math.floor(index / size);
            return !isWithin(x, y, grow({ x0, y0, side: modules * px }, SWELL)) && value !== 255;
          });
          expect(stained, shape).to.equal(-1);
          for (let row = 0; row < modules; row += 1) {
            for (let column = 0; column < modules; column += 1) {
              const value = at(x0 + column * px + (px >> 1), y0 + row * px + (px >> 1));
              if (isEyeCorner(row, column, modules)) continue;
              if (matrix.isDark(row, column)) expect(value, `${row}, ${column}`).to.be.below(DARK);
              else expect(value, `${row}, ${column}`).to.be.above(LIGHT);
            }
          }
        }
      });
    }

    for (const pattern of ['rounded', 'extra-rounded', 'classy', 'fluid'] as const) {
      it(`have no seams between them: ${pattern}`, async () => {
        const matrix = encodeMatrix(PAYLOAD, 'M');
        const { data } = await grey(
          await toRaster(draw(PAYLOAD, design({ size, pattern })), 'png'),
        );
        let blocks = 0;
        for (let row = 8; row < modules - 9; row += 1) {
          for (let column = 8; column < modules - 9; column += 1) {
            const dark = [0, 1].every((i) =>
              [0, 1].every((j) => matrix.isDark(row + i, column + j)),
            );
            if (!dark) continue;
            blocks += 1;
            for (let i = px >> 1; i < px + (px >> 1); i += 1) {
              for (let j = px >> 1; j < px + (px >> 1); j += 1) {
                expect(data[(y0 + row * px + i) * size + x0 + column * px + j]).to.equal(0);
              }
            }
          }
        }
        expect(blocks).to.be.above(5);
      });
    }
  });

  describe('frames', () => {
    for (const frame of FRAME_NAMES) {
      it(`leave whole px to the modules, and the quiet zone empty: ${frame}`, async () => {
        for (const size of [200, 333, 512]) {
          const drawing = draw(
            PAYLOAD,
            design({ size, frame, pattern: 'dots', shape: 'extra-rounded' }),
          );
          const { size: modules } = encodeMatrix(PAYLOAD, 'M');
          const { x0, y0, px } = placeModules(drawing.code, modules, 4);
          expect([x0, y0].every(Number.isInteger), `${size} px`).to.equal(true);
          const { data, width, height } = await grey(await toRaster(drawing, 'png'));
          expect([width, height]).to.deep.equal([size, drawing.height]);
          const stained = data.findIndex((value, index) => {
            const [x, y] = [index % width, Math.floor(index / width)];
            const box = { x0, y0, side: modules * px };
            // Dots of the modules around a disc's code swell as well, by less than a px here.
            const outside = 4 * px - (frame === 'disc' ? 1 : 0);
            const inQuietZone =
              isWithin(x, y, grow(box, outside)) && !isWithin(x, y, grow(box, SWELL));
            return inQuietZone && value !== 255;
          });
          expect(stained, `${size} px`).to.equal(-1);
        }
      });

      it(`do not prevent decoding: ${frame}`, async () => {
        const picture = await drawPicture(PAYLOAD, design({ frame, pattern: 'rounded' }), 'png');
        expect(await decode(picture)).to.deep.equal([PAYLOAD, PAYLOAD]);
      });
    }
  });

  describe('the area outside a frame', () => {
    const CORNERS = ['rounded', 'label-bottom', 'label-top', 'card', 'bubble', 'tag'] as const;
    const corner = async (picture: Buffer) => [
      ...(await sharp(picture).ensureAlpha().raw().toBuffer()).subarray(0, 4),
    ];

    for (const frame of CORNERS) {
      it(`is transparent in formats with transparency: ${frame}`, async () => {
        const framed = design({ frame, bgColor: '#FFEE00', frameColor: '#7C2D12' });
        for (const format of ['png', 'webp', 'svg'] as const) {
          expect((await corner(await drawPicture(PAYLOAD, framed, format)))[3], format).to.equal(0);
        }
        expect(await corner(await drawPicture(PAYLOAD, framed, 'jpeg'))).to.deep.equal([
          255, 255, 255, 255,
        ]);
        for (const format of ['pdf', 'eps'] as const) {
          const pages = await printed(await drawPicture(PAYLOAD, framed, format), format);
          expect(await corner(pages), format).to.deep.equal([255, 255, 255, 255]);
        }
        // The background shows no rim around the frame.
        const { data, width } = await rgbaOf(await drawPicture(PAYLOAD, framed, 'png'));
        for (let x = 0; x < width; x += 1) {
          const [r = 0, g = 0, , a = 0] = data.subarray((3 * width + x) * 4);
          if (a > 0 && a < 255) expect(g / Math.max(1, r), `${x} px`).to.be.below(0.6);
        }
      });
    }

    it('is transparent beside the notches of a ribbon', async () => {
      const { data, width, height } = await rgbaOf(
        await drawPicture(PAYLOAD, design({ frame: 'ribbon', bgColor: '#FFEE00' }), 'png'),
      );
      const middle = Math.round((512 + height) / 2);
      expect(data[(middle * width + 2) * 4 + 3]).to.equal(0);
      expect(data[3]).to.equal(255);
    });
  });

  describe('a translucent background', () => {
    it('is blended with white once, in every format', async () => {
      const half = design({ bgColor: '#FF000080', pattern: 'rounded' });
      for (const format of FORMATS) {
        const page = await printed(await drawPicture(PAYLOAD, half, format), format);
        const { data } = await sharp(page)
          .flatten({ background: '#FFFFFF' })
          .raw()
          .toBuffer({ resolveWithObject: true });
        for (const [index, value] of [255, 127, 127].entries()) {
          expect(data[(5 * 512 + 5) * 3 + index], `${format} ${index}`).to.be.within(
            value - 2,
            value + 2,
          );
        }
      }
    });

    it('is drawn under an image of an EPS too', async () => {
      const middle = { width: 90, height: 90, excavate: true };
      const half = design({ bgColor: '#FF000080', level: 'H', middle });
      const page = await printed(await drawPicture(PAYLOAD, half, 'eps', await disc(300)), 'eps');
      const { data } = await rgbaOf(page);
      expect(data[(213 * 512 + 213) * 4 + 1]).to.be.within(125, 129);
    });
  });

  describe('plain PNG', () => {
    for (const [name, changes] of Object.entries({
      'black on white': {},
      coloured: { fgColor: '#1A3E78', bgColor: '#FFEEDD', size: 301 },
      'on nothing': { bgColor: 'transparent', size: 299 },
      'on half of nothing': { bgColor: '#FF000080', size: 120 },
      'with a wide quiet zone': { margin: 10, level: 'H' },
    } satisfies Record<string, Partial<Design>>)) {
      it(`equals the PNG of sharp: ${name}`, async () => {
        const plain = design(changes);
        expect(isPlain(plain)).to.equal(true);
        const own = await rgba(await drawPicture(PAYLOAD, plain, 'png'));
        const other = await rgba(await toRaster(draw(PAYLOAD, plain), 'png'));
        const differs = other.findIndex((value, at) => {
          // Colors of transparent pixels can differ, and colors of translucent pixels are rounded.
          const alpha = other[at | 3] ?? 0;
          if (alpha === 0 && at % 4 < 3) return false;
          return Math.abs(value - (own[at] ?? -1)) > (alpha === 255 ? 0 : 1);
        });
        expect(own.length).to.equal(other.length);
        expect(differs).to.equal(-1);
      });
    }

    it('is small', async () => {
      expect((await drawPicture(PAYLOAD, design({ size: 1024 }), 'png')).length).to.be.below(1_500);
    });

    it('is used only for squares of two colours', () => {
      const others: Partial<Design>[] = [
        { pattern: 'dots' },
        { shape: 'leaf' },
        { frame: 'line' },
        { eyeColor: '#102030' },
        { eyeColors: { topLeft: { ball: '#102030' } } },
        { bgGradient: { type: 'radial', angle: 0, stops: [] } },
        { middle: { width: 40, height: 40, excavate: true } },
      ];
      for (const changes of others) expect(isPlain(design(changes))).to.equal(false);
    });
  });

  describe('an image in the centre', () => {
    const middle = { width: 90, height: 90, excavate: true };

    it('is drawn over the centre of the code, without the modules behind it', async () => {
      const image = await disc(300);
      const drawing = draw(PAYLOAD, design({ level: 'H', middle }));
      expect(drawing.image).to.deep.equal({ x: 211, y: 211, width: 90, height: 90 });
      const data = await rgba(await toRaster(drawing, 'png', image));
      const at = (x: number, y: number) => [
        ...data.subarray((y * 512 + x) * 4, (y * 512 + x) * 4 + 3),
      ];
      expect(at(256, 256)).to.deep.equal([0xdd, 0, 0]);
      expect(at(213, 213)).to.deep.equal([255, 255, 255]);
    });

    it('is drawn over the modules when they are kept', () => {
      const kept = { ...middle, excavate: false };
      const modules = (of: Partial<Design>) => draw(PAYLOAD, design({ level: 'H', ...of })).shapes;
      expect(modules({ middle: kept })).to.deep.equal(modules({ middle: null }));
      expect(modules({ middle })).to.not.deep.equal(modules({ middle: null }));
    });

    it('can be decoded', async () => {
      const picture = await drawPicture(
        PAYLOAD,
        design({ level: 'H', middle, pattern: 'dots', shape: 'extra-rounded' }),
        'png',
        await disc(300),
      );
      expect(await decode(picture)).to.deep.equal([PAYLOAD, PAYLOAD]);
    });
  });

  describe('decoders', () => {
    for (const pattern of PATTERN_NAMES) {
      for (const shape of EYE_SHAPE_NAMES.filter((name) => !name.includes('/'))) {
        it(`read ${pattern} with ${shape} eyes`, async () => {
          for (const size of [180, 512]) {
            const picture = await drawPicture(PAYLOAD, design({ pattern, shape, size }), 'png');
            expect(await decode(picture), `${size} px`).to.deep.equal([PAYLOAD, PAYLOAD]);
          }
        });
      }
    }

    it('read every eye shape', async () => {
      for (const shape of EYE_SHAPE_NAMES) {
        for (const size of [180, 300, 450]) {
          const picture = await drawPicture(PAYLOAD, design({ shape, size }), 'png');
          expect(await decode(picture), `${shape}, ${size} px`).to.deep.equal([PAYLOAD, PAYLOAD]);
        }
      }
    });

    it('read colours, also as JPEG on white', async () => {
      const changes: Partial<Design> = {
        fgColor: '#7A1F5C',
        bgColor: 'transparent',
        pattern: 'classy',
      };
      for (const format of ['png', 'jpeg', 'webp'] as const) {
        const picture = await drawPicture(PAYLOAD, design(changes), format);
        expect(await decode(picture), format).to.deep.equal([PAYLOAD, PAYLOAD]);
      }
    });
  });
});

interface Square {
  x0: number;
  y0: number;
  side: number;
}

const grow = ({ x0, y0, side }: Square, by: number): Square => ({
  x0: x0 - by,
  y0: y0 - by,
  side: side + 2 * by,
});

const isWithin = (x: number, y: number, { x0, y0, side }: Square): boolean =>
  x >= x0 && x < x0 + side && y >= y0 && y < y0 + side;

/**
 * Returns true for a module of an eye off its middle row and column, which round eyes draw
 * differently from the code.
 */
function isEyeCorner(row: number, column: number, size: number): boolean {
  const within = (at: number) => (at < 7 ? at : at >= size - 7 ? at - size + 7 : -1);
  const [i, j] = [within(row), within(column)];
  return i >= 0 && j >= 0 && i !== 3 && j !== 3;
}
