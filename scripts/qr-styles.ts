import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { type Design, defaultDesign } from '../src/qrcodes/render/design.ts';
import { draw } from '../src/qrcodes/render/drawing.ts';
import { EYE_BALLS, EYE_FRAMES } from '../src/qrcodes/render/eyes/index.ts';
import { FRAME_NAMES } from '../src/qrcodes/render/frames/names.ts';
import { largestMiddle, type Wanted } from '../src/qrcodes/render/middle.ts';
import { type MiddleImage, sourceOf } from '../src/qrcodes/render/middle-image.ts';
import { NAMED_LOOKS } from '../src/qrcodes/render/named-looks.ts';
import { PATTERN_NAMES } from '../src/qrcodes/render/patterns/index.ts';
import { refuseUnscannable } from '../src/qrcodes/render/scannability.ts';
import { resolveDesign } from '../src/qrcodes/render/stored-design.ts';
import { toSvg } from '../src/qrcodes/render/svg.ts';
import { setLine } from '../src/qrcodes/render/text.ts';

/* Draws docs/qr-styles.png, a sheet of possible designs. Every code on it can be scanned. */

const PAYLOAD = 'https://acme.link/spring';
const WIDTH = 1_600;
const GAP = 24;
const MARGIN = 48;
const CAPTION = 40;

interface Sample {
  caption: string;
  design?: Partial<Design>;
  /** Draws the sample mark in the middle, without the modules behind it. */
  mark?: Wanted;
}

/** Samples in a row. */
const COLUMNS = 9;

const SECTIONS: [title: string, samples: Sample[]][] = [
  ['Patterns', PATTERN_NAMES.map((pattern) => ({ caption: pattern, design: { pattern } }))],
  [
    'Frames and balls of eyes, in any combination',
    EYE_FRAMES.map((frame, index) => ({
      caption: `${frame}/${EYE_BALLS[index]}`,
      design: { pattern: 'rounded', shape: `${frame}/${EYE_BALLS[index]!}` },
    })),
  ],
  [
    'Looks of the designer',
    Object.entries(NAMED_LOOKS).map(([caption, look]) => ({
      caption,
      design: resolveDesign(look, ''),
    })),
  ],
  [
    'Frames',
    FRAME_NAMES.map((frame, index) => ({
      caption: frame,
      design: {
        frame,
        pattern: 'rounded',
        shape: 'extra-rounded',
        frameColor: ['#111827', '#1D4ED8', '#047857', '#B45309'][index % 4]!,
      },
    })),
  ],
  [
    'Images',
    [
      { caption: 'image', mark: {} },
      {
        caption: 'on a plate',
        design: { pattern: 'extra-rounded', shape: 'extra-rounded', fgColor: '#312E81' },
        mark: { plate: { shape: 'rounded', color: '#FFFFFF', rimColor: '#312E81', padding: 12 } },
      },
      {
        caption: 'on a round plate',
        design: { pattern: 'dots', shape: 'leaf/drop', fgColor: '#7F1D1D' },
        mark: { plate: { shape: 'circle', color: '#FEF2F2', rimColor: '#7F1D1D', padding: 10 } },
      },
      {
        caption: 'free space',
        design: { pattern: 'fluid', shape: 'notched', fgColor: '#065F46' },
        mark: { plate: { shape: 'none', color: '#FFFFFF', rimColor: null, padding: 12 } },
      },
      {
        caption: 'framed',
        design: {
          pattern: 'classy-rounded',
          shape: 'leaf',
          frame: 'label-bottom',
          frameText: 'acme.link',
          frameColor: '#312E81',
          fgColor: '#312E81',
          frameTextStyles: { family: 'Nunito', weight: 800, size: null },
        },
        mark: {},
      },
    ],
  ],
];

const MARK =
  '<svg xmlns="http://www.w3.org/2000/svg" width="240" height="240"><rect width="240" height="240" rx="64" fill="#4F46E5"/><path d="M70 170l50-110 50 110M90 132h60" fill="none" stroke="#fff" stroke-width="24" stroke-linecap="round" stroke-linejoin="round"/></svg>';
const mark: MiddleImage = {
  png: await sharp(Buffer.from(MARK)).png().toBuffer(),
  width: 240,
  height: 240,
};

/** Drawn larger than shown, so that modules have whole px. */
const SIZE = 410;

function place(
  sample: Sample,
  x: number,
  y: number,
  side: number,
): { svg: string; height: number } {
  const design: Design = { ...defaultDesign(), ...sample.design, size: SIZE };
  if (sample.mark !== undefined) {
    design.level = 'H';
    const wanted = { ...sample.mark, excavate: true };
    design.middle = { ...largestMiddle(PAYLOAD, design, wanted)!, ...wanted };
  }
  const drawing = draw(PAYLOAD, design, refuseUnscannable(PAYLOAD, design));
  const height = (drawing.height / drawing.width) * side;
  const svg = toSvg(drawing, { image: sample.mark && sourceOf(mark) }).replace(
    /^<svg ([^>]*?) width="\d+" height="\d+"/,
    `<svg $1 x="${x}" y="${y}" width="${side}" height="${height}"`,
  );
  const caption = words(sample.caption, x + side / 2, y + height + 24, 15, 400, 0.5);
  return { svg: svg + caption, height: height + CAPTION };
}

/** @param anchor 0: `x` is the left end; 0.5: the middle */
function words(
  text: string,
  x: number,
  y: number,
  size: number,
  weight: number,
  anchor = 0,
): string {
  const line = setLine(text, { family: 'Inter', weight });
  return `<path d="${line.path(x - line.width * size * anchor, y, size)}" fill="#374151"/>`;
}

let y = MARGIN;
let body = '';
for (const [title, samples] of SECTIONS) {
  body += words(title, MARGIN, y + 24, 26, 700);
  y += 48;
  const side = (WIDTH - 2 * MARGIN - (COLUMNS - 1) * GAP) / COLUMNS;
  for (let at = 0; at < samples.length; at += COLUMNS) {
    const row = samples
      .slice(at, at + COLUMNS)
      .map((sample, index) => place(sample, MARGIN + index * (side + GAP), y, side));
    body += row.map(({ svg }) => svg).join('');
    y += Math.max(...row.map(({ height }) => height)) + GAP / 2;
  }
  y += GAP;
}
const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
const png = await sharp(Buffer.from(sheet), { unlimited: true })
  .png({ palette: true, colours: 256, compressionLevel: 9 })
  .toBuffer();
writeFileSync('docs/qr-styles.png', png);
console.log(`docs/qr-styles.png, ${Math.round(png.length / 1024)} KiB`);
