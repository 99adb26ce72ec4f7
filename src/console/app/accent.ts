import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { workspaceQuery } from '../settings/queries.ts';
import { useWorkspace } from './workspace.tsx';

type Rgb = readonly [number, number, number];

const WHITE: Rgb = [255, 255, 255];
const BLACK: Rgb = [0, 0, 0];
/** Backgrounds with the least contrast to accent-colored text, in the light and the dark theme. */
const GROUNDS = { light: [235, 235, 240], dark: [48, 48, 54] } as const satisfies Record<
  string,
  Rgb
>;
/** Minimum contrast of text (WCAG 1.4.3). */
const CONTRAST = 4.5;

/** Applies the workspace's brand color to the console, adjusted until it is readable. */
export function useAccent(): void {
  const { api } = useWorkspace();
  const { data } = useQuery(workspaceQuery(api));
  const color = data?.brandColor;
  useEffect(() => {
    const brand = rgbOf(color);
    if (brand === undefined) return undefined;
    const { style } = document.documentElement;
    const ink = contrast(brand, WHITE) >= CONTRAST ? WHITE : BLACK;
    const values = {
      '--accent': css(brand),
      '--accent-ink': css(ink),
      '--accent-text': `light-dark(${css(readable(brand, GROUNDS.light, BLACK))}, ${css(readable(brand, GROUNDS.dark, WHITE))})`,
    };
    for (const [name, value] of Object.entries(values)) style.setProperty(name, value);
    return () => {
      for (const name of Object.keys(values)) style.removeProperty(name);
    };
  }, [color]);
}

/** Mixes a color with black or white until it is readable on a background. */
function readable(color: Rgb, ground: Rgb, towards: Rgb): Rgb {
  for (let share = 0; share < 1; share += 0.05) {
    const mixed = color.map((value, at) => value + (towards[at]! - value) * share);
    const [red = 0, green = 0, blue = 0] = mixed;
    if (contrast([red, green, blue], ground) >= CONTRAST) return [red, green, blue];
  }
  return towards;
}

function rgbOf(color: string | null | undefined): Rgb | undefined {
  const digits = /^#([0-9a-f]{6})$/i.exec(color ?? '')?.[1];
  if (digits === undefined) return undefined;
  const value = Number.parseInt(digits, 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

const css = ([red, green, blue]: Rgb): string =>
  `rgb(${Math.round(red)} ${Math.round(green)} ${Math.round(blue)})`;

/** Contrast ratio of two colors, 1 to 21 (WCAG 2.2). */
function contrast(one: Rgb, other: Rgb): number {
  const [dark = 0, bright = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

function luminance(color: Rgb): number {
  const [red = 0, green = 0, blue = 0] = color.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
