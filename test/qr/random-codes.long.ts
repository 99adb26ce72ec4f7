import { expect } from 'chai';
import { Refusal } from '../../src/errors.ts';
import { CONTENT_NAMES } from '../../src/qrcodes/content/index.ts';
import {
  BACKGROUND_STRENGTHS,
  BACKGROUND_STYLES,
  type Design,
  defaultDesign,
  FORMATS,
  type Plate,
} from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import { EYE_BALLS, EYE_FRAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { FRAME_ICONS, FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { LEVELS } from '../../src/qrcodes/render/levels.ts';
import { largestMiddle } from '../../src/qrcodes/render/middle.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import {
  minPx,
  minSize,
  refuseUnscannable,
  warningsOf,
} from '../../src/qrcodes/render/scannability.ts';
import { CLEAN_DECODERS, DECODERS, toPixels } from '../support/decoders.ts';
import { background, PICTURE_NAMES, type PictureName } from './backgrounds.ts';
import { sampleImage } from './cases.ts';
import { payloadOf, shortLink } from './contents.ts';
import { seeded } from './pairwise.ts';
import { make } from './renderings.ts';

/** Number of codes; `QR_CODES=1000` reads as many as a release does. */
const CODES = Number(process.env['QR_CODES'] ?? 20);

/** Chance of a property that most codes do not have. */
const RARE = 0.25;

const COLORS = ['#000000', '#1E3A8A', '#14532D', '#7F1D1D', '#312E81', '#0F172A'];
const GROUNDS = ['#FFFFFF', '#FFF7E6', '#ECFDF5', 'transparent'];
const TEXTS = [
  '',
  'Go',
  'Order\nhere',
  'Jetzt scannen – ganz einfach!',
  'امسح الرمز',
  '扫描查看菜单',
];

interface RandomCode {
  payload: string;
  design: Design;
  format: (typeof FORMATS)[number];
  picture: PictureName | undefined;
}

/** Draws lots for the properties of a code. */
class Lots {
  readonly #random: () => number;

  constructor(random: () => number) {
    this.#random = random;
  }

  pick<T>(all: readonly T[]): T {
    return all[Math.floor(this.#random() * all.length)]!;
  }

  isRare(): boolean {
    return this.#random() < RARE;
  }

  between(least: number, most: number): number {
    return least + Math.floor(this.#random() * (most - least + 1));
  }
}

const gradient = (lots: Lots, colors: readonly string[]): Design['fgGradient'] => ({
  type: lots.pick(['linear', 'radial']),
  angle: lots.between(0, 359),
  stops: [
    { color: lots.pick(colors), offset: 0 },
    { color: lots.pick(colors), offset: 1 },
  ],
});

/** Names the properties of a code that decide how it is read. */
const inWords = ({ design, format, picture, payload }: RandomCode): string => {
  const {
    pattern,
    shape,
    frame,
    fgColor,
    bgColor,
    level,
    size,
    middle,
    background: behind,
  } = design;
  const image = middle && { ...middle, plate: middle.plate?.shape };
  return JSON.stringify({
    payload: payload.slice(0, 40),
    length: payload.length,
    format,
    picture,
    behind,
    pattern,
    shape,
    frame,
    fgColor,
    bgColor,
    level,
    size,
    image,
  });
};

/** @throws Refusal for a code that the service refuses */
function randomCode(lots: Lots): RandomCode {
  const type = lots.pick(CONTENT_NAMES);
  const length = lots.pick(['short', 'long'] as const);
  const isStatic = lots.pick([true, false]);
  const payload = isStatic ? payloadOf(type, length) : shortLink(length);
  const picture = lots.isRare() ? lots.pick(PICTURE_NAMES) : undefined;
  const style = lots.pick(BACKGROUND_STYLES);
  const base: Design = {
    ...defaultDesign(),
    level: lots.pick(LEVELS),
    raisesLevel: lots.pick([true, false]),
    pattern: lots.pick(PATTERN_NAMES),
    shape: `${lots.pick(EYE_FRAMES)}/${lots.pick(EYE_BALLS)}`,
    fgColor: lots.pick(COLORS),
    bgColor: lots.pick(GROUNDS),
    ...(lots.isRare() && { fgGradient: gradient(lots, COLORS) }),
    ...(lots.isRare() && { bgGradient: gradient(lots, ['#FFFFFF', '#FEF3C7', '#E0F2FE']) }),
    ...(lots.isRare() && { eyeColor: lots.pick(COLORS), eyeBallColor: lots.pick(COLORS) }),
    ...(lots.isRare() && { eyeGradient: gradient(lots, COLORS) }),
    frame: lots.pick(FRAME_NAMES),
    frameColor: lots.pick(COLORS),
    frameText: lots.pick(TEXTS),
    frameIcon: lots.pick(FRAME_ICONS),
    hasSwissCross: isStatic && type === 'swissqr' && lots.pick([true, false]),
    ...(picture !== undefined && {
      background: { style, strength: lots.pick(BACKGROUND_STRENGTHS) },
    }),
  };
  const hasImage = !base.hasSwissCross && lots.isRare();
  const px = Math.max(minPx(base), lots.between(5, 12));
  const design: Design = { ...base, size: minSize(matrixOf(payload, base, hasImage), base, px) };
  if (hasImage) {
    const shape = lots.pick(['none', 'rounded', 'circle'] as const);
    const plate: Plate | null = lots.isRare()
      ? null
      : { shape, color: '#FFFFFF', rimColor: lots.pick([null, '#E11D48']), padding: 10 };
    const wanted = { plate, excavate: lots.pick([true, false]) };
    const place = largestMiddle(payload, design, wanted);
    if (place === null) throw new Refusal('unprocessable_entity', 'No image fits.');
    design.middle = { ...place, ...wanted };
  }
  refuseUnscannable(payload, design);
  return { payload, design, format: lots.pick(FORMATS), picture };
}

/** Draws a random code; `undefined` for one that the service refuses. */
function anyCode(lots: Lots): RandomCode | undefined {
  try {
    return randomCode(lots);
  } catch (thrown) {
    if (thrown instanceof Refusal) return undefined;
    throw thrown;
  }
}

async function madeOf({ payload, design, format, picture }: RandomCode): Promise<Buffer> {
  const image = design.middle === null ? undefined : await sampleImage();
  const behind = picture === undefined ? undefined : await background(picture);
  return make({ payload, design, format, image, background: behind });
}

describe('random codes', function () {
  this.timeout(0);

  // jsQR searches for eyes in a simpler way, and does not find some codes of each style.
  it('are read clean by ZBar and ZXing, and misread by no decoder', async () => {
    const seed = Number(process.env['QR_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
    console.log(`      QR_SEED=${seed} QR_CODES=${CODES}`);
    // Each Ghostscript adds listeners to the process.
    process.setMaxListeners(0);
    const lots = new Lots(seeded(seed));
    const failures: string[] = [];
    const missed: string[] = [];
    const counts = { refused: 0, warned: 0, missedAndWarned: 0 };
    for (let n = 0; n < CODES; ) {
      const code = anyCode(lots);
      if (code === undefined) {
        counts.refused += 1;
        continue;
      }
      n += 1;
      const { payload, design } = code;
      const isWarned = warningsOf(design).length > 0;
      if (isWarned) counts.warned += 1;
      const pixels = await toPixels(await madeOf(code));
      for (const [decoder, decode] of Object.entries(CLEAN_DECODERS)) {
        const got = (await decode(pixels))?.toString();
        if (got === payload) continue;
        const words = `${decoder}, code ${n}, ${got ?? 'nothing found'}: ${inWords(code)}`;
        if (got !== undefined || decoder in DECODERS) failures.push(words);
        else if (isWarned) counts.missedAndWarned += 1;
        else missed.push(words);
      }
    }
    console.log(`      ${JSON.stringify(counts)}, missed by jsQR without warnings:`, missed);
    expect(failures, `QR_SEED=${seed}`).to.deep.equal([]);
    expect(counts.refused).to.be.lessThan(CODES);
  });
});
