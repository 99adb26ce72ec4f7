import { useState } from 'react';
import { colorFault, normalizeColor } from '../../qrcodes/render/color.ts';
import { classes } from '../ui/classes.ts';
import { Field, inputLook } from '../ui/field.tsx';

interface ColorFieldProps {
  label: string;
  value: string;
  onChange(value: string): void;
  mayBeTransparent?: boolean;
  error?: string | undefined;
}

/** Returns the normalized color of a text; `undefined` if the text is not a color. */
function colorOf(text: string, mayBeTransparent: boolean): string | undefined {
  if (mayBeTransparent && text.trim().toLowerCase() === 'transparent') return 'transparent';
  return colorFault(text, { alpha: mayBeTransparent }) === undefined
    ? normalizeColor(text)
    : undefined;
}

/** A color field with a color picker and a text input for every notation that the API accepts. */
export function ColorField({
  label,
  value,
  onChange,
  mayBeTransparent = false,
  error,
}: ColorFieldProps) {
  // Typed text stays as it is while it means the current value: otherwise #123 would turn into
  // #112233 during typing.
  const [typed, setTyped] = useState({ text: value, value });
  const text = typed.value === value ? typed.text : value;
  const isWrong = colorOf(text, mayBeTransparent) === undefined;
  const rule = colorFault(text, { alpha: mayBeTransparent, transparent: mayBeTransparent });
  return (
    <Field label={label} error={isWrong ? `${label} ${rule}` : error}>
      {(control) => (
        <div className="relative">
          <input
            type="color"
            aria-label={`${label}: picker`}
            value={/^#[0-9A-F]{6}/i.test(value) ? value.slice(0, 7).toLowerCase() : '#ffffff'}
            onChange={({ target }) => onChange(target.value.toUpperCase())}
            className="absolute top-1/2 left-1 size-7 -translate-y-1/2 cursor-pointer rounded bg-transparent p-0 max-md:left-0 max-md:size-11 max-md:p-2"
          />
          <input
            {...control}
            value={text}
            spellCheck={false}
            onChange={({ target }) => {
              const color = colorOf(target.value, mayBeTransparent);
              setTyped({ text: target.value, value: color ?? value });
              if (color !== undefined) onChange(color);
            }}
            className={classes(inputLook, 'pl-10 tabular-nums max-md:pl-12')}
          />
        </div>
      )}
    </Field>
  );
}
