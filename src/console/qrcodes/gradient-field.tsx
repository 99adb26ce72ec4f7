import { Plus, X } from 'lucide-react';
import type { DesignGradient } from '../../qrcodes/render/design.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { ColorField } from './color-field.tsx';

const MOST_STOPS = 5;
const ENDS = 2;

interface PaintFieldProps {
  label: string;
  /** True for a part behind others, whose new gradient is light. */
  isLight?: boolean;
  /** Name of the choice without a gradient. */
  plain?: string;
  /** The color without a gradient; absent for a part that takes its color from another. */
  color?: { value: string; mayBeTransparent?: boolean; error: string | undefined };
  onColor?(color: string): void;
  gradient: DesignGradient | null;
  onGradient(gradient: DesignGradient | null): void;
  error: string | undefined;
}

/** Colors of a new gradient: from the plain color to a darker or lighter neighbor. */
const START = { dark: ['#312E81', '#9D174D'], light: ['#FFFFFF', '#E0E7FF'] } as const;

const evenly = (colors: readonly string[]): DesignGradient['stops'] =>
  colors.map((color, at) => ({ color, offset: at / (colors.length - 1) }));

/** The fields for a color or a gradient. */
export function PaintField(props: PaintFieldProps) {
  const { label, isLight = false, plain = 'One color', color, gradient, error } = props;
  const { onColor, onGradient } = props;
  const choose = (kind: string) => {
    if (kind !== 'linear' && kind !== 'radial') onGradient(null);
    else if (gradient === null) {
      const colors = isLight ? START.light : START.dark;
      onGradient({ type: kind, angle: 45, stops: evenly(colors) });
    } else onGradient({ ...gradient, type: kind });
  };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="sr-only">{label}</legend>
      <div className="grid gap-3 sm:grid-cols-2">
        {gradient === null && color && (
          <ColorField
            label={label}
            mayBeTransparent={color.mayBeTransparent === true}
            value={color.value}
            onChange={(value) => onColor?.(value)}
            error={color.error}
          />
        )}
        <SelectField
          label={`${label}: fill`}
          value={gradient?.type ?? 'plain'}
          onChange={({ target }) => choose(target.value)}
          options={[
            ['plain', plain],
            ['linear', 'Linear gradient'],
            ['radial', 'Radial gradient'],
          ]}
          error={error}
        />
        {gradient?.type === 'linear' && (
          <TextField
            label={`${label}: angle in degrees`}
            type="number"
            min={0}
            max={360}
            value={gradient.angle}
            onChange={({ target }) =>
              onGradient({
                ...gradient,
                angle: Math.min(360, Math.max(0, Number(target.value) || 0)),
              })
            }
          />
        )}
      </div>
      {gradient && <Stops label={label} gradient={gradient} onGradient={onGradient} />}
    </fieldset>
  );
}

function Stops({
  label,
  gradient,
  onGradient,
}: Pick<PaintFieldProps, 'label' | 'onGradient'> & { gradient: DesignGradient }) {
  const colors = gradient.stops.map(({ color }) => color);
  const isEven = gradient.stops.every(
    ({ offset }, at) => Math.abs(offset - at / (colors.length - 1)) < 0.01,
  );
  const set = (at: number, color: string) =>
    onGradient({
      ...gradient,
      stops: gradient.stops.map((stop, index) => (index === at ? { ...stop, color } : stop)),
    });
  return (
    <div className="grid items-end gap-3 sm:grid-cols-2">
      {gradient.stops.map(({ color }, at) => (
        // Stops have no identity but their place.
        // oxlint-disable-next-line react/no-array-index-key
        <div key={at} className="flex items-end gap-1">
          <div className="flex-1">
            <ColorField
              label={`${label} ${at + 1}${isEven ? '' : ` at ${Math.round(gradient.stops[at]!.offset * 100)}%`}`}
              value={color}
              onChange={(value) => set(at, value)}
            />
          </div>
          {colors.length > ENDS && (
            <IconButton
              icon={X}
              label={`Remove ${label} ${at + 1}`}
              onClick={() => onGradient({ ...gradient, stops: evenly(colors.toSpliced(at, 1)) })}
            />
          )}
        </div>
      ))}
      {colors.length < MOST_STOPS && (
        <Button
          icon={Plus}
          className="justify-self-start"
          onClick={() => onGradient({ ...gradient, stops: evenly([...colors, colors.at(-1)!]) })}
        >
          Add a color
        </Button>
      )}
    </div>
  );
}
