import { writeFileSync } from 'node:fs';
import sharp from 'sharp';
import { type Design, defaultDesign } from '../src/qrcodes/render/design.ts';
import { draw } from '../src/qrcodes/render/drawing.ts';
import { FRAME_NAMES } from '../src/qrcodes/render/frames/names.ts';
import { largestMiddle } from '../src/qrcodes/render/middle.ts';
import { type MiddleImage, sourceOf } from '../src/qrcodes/render/middle-image.ts';
import { PATTERN_NAMES } from '../src/qrcodes/render/patterns/index.ts';
import { refuseUnscannable } from '../src/qrcodes/render/scannability.ts';
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
  design: Partial<Design>;
  /** Draws the sample mark in the middle. */
  mark?: { excavate: boolean };
}

const SECTIONS: [title: string, samples: Sample[]][] = [
  ['Patterns', PATTERN_NAMES.map((pattern) => ({ caption: pattern, design: { pattern } }))],
  [
    'Eyes',
    (
      [
        'square',
        'rounded',
        'extra-rounded',
        'leaf',
        'octagon',
        'rounded/dot',
        'square/diamond',
        'octagon/dot',
      ] as const
    ).map((shape) => ({ caption: shape, design: { pattern: 'rounded', shape } })),
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
    'Colours and images',
    [
      { caption: '#1D4ED8', design: { fgColor: '#1D4ED8', pattern: 'rounded', shape: 'rounded' } },
      {
        caption: 'on #FEF3C7',
        design: { fgColor: '#78350F', bgColor: '#FEF3C7', pattern: 'dots', shape: 'leaf' },
      },
      {
        caption: 'on #ECFDF5',
        design: { fgColor: '#065F46', bgColor: '#ECFDF5', pattern: 'classy', shape: 'leaf/dot' },
      },
      {
        caption: 'on #FDF2F8',
        design: {
          fgColor: '#9D174D',
          bgColor: '#FDF2F8',
          pattern: 'diamonds',
          shape: 'octagon',
        },
      },
      { caption: 'image', design: { level: 'H' }, mark: { excavate: true } },
      {
        caption: 'image, rounded',
        design: {
          level: 'H',
          pattern: 'extra-rounded',
          shape: 'extra-rounded',
          fgColor: '#312E81',
        },
        mark: { excavate: true },
      },
      {
        caption: 'image, dots',
        design: { level: 'H', pattern: 'dots', shape: 'rounded/dot', fgColor: '#7F1D1D' },
        mark: { excavate: true },
      },
      {
        caption: 'image, framed',
        design: {
          level: 'H',
          pattern: 'classy-rounded',
          shape: 'leaf',
          frame: 'label-bottom',
          frameText: 'acme.link',
          frameColor: '#312E81',
          fgColor: '#312E81',
          frameTextStyles: { family: 'Nunito', weight: 800, size: null },
        },
        mark: { excavate: true },
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
  const design: Design = { ...defaultDesign(), size: SIZE, ...sample.design };
  if (sample.mark !== undefined) {
    design.middle = { ...largestMiddle(PAYLOAD, design)!, ...sample.mark };
  }
  const drawing = draw(PAYLOAD, design, refuseUnscannable(PAYLOAD, design));
  const height = (drawing.height / drawing.width) * side;
  const svg = toSvg(drawing, { image: sample.mark && sourceOf(mark) }).replace(
    /^<svg xmlns="[^"]*" width="\d+" height="\d+"/,
    `<svg x="${x}" y="${y}" width="${side}" height="${height}"`,
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
  const side = (WIDTH - 2 * MARGIN - (samples.length - 1) * GAP) / samples.length;
  const row = samples.map((sample, index) => place(sample, MARGIN + index * (side + GAP), y, side));
  body += row.map(({ svg }) => svg).join('');
  y += Math.max(...row.map(({ height }) => height)) + GAP / 2;
  y += GAP;
}
const sheet = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${y}"><rect width="100%" height="100%" fill="#fff"/>${body}</svg>`;
const png = await sharp(Buffer.from(sheet), { unlimited: true })
  .png({ palette: true, colours: 128, compressionLevel: 9 })
  .toBuffer();
writeFileSync('docs/qr-styles.png', png);
console.log(`docs/qr-styles.png, ${Math.round(png.length / 1024)} KiB`);
