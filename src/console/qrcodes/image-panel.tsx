import { ImagePlus, Trash2 } from 'lucide-react';
import { useId, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Switch, TextField } from '../ui/field.tsx';
import { toastError } from '../ui/toast-error.ts';
import { useFileDrop } from '../ui/use-file-drop.ts';
import { readImageFile } from './image.ts';
import type { LookProps } from './style-panel.tsx';

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
      placeholder="As large as scanners allow"
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
        <DropZone onImage={set} />
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
            {image.startsWith('data:') ? 'Image from a file' : image}
          </span>
          <Button icon={Trash2} onClick={() => set(null)}>
            Remove
          </Button>
        </div>
      )}
      {(image === null || !image.startsWith('data:')) && (
        <AddressField image={image} onImage={set} error={errors['logo'] ?? errors['src']} />
      )}
      {image !== null && (
        <>
          <Switch
            label="Remove the dots behind the logo"
            hint="Off: the code shows through gaps in the logo."
            checked={excavate}
            onChange={(checked) => onChange({ excavate: checked })}
          />
          <div className="grid grid-cols-2 gap-3">
            {sizeField('width')}
            {sizeField('height')}
          </div>
        </>
      )}
    </div>
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

function AddressField({
  image,
  onImage,
  error,
}: SourceProps & { image: string | null; error: string | undefined }) {
  const [address, setAddress] = useState(image ?? '');
  const use = () => {
    if (address.trim() !== '') onImage(address.trim());
  };
  return (
    <div className="flex items-end gap-2">
      <div className="flex-1">
        <TextField
          label="Logo URL"
          type="url"
          placeholder="https://example.com/logo.png"
          value={address}
          onChange={({ target }) => setAddress(target.value)}
          onKeyDown={(event) => event.key === 'Enter' && use()}
          error={error}
        />
      </div>
      <Button className="h-9 max-md:h-11" onClick={use}>
        Use
      </Button>
    </div>
  );
}
