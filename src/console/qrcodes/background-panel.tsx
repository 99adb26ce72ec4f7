import { ImagePlus, Trash2 } from 'lucide-react';
import { BACKGROUND_STRENGTHS, BACKGROUND_STYLES } from '../../qrcodes/render/design.ts';
import { Button } from '../ui/button.tsx';
import { SelectField } from '../ui/field.tsx';
import { FileButton } from '../ui/file-button.tsx';
import { toastError } from '../ui/toast-error.ts';
import { AddressField } from './address-field.tsx';
import { useCropping } from './crop-dialog.tsx';
import type { Look, LookProps } from './look.ts';

const STYLES: Record<Look['backgroundStyle'], string> = {
  picture: 'Behind the code',
  halftone: 'In the form of its dots',
};

const STRENGTHS: Record<Look['backgroundStrength'], string> = {
  light: 'Light, easiest to scan',
  medium: 'Moderate',
  strong: 'Strong',
};

/** Longest side of a stored picture behind a code, in px. */
const PICTURE_PX = 800;

/** The form for the picture behind a code. */
export function BackgroundPanel({ look, onChange, errors }: LookProps) {
  const { backgroundSrc: source, backgroundStyle, backgroundStrength } = look;
  const picture = useCropping({ mostPx: PICTURE_PX });
  const set = (backgroundSrc: string | null) => onChange({ backgroundSrc });
  if (source === null) {
    return (
      <div className="flex flex-col gap-3">
        <p className="max-w-prose text-muted">
          A picture behind the code, or in the form of its dots. Its colors are adapted, so that the
          code stays readable.
        </p>
        <FileButton
          icon={ImagePlus}
          accept="image/*"
          onFile={(file) => {
            picture.read(file).then((read) => read !== undefined && set(read), toastError);
          }}
        >
          Choose a picture
        </FileButton>
        <AddressField
          label="Picture URL"
          placeholder="https://example.com/picture.jpg"
          action="Use picture"
          source={null}
          onSource={set}
          error={errors['backgroundSrc']}
        />
        {picture.dialog}
      </div>
    );
  }
  const isData = source.startsWith('data:');
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-3 rounded-lg border border-line p-2">
        {isData && (
          <img src={source} alt="Behind the code" className="size-14 rounded object-cover" />
        )}
        <span className="min-w-0 flex-1 truncate text-muted">
          {isData ? 'Stored with the code' : source}
        </span>
        <Button icon={Trash2} onClick={() => set(null)}>
          Remove picture
        </Button>
      </div>
      {errors['backgroundSrc'] !== undefined && (
        <p role="alert" className="text-danger">
          {errors['backgroundSrc']}
        </p>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <SelectField
          label="Picture"
          value={backgroundStyle}
          onChange={({ target }) =>
            onChange({
              backgroundStyle: BACKGROUND_STYLES.find((style) => style === target.value)!,
            })
          }
          options={BACKGROUND_STYLES.map((style) => [style, STYLES[style]])}
          error={errors['backgroundStyle']}
        />
        <SelectField
          label="Strength of the picture"
          value={backgroundStrength}
          onChange={({ target }) =>
            onChange({
              backgroundStrength: BACKGROUND_STRENGTHS.find((one) => one === target.value)!,
            })
          }
          options={BACKGROUND_STRENGTHS.map((one) => [one, STRENGTHS[one]])}
          error={errors['backgroundStrength']}
        />
      </div>
      <p className="text-xs text-muted">
        {isData ? '' : 'The middle of the picture is used, in a square. '}
        {backgroundStyle === 'halftone'
          ? 'Dots have the color and the background of the code; their pattern has no effect.'
          : 'Eyes keep their colors.'}
      </p>
    </div>
  );
}
