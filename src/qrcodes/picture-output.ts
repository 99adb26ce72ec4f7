import { Refusal } from '../errors.ts';
import { type OutputQuery, parseCmyk } from './picture-schema.ts';
import { parseColor } from './render/color.ts';
import type { Design, Format } from './render/design.ts';
import { cmykOf, type Inks } from './render/ink.ts';
import { type Output, pxOf } from './render/output.ts';
import { isLargeEnough } from './render/scannability.ts';
import { resized, resolveDesign, type StoredDesign } from './render/stored-design.ts';

/** Formats without px, in which a drawing has any size. */
const VECTORS: ReadonlySet<Format> = new Set(['svg', 'pdf', 'eps']);
const PRINT: ReadonlySet<Format> = new Set(['pdf', 'eps']);
/** Maximum width in px; a WebP of more takes a gigabyte of memory. */
const MAX_PX: Partial<Record<Format, number>> = { png: 8_192, jpeg: 8_192, webp: 4_096 };
const DEFAULT_DPI = 300;

/** The requested format, size and properties of an image file. */
export interface Asked extends OutputQuery {
  format: Format;
  size?: number | undefined;
  margin?: number | undefined;
  /** Maximum width in px, if it is below that of the format. */
  maxPx?: number;
}

/** A design in the size of an image, and the properties of its file. */
interface Sized {
  design: Design;
  output: Output;
}

/**
 * Completes a design for an image file. Images with px have the requested width in px; vector
 * images are drawn as large as their modules need, and scaled to the requested width.
 *
 * @param title title of the code
 * @throws Refusal `unprocessable_entity` if the format cannot have the requested properties
 */
export function sizedFor(
  stored: StoredDesign,
  payload: string,
  { format, size, margin, sizeMm, dpi, dimensions, maxPx, ...print }: Asked,
  title?: string | null,
): Sized {
  if (dimensions === false && format !== 'svg') {
    throw new Refusal(
      'unprocessable_entity',
      `dimensions must not be false where the format is ${format}: only svg has it`,
    );
  }
  if (!VECTORS.has(format)) {
    const px = sizeMm === undefined ? size : pxOf(sizeMm, dpi ?? DEFAULT_DPI);
    const most = Math.min(
      maxPx ?? Number.POSITIVE_INFINITY,
      MAX_PX[format] ?? Number.POSITIVE_INFINITY,
    );
    refuseLarge({ format, most, px, mm: sizeMm, dpi: dpi ?? DEFAULT_DPI });
    refusePrint(format, print);
    const design = resolveDesign(resized(stored, px), payload, margin);
    return { design, output: { dpi: dpi ?? (sizeMm === undefined ? undefined : DEFAULT_DPI) } };
  }
  if (!PRINT.has(format)) refusePrint(format, print);
  const asked = size ?? resolveDesign(stored, payload).size;
  const design = large(stored, payload, asked, margin);
  const output: Output = {
    title: title ?? undefined,
    hasNoSize: dimensions === false ? true : undefined,
    width: widthOf(asked, design, { sizeMm, dpi: PRINT.has(format) ? dpi : undefined }),
    inks: inksOf(design, print),
    bleedMm: print.bleed,
    cropMarks: print.cropMarks,
  };
  return { design, output };
}

/** Enlarges a design by whole numbers until each module has enough px to be drawn. */
function large(stored: StoredDesign, payload: string, size: number, margin?: number): Design {
  for (let times = 1; ; times *= 2) {
    const design = resolveDesign(resized(stored, size * times), payload, margin);
    if (isLargeEnough(payload, design)) return design;
  }
}

const POINTS_PER_INCH = 72;

function widthOf(
  asked: number,
  design: Design,
  { sizeMm, dpi }: { sizeMm: number | undefined; dpi: number | undefined },
): Output['width'] {
  if (sizeMm !== undefined) return { value: sizeMm, unit: 'mm' };
  if (dpi !== undefined) return { value: (asked * POINTS_PER_INCH) / dpi, unit: 'px' };
  return design.size === asked ? undefined : { value: asked, unit: 'px' };
}

interface Pixels {
  format: Format;
  px: number | undefined;
  most: number;
  mm: number | undefined;
  dpi: number;
}

function refuseLarge({ format, px, most, mm, dpi }: Pixels): void {
  if (px === undefined || px <= most) return;
  const limit = `where the format is ${format}, whose pictures have at most ${most} px`;
  throw new Refusal(
    'unprocessable_entity',
    mm === undefined
      ? `size must be at most ${most} ${limit}`
      : `sizeMm must be at most ${Math.floor((most * 254) / dpi) / 10} mm at ${dpi} dpi ${limit}`,
  );
}

type Print = Pick<
  OutputQuery,
  'colorSpace' | 'fgCmyk' | 'bgCmyk' | 'fgSpot' | 'bleed' | 'cropMarks'
>;

function refusePrint(format: Format, print: Print): void {
  const field = Object.entries(print).find(
    ([, value]) => value !== undefined && value !== 'rgb' && value !== false && value !== 0,
  )?.[0];
  if (field === undefined) return;
  throw new Refusal(
    'unprocessable_entity',
    `${field} must not be set where the format is ${format}: only pdf and eps have it`,
  );
}

/** The inks of a file in CMYK; `undefined` for one in RGB. */
function inksOf(design: Design, print: Print): Inks | undefined {
  const { colorSpace, fgCmyk, bgCmyk, fgSpot } = print;
  if (colorSpace !== 'cmyk') {
    const field = Object.entries({ fgCmyk, bgCmyk, fgSpot }).find(([, value]) => value)?.[0];
    if (field === undefined) return undefined;
    throw new Refusal('unprocessable_entity', `${field} must be set with colorSpace=cmyk only`);
  }
  const inked = fgCmyk === undefined ? fgSpot && 'fgSpot' : 'fgCmyk';
  if (inked && design.fgGradient) {
    throw new Refusal(
      'unprocessable_entity',
      `${inked} must not be set for a code with fgGradient`,
    );
  }
  if (bgCmyk !== undefined && design.bgGradient) {
    throw new Refusal('unprocessable_entity', 'bgCmyk must not be set for a code with bgGradient');
  }
  const [given] = Object.entries({ fgCmyk, bgCmyk, fgSpot }).find(([, value]) => value) ?? [];
  if (given !== undefined && design.background?.style === 'picture') {
    throw new Refusal(
      'unprocessable_entity',
      `${given} must not be set for a code with backgroundStyle picture, whose colors are converted`,
    );
  }
  const fg = parseColor(design.fgColor);
  const ground = design.bgColor.slice(0, 7);
  return {
    ...(bgCmyk !== undefined && { [ground]: { cmyk: parseCmyk(bgCmyk) } }),
    ...((fgCmyk !== undefined || fgSpot !== undefined) && {
      [design.fgColor.slice(0, 7)]: {
        cmyk: fgCmyk === undefined ? cmykOf(fg) : parseCmyk(fgCmyk),
        spot: fgSpot,
      },
    }),
  };
}
