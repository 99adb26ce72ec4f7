import type { FrameForm } from '../../qrcodes/render/frames/frame.ts';
import { FRAMES } from '../../qrcodes/render/frames/index.ts';
import { FRAME_ICONS, FRAME_NAMES } from '../../qrcodes/render/frames/names.ts';
import { isFamily } from '../../qrcodes/render/text.ts';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { PictureChoice } from './choice.tsx';
import { ColorField } from './color-field.tsx';
import { FontField } from './font-field.tsx';
import type { LookProps } from './look.ts';

interface LookColorProps extends LookProps {
  name: 'frameColor' | 'frameTextColor';
  label: string;
}

/** The field for a color of the style. */
function LookColor({ look, onChange, errors, name, ...field }: LookColorProps) {
  return (
    <ColorField
      {...field}
      value={look[name]}
      onChange={(color) => onChange({ [name]: color })}
      error={errors[name]}
    />
  );
}

/** The middle of the label of a sample, where its icon is. */
const ICON = { x: 0.405, y: 0.978, width: 0.19, height: 0.19 };

/** The form for the frame and its text. */
export function FramePanel(props: LookProps) {
  const { look, onChange, errors } = props;
  const { frame, frameText, frameIcon, family, weight, textSize } = look;
  const { hasLabel }: FrameForm = FRAMES[frame];
  return (
    <div className="flex flex-col gap-4">
      <PictureChoice
        label="Frame"
        value={frame}
        options={FRAME_NAMES}
        onChange={(value) => onChange({ frame: value })}
        lookOf={(value) => ({ frame: value, pattern: look.pattern, shape: look.shape })}
      />
      {frame !== 'none' && frame !== 'disc' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <LookColor {...props} name="frameColor" label="Frame color" />
          {hasLabel && <LookColor {...props} name="frameTextColor" label="Text color" />}
        </div>
      )}
      {hasLabel && (
        <>
          <TextArea
            label="Text"
            hint="Long texts take two lines. A line break decides where."
            rows={2}
            maxLength={60}
            placeholder="SCAN ME"
            value={frameText}
            onChange={({ target }) => onChange({ frameText: target.value })}
            error={errors['frameText']}
          />
          <PictureChoice
            label="Icon"
            value={frameIcon}
            options={FRAME_ICONS}
            onChange={(value) => onChange({ frameIcon: value })}
            lookOf={(value) => ({ frame: 'label-bottom', frameText: ' ', frameIcon: value })}
            crop={ICON}
          />
          <div className="grid gap-3 sm:grid-cols-3">
            <FontField
              family={family}
              onChange={(value) => onChange({ family: value })}
              error={errors['frameTextStyles.family']}
            />
            <SelectField
              label="Weight"
              value={weight}
              disabled={!isFamily(family)}
              onChange={({ target }) => onChange({ weight: Number(target.value) })}
              options={[...new Set([400, 500, 600, 700, weight])]
                .toSorted((a, b) => a - b)
                .map((value) => [String(value), String(value)])}
            />
            <TextField
              label="Text size"
              type="number"
              min={4}
              max={400}
              placeholder="As large as fits"
              value={textSize ?? ''}
              onChange={({ target }) =>
                onChange({ textSize: target.value === '' ? null : Number(target.value) })
              }
            />
          </div>
        </>
      )}
    </div>
  );
}
