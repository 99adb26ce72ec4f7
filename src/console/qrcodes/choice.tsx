import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { keys } from '../api/keys.ts';
import { classes } from '../ui/classes.ts';
import { drawCode } from './drawn.ts';
import { addressOf } from './image.ts';
import { type Look, PLAIN_LOOK } from './look.ts';
import { nameOfOption } from './option-names.ts';

interface PictureChoiceProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly Value[];
  /** Returns the name of an option; absent: that of its value. */
  nameOf?(option: Value): string;
  onChange(value: Value): void;
  /** Returns the style that the option's image shows. */
  lookOf(option: Value): Partial<Look>;
  /** Part of the image to show, as fractions of its width. */
  crop?: { x: number; y: number; width: number; height: number };
}

/** Short content, whose modules are large enough to be seen in a small image. */
const SAMPLE = 'HELLO';

/** A radio group of images; the arrow keys move between them. */
export function PictureChoice<Value extends string>({
  label,
  value,
  options,
  nameOf = nameOfOption,
  onChange,
  lookOf,
  crop,
}: PictureChoiceProps<Value>) {
  const group = useId();
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(3.75rem,1fr))] gap-2">
        {options.map((option) => (
          <label
            key={option}
            title={nameOf(option)}
            className={classes(
              'relative aspect-square overflow-hidden rounded-lg border bg-white p-1.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text',
              option === value
                ? 'border-accent ring-2 ring-accent forced-colors:outline-2 forced-colors:outline-[Highlight]'
                : 'border-edge hover:border-ink',
            )}
          >
            <input
              type="radio"
              name={group}
              aria-label={nameOf(option)}
              checked={option === value}
              onChange={() => onChange(option)}
              className="absolute inset-0 cursor-pointer opacity-0"
            />
            <Sample look={lookOf(option)} crop={crop} />
          </label>
        ))}
      </div>
    </fieldset>
  );
}

function Sample({ look, crop }: { look: Partial<Look>; crop: PictureChoiceProps<string>['crop'] }) {
  const { data } = useQuery({
    queryKey: keys.drawings.list('sample', look, crop),
    queryFn: async () => {
      const { svg } = await drawCode(SAMPLE, { ...PLAIN_LOOK, size: 300, ...look });
      if (crop === undefined) return addressOf(svg);
      const box = [crop.x, crop.y, crop.width, crop.height].map((share) => share * 300).join(' ');
      return addressOf(svg.replace(/width="\d+" height="\d+" viewBox="[^"]*"/, `viewBox="${box}"`));
    },
    staleTime: Number.POSITIVE_INFINITY,
    networkMode: 'always',
  });
  if (data === undefined) return null;
  // The background is part of the image, even in forced-colors mode.
  return (
    <img src={data} alt="" className="size-full bg-white object-contain forced-color-adjust-none" />
  );
}
