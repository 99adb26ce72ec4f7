import { EYES, type Eye } from '../../qrcodes/render/eyes/index.ts';
import { Switch } from '../ui/field.tsx';
import { ColorField } from './color-field.tsx';
import { PaintField } from './gradient-field.tsx';
import type { LookProps } from './look.ts';

const NAMES: Record<Eye, string> = {
  topLeft: 'Upper left eye',
  topRight: 'Upper right eye',
  bottomLeft: 'Lower left eye',
};

const NONE = { eyeColor: null, eyeBallColor: null, eyeColors: null, eyeGradient: null };

/** The form for colors of the eyes, which have those of the modules without it. */
export function EyeColors({ look, onChange, errors }: LookProps) {
  const { eyeColor, eyeBallColor, eyeColors, eyeGradient, fgColor } = look;
  const isOwn = [eyeColor, eyeBallColor, eyeColors, eyeGradient].some((value) => value !== null);
  const frame = eyeColor ?? fgColor;
  const ball = eyeBallColor ?? frame;
  return (
    <>
      <Switch
        label="Own colors for the eyes"
        checked={isOwn}
        onChange={(checked) => onChange(checked ? { ...NONE, eyeColor: fgColor } : NONE)}
      />
      {isOwn && (
        <PaintField
          label="Eyes"
          color={{ value: frame, error: errors['eyeColor'] }}
          onColor={(color) => onChange({ eyeColor: color })}
          gradient={eyeGradient}
          onGradient={(gradient) =>
            onChange(
              gradient === null
                ? { ...NONE, eyeColor: fgColor }
                : { ...NONE, eyeGradient: gradient },
            )
          }
          error={errors['eyeGradient']}
        />
      )}
      {isOwn && eyeGradient === null && (
        <>
          <div className="grid gap-3 sm:grid-cols-2">
            <ColorField
              label="Balls of the eyes"
              value={ball}
              onChange={(color) => onChange({ eyeBallColor: color })}
              error={errors['eyeBallColor']}
            />
          </div>
          <Switch
            label="Colors for each eye"
            checked={eyeColors !== null}
            onChange={(checked) =>
              onChange({
                eyeColors: checked
                  ? Object.fromEntries(EYES.map((eye) => [eye, { frame, ball }]))
                  : null,
              })
            }
          />
        </>
      )}
      {eyeColors !== null && (
        <div className="grid gap-3 sm:grid-cols-2">
          {EYES.flatMap((eye) =>
            (['frame', 'ball'] as const).map((part) => (
              <ColorField
                key={`${eye} ${part}`}
                label={part === 'frame' ? NAMES[eye] : `${NAMES[eye]}: ball`}
                value={eyeColors[eye]?.[part] ?? eyeColors[eye]?.frame ?? frame}
                onChange={(color) =>
                  onChange({
                    eyeColors: { ...eyeColors, [eye]: { ...eyeColors[eye], [part]: color } },
                  })
                }
              />
            )),
          )}
        </div>
      )}
    </>
  );
}
