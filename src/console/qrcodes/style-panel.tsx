import { parseColor } from '../../qrcodes/render/color.ts';
import { EYE_BALLS, EYE_FRAMES, eyePartsOf } from '../../qrcodes/render/eyes/index.ts';
import { LEVELS } from '../../qrcodes/render/levels.ts';
import { PATTERN_NAMES } from '../../qrcodes/render/patterns/index.ts';
import { SelectField, TextField } from '../ui/field.tsx';
import { inSentence } from '../ui/sentence.ts';
import { PictureChoice } from './choice.tsx';
import { ColorField } from './color-field.tsx';
import { EyeColors } from './eye-colors.tsx';
import { PaintField } from './gradient-field.tsx';
import type { LookProps } from './look.ts';
import { nameOfOption } from './option-names.ts';

/** Share of a code that may be damaged, by error correction level. */
const LEVEL_WORDS = {
  L: 'survives 7% damage',
  M: 'survives 15% damage',
  Q: 'survives 25% damage',
  H: 'survives 30% damage',
};

/** The color of a quiet zone, which has no opacity; `null` for none. */
const opaqueOf = (color: string): string | null =>
  color === 'transparent' ? null : color.slice(0, 7);

/** The part of a sample with its upper left eye. */
const EYE = { x: 0.11, y: 0.11, width: 0.3, height: 0.3 };

/** The form for modules, eyes and colors. */
export function StylePanel(props: LookProps) {
  const { onChange, errors } = props;
  const [frame, ball] = eyePartsOf(props.look.shape);
  const { pattern, shape, fgColor, fgGradient, bgColor, bgGradient, quietZoneColor } = props.look;
  return (
    <div className="flex flex-col gap-4">
      <PaintField
        label="Color"
        color={{ value: fgColor, error: errors['fgColor'] }}
        onColor={(color) => onChange({ fgColor: color })}
        gradient={fgGradient}
        onGradient={(gradient) => onChange({ fgGradient: gradient })}
        error={errors['fgGradient']}
      />
      <PaintField
        label="Background"
        isLight
        color={{ value: bgColor, mayBeTransparent: true, error: errors['bgColor'] }}
        onColor={(color) => onChange({ bgColor: color })}
        gradient={bgGradient}
        onGradient={(gradient) => onChange({ bgGradient: gradient })}
        error={errors['bgGradient']}
      />
      <div className="grid gap-3 empty:hidden sm:grid-cols-2">
        {(quietZoneColor !== null || (bgGradient === null && parseColor(bgColor).a < 1)) && (
          <ColorField
            label="Quiet zone"
            mayBeTransparent
            value={quietZoneColor ?? 'transparent'}
            onChange={(color) => onChange({ quietZoneColor: opaqueOf(color) })}
            error={errors['quietZoneColor']}
          />
        )}
      </div>
      <PictureChoice
        label="Pattern"
        value={pattern}
        options={PATTERN_NAMES}
        onChange={(value) => onChange({ pattern: value })}
        lookOf={(value) => ({ pattern: value, shape })}
        crop={{ x: 0.3, y: 0.3, width: 0.42, height: 0.42 }}
      />
      <PictureChoice
        label="Eyes"
        value={frame}
        options={EYE_FRAMES}
        onChange={(value) => onChange({ shape: `${value}/${ball}` })}
        lookOf={(value) => ({ shape: `${value}/${ball}`, pattern })}
        crop={EYE}
      />
      <PictureChoice
        label="Balls of the eyes"
        value={ball}
        options={EYE_BALLS}
        nameOf={(value) => `Ball: ${inSentence(nameOfOption(value))}`}
        onChange={(value) => onChange({ shape: `${frame}/${value}` })}
        lookOf={(value) => ({ shape: `${frame}/${value}`, pattern })}
        crop={EYE}
      />
      <EyeColors {...props} />
    </div>
  );
}

/** The form for size and error correction. */
export function OutputPanel({ look, onChange, errors }: LookProps) {
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <TextField
        label="Image width in px"
        type="number"
        min={1}
        max={4096}
        value={look.size}
        onChange={({ target }) => onChange({ size: Math.round(Number(target.value)) })}
        error={errors['size']}
      />
      <SelectField
        label="Error correction"
        hint="Higher levels survive more damage but make the code denser."
        value={look.level ?? ''}
        onChange={({ target }) =>
          onChange({ level: LEVELS.find((level) => level === target.value) ?? null })
        }
        error={errors['level']}
        none="Automatic"
        options={LEVELS.map((level) => [level, `${level}: ${LEVEL_WORDS[level]}`])}
      />
    </div>
  );
}
