import { ImagePlus, Trash2 } from 'lucide-react';
import { useId } from 'react';
import { PLATE_SHAPES, type Plate } from '../../qrcodes/render/design.ts';
import { isVisible } from '../../qrcodes/render/place.ts';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { SelectField, Switch, TextField } from '../ui/field.tsx';
import { toastError } from '../ui/toast-error.ts';
import { useFileDrop } from '../ui/use-file-drop.ts';
import { AddressField } from './address-field.tsx';
import { ColorField } from './color-field.tsx';
import { readImageFile } from './image.ts';
import { LogoColors } from './logo-colors-panel.tsx';
import type { LookProps } from './look.ts';
import { MarkChoice } from './mark-choice.tsx';

/** The form for the image in the middle of a code: a dropped, pasted or chosen file, or a URL. */
export function ImagePanel({ look, onChange, errors }: LookProps) {
  const { image, excavate } = look;
  const set = (source: string | null) => onChange({ image: source, width: null, height: null });
  const sizeField = (name: 'width' | 'height') => (
    <TextField
      label={`Logo ${name} in px`}
      type="number"
      min={1}
      max={4096}
      placeholder="Automatic"
      value={look[name] ?? ''}
      onChange={({ target: { value } }) =>
        onChange({ [name]: value === '' ? null : Math.round(Number(value)) })
      }
      error={errors[name]}
    />
  );
  return (
    <div className="flex flex-col gap-3">
      {image === null ? (
        <>
          <DropZone onImage={set} />
          <MarkChoice color={look.fgColor} onImage={set} />
        </>
      ) : (
        <div className="flex items-center gap-3 rounded-lg border border-line p-2">
          {image.startsWith('data:') && (
            <img
              src={image}
              alt="In the middle of the code"
              className="size-14 rounded bg-white object-contain"
            />
          )}
          <span className="min-w-0 flex-1 truncate text-muted">
            {image.startsWith('data:') ? 'Stored with the code' : image}
          </span>
          <Button icon={Trash2} onClick={() => set(null)}>
            Remove
          </Button>
        </div>
      )}
      {(image === null || !image.startsWith('data:')) && (
        <AddressField
          label="Logo URL"
          placeholder="https://example.com/logo.png"
          action="Use logo"
          source={image}
          onSource={set}
          error={errors['logo'] ?? errors['src']}
        />
      )}
      {image !== null && (
        <>
          <LogoColors image={image} onChange={onChange} />
          <Switch
            label="Remove the dots behind the logo"
            hint="Off: the code shows through gaps in the logo."
            checked={excavate}
            onChange={(checked) => onChange({ excavate: checked })}
          />
          <PlateFields plate={look.logoPlate} onChange={(logoPlate) => onChange({ logoPlate })} />
          <div className="grid grid-cols-2 items-end gap-3">
            {sizeField('width')}
            {sizeField('height')}
          </div>
          <p className="text-xs text-muted">
            Without a size, the logo is as large as the code scans easily. You can also drag its
            corner in the preview. It is always in the middle.
          </p>
        </>
      )}
    </div>
  );
}

const PLATES: Record<Plate['shape'], string> = {
  none: 'Free space',
  square: 'Square plate',
  rounded: 'Rounded plate',
  circle: 'Round plate',
};

const NEW_PLATE: Omit<Plate, 'shape'> = { color: '#FFFFFF', rimColor: null, padding: 10 };

/** The form for the space around the image, and the plate behind it. */
function PlateFields({
  plate,
  onChange,
}: {
  plate: Plate | null;
  onChange(plate: Plate | null): void;
}) {
  const choose = (value: string) => {
    const shape = PLATE_SHAPES.find((one) => one === value);
    onChange(shape === undefined ? null : { ...NEW_PLATE, ...plate, shape });
  };
  return (
    <>
      <div className="grid grid-cols-2 items-end gap-3">
        <SelectField
          label="Around the logo"
          value={plate?.shape ?? ''}
          onChange={({ target }) => choose(target.value)}
          none="Nothing"
          options={PLATE_SHAPES.map((shape) => [shape, PLATES[shape]])}
        />
        {plate && (
          <TextField
            label="Distance in % of the logo"
            type="number"
            min={0}
            max={50}
            value={plate.padding}
            onChange={({ target }) =>
              onChange({
                ...plate,
                padding: Math.min(50, Math.max(0, Number(target.value) || 0)),
              })
            }
          />
        )}
      </div>
      {isVisible(plate) && (
        <div className="grid grid-cols-2 gap-3">
          <ColorField
            label="Plate"
            value={plate.color}
            onChange={(color) => onChange({ ...plate, color })}
          />
          <ColorField
            label="Rim of the plate"
            mayBeTransparent
            value={plate.rimColor ?? 'transparent'}
            onChange={(color) =>
              onChange({ ...plate, rimColor: color === 'transparent' ? null : color.slice(0, 7) })
            }
          />
        </div>
      )}
    </>
  );
}

interface SourceProps {
  onImage(source: string): void;
}

function DropZone({ onImage }: SourceProps) {
  const id = useId();
  const take = (file: File | undefined) => {
    if (file === undefined) return;
    readImageFile(file).then(onImage, toastError);
  };
  const { isOver, handlers } = useFileDrop(take);
  return (
    <label
      htmlFor={id}
      {...handlers}
      className={classes(
        'flex flex-col items-center gap-1 rounded-lg border border-dashed p-5 text-center has-focus-visible:outline-2 has-focus-visible:outline-accent-text',
        isOver ? 'border-accent bg-accent-soft' : 'border-edge hover:bg-hover',
      )}
    >
      <ImagePlus size={20} aria-hidden className="text-muted" />
      <span className="font-medium">Drop an image here, paste it, or choose a file</span>
      <span className="text-xs text-muted">
        PNG, JPEG, WebP or SVG. Large images are scaled to 480 px; an SVG of shapes stays sharp at
        any size.
      </span>
      <input
        id={id}
        type="file"
        accept="image/*"
        onChange={({ target }) => take(target.files?.[0])}
        className="sr-only"
      />
    </label>
  );
}
