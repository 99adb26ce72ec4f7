import colorString from 'color-string';
import { Unsupported } from './unsupported.ts';

/**
 * Converts a color of an SVG to `#RRGGBB` or `#RRGGBBAA`.
 *
 * @param current value of `currentColor`
 * @returns `undefined` for `none`
 * @throws Unsupported for anything else that is not a color
 */
export function colorOf(text: string, current: string, opacity = 1): string | undefined {
  const asked = text.trim().toLowerCase();
  const value = asked === 'currentcolor' ? current.trim().toLowerCase() : asked;
  if (value === 'none') return undefined;
  const parts = value.length > 60 ? null : colorString.get(value)?.value;
  const isHsl = /^(hsl|hwb)/.test(value);
  if (!parts?.every(Number.isFinite) || isHsl) throw new Unsupported(`color ${text}`);
  const [r = 0, g = 0, b = 0, a = 1] = parts;
  const alpha = Math.round(a * opacity * 255);
  if (alpha <= 0) return undefined;
  return `#${[r, g, b, ...(alpha < 255 ? [alpha] : [])]
    .map((part) => Math.round(part).toString(16).padStart(2, '0'))
    .join('')
    .toUpperCase()}`;
}
