import { useQuery } from '@tanstack/react-query';
import { keys } from '../api/keys.ts';
import { loadImage, pixelsOf } from './image.ts';
import { colorsOf } from './logo-colors.ts';
import type { Look } from './look.ts';

interface LogoColorsProps {
  image: string;
  onChange(change: Partial<Look>): void;
}

/** Buttons that give the code or its eyes a color of the logo. */
export function LogoColors({ image, onChange }: LogoColorsProps) {
  const { data: colors = [] } = useQuery({
    queryKey: keys.drawings.list('logo colors', image),
    queryFn: async () => colorsOf(await pixelsOf(await loadImage(image))),
    staleTime: Number.POSITIVE_INFINITY,
    retry: false,
  });
  if (colors.length === 0) return null;
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <Swatches
        label="Code in a color of the logo"
        colors={colors}
        onChosen={(color) => onChange({ fgColor: color, fgGradient: null })}
      />
      <Swatches
        label="Eyes in a color of the logo"
        colors={colors}
        onChosen={(color) =>
          onChange({ eyeColor: color, eyeBallColor: null, eyeColors: null, eyeGradient: null })
        }
      />
    </div>
  );
}

interface SwatchesProps {
  label: string;
  colors: readonly string[];
  onChosen(color: string): void;
}

function Swatches({ label, colors, onChosen }: SwatchesProps) {
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">{label}</legend>
      <div className="flex gap-2">
        {colors.map((color) => (
          <button
            key={color}
            type="button"
            title={color}
            aria-label={`${label}: ${color}`}
            onClick={() => onChosen(color)}
            className="size-9 rounded-full border border-edge p-1 hover:border-ink max-md:size-11"
          >
            <svg viewBox="0 0 8 8" aria-hidden className="size-full forced-color-adjust-none">
              <circle cx={4} cy={4} r={4} fill={color} />
            </svg>
          </button>
        ))}
      </div>
    </fieldset>
  );
}
