import sharp from 'sharp';
import { Refusal } from '../../src/errors.ts';
import { CONTENT_NAMES } from '../../src/qrcodes/content/index.ts';
import {
  type Design,
  defaultDesign,
  FORMATS,
  type Plate,
} from '../../src/qrcodes/render/design.ts';
import { EYE_BALLS, EYE_FRAMES } from '../../src/qrcodes/render/eyes/index.ts';
import { FRAME_NAMES } from '../../src/qrcodes/render/frames/names.ts';
import { LEVELS } from '../../src/qrcodes/render/levels.ts';
import { encodeMatrix } from '../../src/qrcodes/render/matrix.ts';
import { largestMiddle } from '../../src/qrcodes/render/middle.ts';
import type { MiddleImage } from '../../src/qrcodes/render/middle-image.ts';
import { PATTERN_NAMES } from '../../src/qrcodes/render/patterns/index.ts';
import { minSize, refuseUnscannable } from '../../src/qrcodes/render/scannability.ts';
import { payloadOf, shortLink } from './contents.ts';
import { type ImpossiblePair, pairwise, type Row, seeded } from './pairwise.ts';
import type { Scene } from './renderings.ts';

/** Factors and their values; every pair of values of different factors occurs. */
export const FACTORS = {
  type: CONTENT_NAMES,
  kind: ['static', 'dynamic'],
  pattern: PATTERN_NAMES,
  eyeFrame: EYE_FRAMES,
  eyeBall: EYE_BALLS,
  frame: FRAME_NAMES,
  middle: ['none', 'excavated', 'over'],
  level: LEVELS,
  format: FORMATS,
  length: ['short', 'long'],
  colors: ['black on white', 'blue on cream', 'green on nothing', 'linear', 'radial', 'own eyes'],
  plate: ['none', 'rounded', 'circle'],
} as const;

type Factors = typeof FACTORS;
export type Choices = { [Name in keyof Factors]: Factors[Name][number] };

const NAMES = Object.keys(FACTORS) as (keyof Factors)[];

const COLORS: Record<Choices['colors'], Partial<Design>> = {
  'black on white': { fgColor: '#000000', bgColor: '#FFFFFF' },
  'blue on cream': { fgColor: '#1E3A8A', bgColor: '#FFF7E6' },
  'green on nothing': { fgColor: '#14532D', bgColor: 'transparent' },
  linear: {
    fgGradient: {
      type: 'linear',
      angle: 45,
      stops: [
        { color: '#312E81', offset: 0 },
        { color: '#9D174D', offset: 0.6 },
        { color: '#7C2D12', offset: 1 },
      ],
    },
    eyeColor: '#312E81',
  },
  radial: {
    fgGradient: {
      type: 'radial',
      angle: 0,
      stops: [
        { color: '#047857', offset: 0 },
        { color: '#1E3A8A', offset: 1 },
      ],
    },
    bgGradient: {
      type: 'linear',
      angle: 90,
      stops: [
        { color: '#FFFFFF', offset: 0 },
        { color: '#FEF3C7', offset: 1 },
      ],
    },
  },
  'own eyes': {
    fgColor: '#111827',
    eyeColor: '#B91C1C',
    eyeBallColor: '#1D4ED8',
    eyeColors: { topRight: { frame: '#047857' } },
  },
};

/** Seed of the matrix in docs/qr-decode-matrix.md. */
export const SEED = 1;

/** Pixels per module of the rendered pictures. */
const MODULE_PX = 8;

/** A case: its values and the resulting scene. */
export interface Case {
  choices: Choices;
  scene: Omit<Scene, 'image'>;
}

const choicesOf = (row: Row): Choices =>
  Object.fromEntries(NAMES.map((name, index) => [name, FACTORS[name][row[index]!]])) as Choices;

/**
 * Builds the case of some values.
 * @throws Refusal if such a code cannot be scanned
 */
function caseOf(choices: Choices): Case {
  const { kind, type, length, middle, level, format } = choices;
  const payload = kind === 'static' ? payloadOf(type, length) : shortLink(length);
  const base: Design = {
    ...defaultDesign(),
    ...COLORS[choices.colors],
    pattern: choices.pattern,
    shape: `${choices.eyeFrame}/${choices.eyeBall}`,
    frame: choices.frame,
    level,
    raisesLevel: false,
    frameColor: '#7C2D12',
    frameText: length === 'long' ? 'Jetzt scannen – ganz einfach!' : '',
  };
  const size = minSize(
    encodeMatrix(payload, level, { freeMiddle: middle !== 'none' }),
    base,
    MODULE_PX,
  );
  const design: Design = { ...base, size };
  if (middle !== 'none') {
    const plate: Plate | null =
      choices.plate === 'none'
        ? null
        : { shape: choices.plate, color: '#FFFFFF', rimColor: '#E11D48', padding: 10 };
    const excavate = middle === 'excavated';
    const place = largestMiddle(payload, design, { plate, excavate });
    if (place === null) throw new Refusal('unprocessable_entity', `level ${level} bears no image`);
    design.middle = { ...place, excavate, plate };
  }
  refuseUnscannable(payload, design);
  return { choices, scene: { payload, design, format } };
}

/** Builds every case of a seed, and lists the pairs that no code can have. */
export function casesOf(seed: number): { cases: Case[]; impossible: string[] } {
  const fault = (row: Row): string | undefined => {
    try {
      caseOf(choicesOf(row));
      return undefined;
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.message;
      throw thrown;
    }
  };
  const counts = NAMES.map((name) => FACTORS[name].length);
  const { rows, impossible } = pairwise(counts, seeded(seed), fault);
  return {
    cases: rows.map((row) => caseOf(choicesOf(row))),
    impossible: impossible.map(describePair),
  };
}

function describePair({ factors: [a, b], choices: [x, y], why }: ImpossiblePair): string {
  const one = (factor: number, choice: number) =>
    `${NAMES[factor]} ${FACTORS[NAMES[factor]!][choice]}`;
  return `${one(a, x)} with ${one(b, y)}: ${why}`;
}

/** Draws an image for the middle: a mark on a light ground, with a transparent corner. */
export async function sampleImage(): Promise<MiddleImage> {
  const svg =
    '<svg xmlns="http://www.w3.org/2000/svg" width="200" height="200"><circle cx="100" cy="100" r="96" fill="#E11D48"/><path d="M60 104l28 28 56-64" fill="none" stroke="#fff" stroke-width="20"/></svg>';
  return { png: await sharp(Buffer.from(svg)).png().toBuffer(), width: 200, height: 200 };
}
