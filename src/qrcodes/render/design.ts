import type { Eye, EyeShape } from './eyes/index.ts';
import type { Frame, FrameIcon } from './frames/names.ts';
import type { Letters } from './letters.ts';
import type { Level } from './levels.ts';
import { type Pattern } from './patterns/index.ts';

/** Image formats; the last two are for print. */
export const FORMATS = ['svg', 'png', 'jpeg', 'webp', 'pdf', 'eps'] as const;
export type Format = (typeof FORMATS)[number];

/** Values of the header `Content-Type`. */
export const MEDIA_TYPES: Record<Format, string> = {
  svg: 'image/svg+xml',
  png: 'image/png',
  jpeg: 'image/jpeg',
  webp: 'image/webp',
  pdf: 'application/pdf',
  eps: 'application/postscript',
};

/** File extensions. */
export const FILE_ENDINGS: Record<Format, string> = {
  svg: 'svg',
  png: 'png',
  jpeg: 'jpg',
  webp: 'webp',
  pdf: 'pdf',
  eps: 'eps',
};

/** A gradient over an area of a code. */
export interface DesignGradient {
  type: 'linear' | 'radial';
  /** Direction of a linear one in degrees, clockwise: 0 from left to right. */
  angle: number;
  /** Two to five; offsets ascend from 0 to 1, colors are `#RRGGBB`. */
  stops: { color: string; offset: number }[];
}

/** Colors `#RRGGBB` of the frame and the ball of each eye; absent ones are those of all eyes. */
export type EyeColors = Partial<Record<Eye, { frame?: string; ball?: string }>>;

/** Styles of a picture behind a code. */
export const BACKGROUND_STYLES = ['picture', 'halftone'] as const;
/** Visibility of the picture; the more it is visible, the lower is the contrast of the code. */
export const BACKGROUND_STRENGTHS = ['light', 'medium', 'strong'] as const;

/** A picture behind a code, or in the form of its modules. */
export interface Background {
  style: (typeof BACKGROUND_STYLES)[number];
  strength: (typeof BACKGROUND_STRENGTHS)[number];
}

/** Everything that decides how a code looks. */
export interface Design {
  /** Width of the image in px (points in PDF and EPS), which is also its height without a frame. */
  size: number;
  level: Level;
  /** Takes the highest level that fits the same version. */
  raisesLevel: boolean;
  /** Quiet zone in modules, at least 4 (ISO/IEC 18004, 6.3.8). */
  margin: number;
  /** `#RRGGBB` or `#RRGGBBAA`. */
  fgColor: string;
  /** `#RRGGBB`, `#RRGGBBAA` or `transparent`. */
  bgColor: string;
  /** Color `#RRGGBB` of the code's square with its quiet zone; `null`: that of the background. */
  quietZoneColor: string | null;
  /** Gradient of the modules and eyes, in place of `fgColor`. */
  fgGradient: DesignGradient | null;
  /** Gradient of the background, in place of `bgColor`. */
  bgGradient: DesignGradient | null;
  /** Color `#RRGGBB` of the eyes; `null`: that of the modules. */
  eyeColor: string | null;
  /** Color `#RRGGBB` of the balls in the eyes; `null`: that of the eyes. */
  eyeBallColor: string | null;
  /** Colors of single eyes, which take precedence. */
  eyeColors: EyeColors | null;
  /** Gradient of each eye, over which its colors take precedence. */
  eyeGradient: DesignGradient | null;
  pattern: Pattern;
  shape: EyeShape;
  frame: Frame;
  /** Color `#RRGGBB`. */
  frameColor: string;
  /** Text of frames with a label, of one or two lines; empty: the frame's default. */
  frameText: string;
  /** Icon beside the text; absent: none. */
  frameIcon?: FrameIcon | undefined;
  /** Color `#RRGGBB`. */
  frameTextColor: string;
  frameTextStyles: FrameTextStyles;
  /** Position of the image in the middle, in px of the picture; `null` without an image. */
  middle: Middle | null;
  /** Draws the Swiss cross of a QR-bill in the middle. */
  hasSwissCross: boolean;
  /** Absent without a picture. */
  background?: Background | undefined;
}

export interface FrameTextStyles {
  /** Name of a family, or id of a font of the workspace. */
  family: string;
  /** Weight from 100 to 900; the nearest available weight is used. */
  weight: number;
  /** Font size in px of the picture; `null`: as large as fits. */
  size: number | null;
  /** The letters of the text, if the family is a font of the workspace. */
  letters?: Letters | undefined;
}

export interface Middle {
  width: number;
  height: number;
  /** Clears the modules behind the image. */
  excavate: boolean;
  /** The plate behind the image; absent or `null`: none. */
  plate?: Plate | null | undefined;
  /** Least version of the code, which grows for the image; absent: the smallest that fits. */
  minVersion?: number | undefined;
}

/** Shapes of the plate behind an image; `none` keeps its area free. */
export const PLATE_SHAPES = ['none', 'square', 'rounded', 'circle'] as const;

/** A plate behind the image in the middle. */
export interface Plate {
  shape: (typeof PLATE_SHAPES)[number];
  /** Colors `#RRGGBB`; `null`: no rim. */
  color: string;
  rimColor: string | null;
  /** Distance of its edge from the image, in percent of the image's longer side. */
  padding: number;
}

/** The default design. */
export function defaultDesign(): Design {
  return {
    size: 512,
    level: 'M',
    raisesLevel: true,
    margin: 4,
    fgColor: '#000000',
    bgColor: '#FFFFFF',
    quietZoneColor: null,
    fgGradient: null,
    bgGradient: null,
    eyeColor: null,
    eyeBallColor: null,
    eyeColors: null,
    eyeGradient: null,
    pattern: 'squares',
    shape: 'square',
    frame: 'none',
    frameColor: '#000000',
    frameText: '',
    frameTextColor: '#FFFFFF',
    frameTextStyles: { family: 'Inter', weight: 600, size: null },
    middle: null,
    hasSwissCross: false,
  };
}
