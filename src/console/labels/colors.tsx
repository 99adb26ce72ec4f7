import { useId } from 'react';
import type { Schemas } from '../api/client.ts';
import { classes } from '../ui/classes.ts';

export type Color = Schemas['Tag']['color'];

/** Class names of the tag colors; a name always stands beside the dot. */
const DOTS: Record<Color, string> = {
  red: 'bg-red-500',
  yellow: 'bg-yellow-500',
  green: 'bg-green-500',
  blue: 'bg-blue-500',
  purple: 'bg-purple-500',
  pink: 'bg-pink-500',
  brown: 'bg-amber-800',
};
/** Names of the tag colors; they are shown capitalized. */
const NAMES: Record<Color, string> = /* text */ {
  red: 'red',
  yellow: 'yellow',
  green: 'green',
  blue: 'blue',
  purple: 'purple',
  pink: 'pink',
  brown: 'brown',
};
const COLORS = Object.keys(DOTS) as Color[];

/** A dot in the color of a tag. */
export function TagDot({ color }: { color: Color | undefined }) {
  const look = color && DOTS[color];
  return (
    <span
      aria-hidden
      className={classes('size-2.5 shrink-0 rounded-full forced-color-adjust-none', look)}
    />
  );
}

/** A tag with its name and, once loaded, its color. */
export function TagMark({ name, color }: { name: string; color?: Color | undefined }) {
  return (
    <span className="inline-flex h-5 max-w-32 items-center gap-1.5 rounded border border-line px-1.5 text-xs">
      <TagDot color={color} />
      <span className="truncate">{name}</span>
    </span>
  );
}

/** A choice of color. */
export function ColorChoice({ color, onChange }: { color: Color; onChange(color: Color): void }) {
  const name = useId();
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">Color</legend>
      <div className="flex flex-wrap gap-1.5">
        {COLORS.map((one) => (
          <label
            key={one}
            className={classes(
              'flex h-8 items-center gap-2 rounded-md border px-2 capitalize has-focus-visible:outline-2 has-focus-visible:outline-accent-text max-md:h-11',
              one === color ? 'border-accent-text bg-accent-soft' : 'border-line',
            )}
          >
            <input
              type="radio"
              name={name}
              className="sr-only"
              checked={one === color}
              onChange={() => onChange(one)}
            />
            <TagDot color={one} />
            {NAMES[one]}
          </label>
        ))}
      </div>
    </fieldset>
  );
}
