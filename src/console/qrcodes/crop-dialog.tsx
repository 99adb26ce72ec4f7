import { type PointerEvent, type ReactNode, useEffect, useRef, useState } from 'react';
import { classes } from '../ui/classes.ts';
import { Field } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { type Crop, cropOf, squareOf } from './crop.ts';
import { elementOf } from './image.ts';

/** Side of the preview, in px of its canvas. */
const PREVIEW_PX = 512;
const MOST_ZOOM = 4;
/** Difference of the sides up to which a picture counts as square. */
const SQUARE = 1.02;

interface Cropping {
  element: HTMLImageElement;
  done(source: string | undefined): void;
}

/** Options of cropping. */
interface CropOptions {
  /** Longest side of the result, in px. */
  mostPx: number;
  /** True for a picture that is shown in a circle. */
  isRound?: boolean;
}

/**
 * Lets the person cut a square out of a chosen picture. Returns a function that reads a file as the
 * `data:` URI of a JPEG, `undefined` if the person cancels, and the dialog to show.
 */
export function useCropping(options: CropOptions): {
  read(file: Blob): Promise<string | undefined>;
  dialog: ReactNode;
} {
  const [cropping, setCropping] = useState<Cropping>();
  const finish = (source: string | undefined) => {
    cropping?.done(source);
    setCropping(undefined);
  };
  return {
    async read(file) {
      const address = URL.createObjectURL(file);
      try {
        const element = await elementOf(address);
        const { naturalWidth: width, naturalHeight: height } = element;
        if (Math.max(width, height) <= SQUARE * Math.min(width, height)) {
          return squareOf(element, cropOf(element, WHOLE), options.mostPx).toDataURL(...JPEG);
        }
        return await new Promise((done) => setCropping({ element, done }));
      } finally {
        URL.revokeObjectURL(address);
      }
    },
    dialog: cropping && (
      <CropDialog {...options} element={cropping.element} onDone={(source) => finish(source)} />
    ),
  };
}

/** The largest square in the middle. */
const WHOLE: Crop = { zoom: 1, x: 0.5, y: 0.5 };
const JPEG = ['image/jpeg', 0.88] as const;

function CropDialog({
  element,
  mostPx,
  isRound = false,
  onDone,
}: CropOptions & { element: HTMLImageElement; onDone(source: string | undefined): void }) {
  const [crop, setCrop] = useState(WHOLE);
  const canvas = useRef<HTMLCanvasElement>(null);
  const { left, top, side } = cropOf(element, crop);
  const room = { x: element.naturalWidth - side, y: element.naturalHeight - side };
  useEffect(() => {
    const context = canvas.current?.getContext('2d');
    context?.drawImage(element, left, top, side, side, 0, 0, PREVIEW_PX, PREVIEW_PX);
  }, [element, left, top, side]);
  const drag = ({ buttons, movementX, movementY, currentTarget }: PointerEvent) => {
    if (buttons === 0) return;
    const scale = side / currentTarget.clientWidth;
    const moved = (at: number, by: number, free: number) =>
      free === 0 ? at : Math.min(1, Math.max(0, at - (by * scale) / free));
    setCrop((now) => ({
      ...now,
      x: moved(now.x, movementX, room.x),
      y: moved(now.y, movementY, room.y),
    }));
  };
  const slider = (label: string, name: keyof Crop, [min, max]: [number, number], free: number) => (
    <Field label={label}>
      {(field) => (
        <input
          {...field}
          type="range"
          min={min}
          max={max}
          step="any"
          value={crop[name]}
          disabled={free === 0}
          onChange={({ target }) => setCrop({ ...crop, [name]: target.valueAsNumber })}
          className="w-full accent-accent"
        />
      )}
    </Field>
  );
  return (
    <FormDialog
      title="Choose the part to show"
      action="Use this part"
      onSubmit={() => onDone(squareOf(element, { left, top, side }, mostPx).toDataURL(...JPEG))}
      onClose={() => onDone(undefined)}
    >
      <canvas
        ref={canvas}
        width={PREVIEW_PX}
        height={PREVIEW_PX}
        role="img"
        aria-label="Chosen part of the picture"
        onPointerDown={({ currentTarget, pointerId }) => currentTarget.setPointerCapture(pointerId)}
        onPointerMove={drag}
        className={classes(
          'mx-auto aspect-square w-64 cursor-move touch-none bg-white',
          isRound ? 'rounded-full' : 'rounded-lg',
        )}
      />
      {slider('Zoom', 'zoom', [1, MOST_ZOOM], 1)}
      {slider('Left or right', 'x', [0, 1], room.x)}
      {slider('Up or down', 'y', [0, 1], room.y)}
    </FormDialog>
  );
}
