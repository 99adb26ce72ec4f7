import sharp from 'sharp';
import { type Background, type Design, defaultDesign } from '../../src/qrcodes/render/design.ts';
import { matrixOf } from '../../src/qrcodes/render/design-matrix.ts';
import type { MiddleImage } from '../../src/qrcodes/render/middle-image.ts';
import { minPx, minSize } from '../../src/qrcodes/render/scannability.ts';

/** Pictures as people put behind codes, 600 px a side. */
const PICTURES = {
  landscape: `<defs><linearGradient id="s" x2="0" y2="1"><stop stop-color="#1e6fd0"/><stop offset=".6" stop-color="#ffb36b"/><stop offset="1" stop-color="#ffe3b0"/></linearGradient></defs>
    <rect width="600" height="600" fill="url(#s)"/><circle cx="430" cy="300" r="60" fill="#fff4c0"/>
    <path d="M0 420L140 260 250 370 370 220 600 430V600H0z" fill="#31506b"/><path d="M0 500Q200 380 400 470T600 440V600H0z" fill="#1d5a34"/><path d="M0 560Q200 500 600 570V600H0z" fill="#0b2c17"/>`,
  night: `<rect width="600" height="600" fill="#05060f"/><circle cx="300" cy="300" r="220" fill="#0b1440"/><circle cx="380" cy="200" r="50" fill="#20306e"/><path d="M60 520h70v-160h60v90h80v-220h90v260h60v-130h120v160" fill="#0d0d18"/><path d="M285 250h8v12h-8zM320 290h8v12h-8zM440 380h8v12h-8z" fill="#ffd84a"/>`,
  snow: `<rect width="600" height="600" fill="#fdfdff"/><path d="M0 400Q150 330 300 400T600 380V600H0z" fill="#eef3fb"/><circle cx="200" cy="200" r="90" fill="#f6f8ff"/>`,
  face: `<rect width="600" height="600" fill="#f2c14e"/><circle cx="300" cy="310" r="210" fill="#f6cfa9"/><path d="M90 290Q110 60 300 70T510 290Q430 190 300 190T90 290z" fill="#4a2511"/><circle cx="220" cy="300" r="26" fill="#222"/><circle cx="380" cy="300" r="26" fill="#222"/><path d="M210 410Q300 500 390 410" fill="none" stroke="#a1281f" stroke-width="22"/><path d="M300 320l-20 60h40z" fill="#d99f74"/>`,
  text: `<rect width="600" height="600" fill="#fff"/><path d="M60 120h120v30H90v90h80v30H90v100H60zM230 120h30v220h90v30H230zM400 120h110v30h-80v65h70v30h-70v95h80v30H400zM60 440h480v50H60z" fill="#111"/>`,
  vivid: `<rect width="300" height="300" fill="#e60023"/><rect x="300" width="300" height="300" fill="#0047ff"/><rect y="300" width="300" height="300" fill="#00a13a"/><rect x="300" y="300" width="300" height="300" fill="#ffcc00"/><circle cx="300" cy="300" r="140" fill="#8a00c2"/>`,
  stripes: `<rect width="600" height="600" fill="#fff"/>${Array.from({ length: 15 }, (_, at) => `<rect x="${at * 40}" width="20" height="600"/>`).join('')}`,
} as const;

export type PictureName = keyof typeof PICTURES | 'noise';

/** Names of the pictures. */
export const PICTURE_NAMES = [...Object.keys(PICTURES), 'noise'] as PictureName[];

const SIDE = 600;
const drawn = new Map<PictureName, Promise<MiddleImage>>();

/** Draws a picture; the same one once. */
export function background(name: PictureName): Promise<MiddleImage> {
  const image = drawn.get(name) ?? drawBackground(name);
  drawn.set(name, image);
  return image;
}

async function drawBackground(name: PictureName): Promise<MiddleImage> {
  const size = { width: SIDE, height: SIDE };
  const noise = { type: 'gaussian', mean: 128, sigma: 80 } as const;
  const picture =
    name === 'noise'
      ? sharp({ create: { ...size, channels: 3, background: '#000', noise } })
      : sharp(
          Buffer.from(
            `<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600">${PICTURES[name]}</svg>`,
          ),
        );
  return { png: await picture.png().toBuffer(), ...size };
}

/** Content of the codes in tests. */
export const PAYLOAD = 'https://acme.link/spring-27';

/** Makes the design of a code with a picture, with a number of px a module or the fewest. */
export function design(
  one: Background,
  changes: Partial<Design> = {},
  px = 8,
  payload = PAYLOAD,
): Design {
  const base: Design = { ...defaultDesign(), level: 'H', background: one, ...changes };
  return { ...base, size: minSize(matrixOf(payload, base), base, Math.max(px, minPx(base))) };
}
