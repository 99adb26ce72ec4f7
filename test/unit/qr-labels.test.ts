import { expect } from 'chai';
import { type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { FRAMES, layoutFrame } from '../../src/qrcodes/render/frames/index.ts';
import { FRAME_ICONS, FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { drawPicture } from '../../src/qrcodes/render/picture.ts';
import { setLine } from '../../src/qrcodes/render/text.ts';
import { DECODERS, toPixels } from '../support/decoders.ts';

/* Texts and icons in frames. */

const PAYLOAD = 'https://sho.rt/launch26';
const LONG = 'Scan to see the menu of the day and order from your table';
const LABELED = FRAME_NAMES.filter((frame) => FRAMES[frame].hasLabel);
const INTER = { family: 'Inter', weight: 600 };

const design = (changes: Partial<Design>): Design => ({ ...defaultDesign(), ...changes });

/** Bounds of path data, of which every second number is an ordinate. */
function bounds(path: string) {
  const numbers = path.match(/-?[\d.]+/g)!.map(Number);
  const xs = numbers.filter((_, at) => at % 2 === 0);
  const ys = numbers.filter((_, at) => at % 2 === 1);
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const [top, bottom] = [Math.min(...ys), Math.max(...ys)];
  return { left, right, top, bottom, height: bottom - top };
}

/** Bounds of the text of a design, which has a color of its own. */
function textBounds(changes: Partial<Design>) {
  const framed = design({ frameTextColor: '#FEDCBA', ...changes });
  const { height, shapes } = layoutFrame(framed);
  const texts = shapes.filter(({ fill }) => fill === '#FEDCBA');
  return { ...bounds(texts.map(({ path }) => path).join('')), picture: height, shapes: texts };
}

/** Twice the area of a part of a path, positive if it is drawn clockwise; curves by their points. */
function signedArea(part: string): number {
  const numbers = part.match(/-?[\d.]+/g)!.map(Number);
  let sum = 0;
  for (let at = 0; at < numbers.length; at += 2) {
    const next = (at + 2) % numbers.length;
    sum += numbers[at]! * numbers[next + 1]! - numbers[next]! * numbers[at + 1]!;
  }
  return sum;
}

describe('the shapes of a frame', () => {
  it('have no parts that cut a hole where they overlap', () => {
    type Bounds = ReturnType<typeof bounds>;
    const isWithin = (one: Bounds, other: Bounds) =>
      one.left >= other.left &&
      one.right <= other.right &&
      one.top >= other.top &&
      one.bottom <= other.bottom;
    const overlap = (one: Bounds, other: Bounds) =>
      one.left < other.right &&
      one.right > other.left &&
      one.top < other.bottom &&
      one.bottom > other.top;
    for (const frame of FRAME_NAMES) {
      for (const size of [300, 617]) {
        const { shapes } = layoutFrame(design({ frame, size, frameTextColor: '#FEDCBA' }));
        for (const { path, fill } of shapes) {
          if (fill === '#FEDCBA') continue;
          const parts = path.split('Z').filter(Boolean);
          const made = parts.map((part) => ({ area: signedArea(part), box: bounds(part) }));
          for (const [at, one] of made.entries()) {
            for (const other of made.slice(at + 1)) {
              if (one.area > 0 === other.area > 0 || !overlap(one.box, other.box)) continue;
              const isHole = isWithin(one.box, other.box) || isWithin(other.box, one.box);
              expect(isHole, `${frame} at ${size} px: ${parts[at]}`).to.equal(true);
            }
          }
        }
      }
    }
  });
});

describe('the label of a frame', () => {
  for (const frame of LABELED) {
    it(`holds a long text on two lines, an icon and a large size, and is read: ${frame}`, async () => {
      const changes = { frame, frameText: LONG, frameIcon: 'menu' } as const;
      const { left, right, top, bottom, picture } = textBounds(changes);
      expect(left).to.be.at.least(0);
      expect(right).to.be.at.most(512);
      expect(top).to.be.at.least(0);
      expect(bottom).to.be.at.most(picture);
      const large = { ...changes, frameTextStyles: { ...INTER, size: 400 } };
      expect(textBounds(large).right).to.be.at.most(512);
      expect(textBounds(large).bottom).to.be.at.most(picture + 60);
      const pixels = await toPixels(await drawPicture(PAYLOAD, design(large), 'png'));
      for (const [name, decode] of Object.entries(DECODERS)) {
        expect((await decode(pixels))?.toString(), name).to.equal(PAYLOAD);
      }
    });
  }

  it('has two lines where the owner broke the text, and is taller', () => {
    const one = layoutFrame(design({ frame: 'label-bottom', frameText: 'Scan me' }));
    const two = layoutFrame(design({ frame: 'label-bottom', frameText: 'Scan\nme' }));
    expect(two.height).to.be.above(one.height);
    expect(two.code).to.deep.equal(one.code);
  });

  it('sets a long text more than half larger than on one line', () => {
    const line = setLine(LONG, INTER);
    const onOneLine = ((512 * 0.88) / line.width) * line.capHeight;
    const { height } = textBounds({ frame: 'label-bottom', frameText: LONG });
    // Two lines and the space between them, with the descender of the second one.
    expect(height / (1 + 1.62 + 0.3)).to.be.above(onOneLine * 1.5);
  });

  it('leaves a short text on one line', () => {
    const { height } = layoutFrame(design({ frame: 'label-bottom', frameText: 'Scan me now' }));
    expect(height).to.equal(layoutFrame(design({ frame: 'label-bottom' })).height);
  });

  for (const frameIcon of FRAME_ICONS.filter((icon) => icon !== 'none')) {
    it(`has an icon beside its text, as large as the text: ${frameIcon}`, () => {
      const plain = textBounds({ frame: 'label-bottom' });
      const { shapes } = textBounds({ frame: 'label-bottom', frameIcon });
      const icon = bounds(
        shapes
          .slice(1)
          .map(({ path }) => path)
          .join(''),
      );
      const text = bounds(shapes[0]!.path);
      expect(icon.right).to.be.below(text.left);
      expect(icon.height).to.be.within(plain.height * 0.75, plain.height * 1.6);
      expect((icon.top + icon.bottom) / 2).to.be.closeTo((text.top + text.bottom) / 2, 6);
    });
  }

  it('has its icon on the right of a text from right to left', () => {
    const { shapes } = textBounds({ frame: 'ribbon', frameText: 'סרקו', frameIcon: 'cart' });
    expect(bounds(shapes[1]!.path).left).to.be.above(bounds(shapes[0]!.path).right);
  });

  it('points its arrow at the code', () => {
    const tips = (['label-bottom', 'label-top'] as const).map((frame) => {
      const { shapes } = textBounds({ frame, frameIcon: 'arrow' });
      const [shaft, side] = shapes.slice(1).map(({ path }) => bounds(path));
      return side!.bottom < shaft!.bottom ? 'up' : 'down';
    });
    expect(tips).to.deep.equal(['up', 'down']);
  });
});
