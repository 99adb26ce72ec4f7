import { type KeyboardEvent, type PointerEvent, useRef, useState } from 'react';
import type { Drawing } from '../../qrcodes/render/drawing-types.ts';
import type { Look } from './look.ts';

/** Smallest and largest width or height of a logo, as shares of the width of the code. */
const LEAST = 0.05;
const MOST = 0.6;
/** Steps of the arrow keys, and of Page Up and Page Down, as shares of the width of the code. */
const STEP = 0.01;
const LARGE_STEP = 0.05;

const STEPS: Readonly<Record<string, number>> = {
  ArrowUp: STEP,
  ArrowRight: STEP,
  ArrowDown: -STEP,
  ArrowLeft: -STEP,
  PageUp: LARGE_STEP,
  PageDown: -LARGE_STEP,
};

/** Radius of the handle's target as a share of the height, which is 184 px on phones. */
const TARGET = 0.12;

type Size = Pick<Look, 'width' | 'height'>;

interface LogoHandleProps {
  drawing: Drawing;
  /** Chosen size, which may be newer than the drawing. */
  size: Size;
  onChange(change: Size): void;
}

/**
 * The outline of the logo in the preview, with a handle that scales it by pointer or keys and keeps
 * its proportions. A logo is always in the middle of its code, so it has no other place.
 */
export function LogoHandle({ drawing, size, onChange }: LogoHandleProps) {
  const { width, height, image, code } = drawing;
  const [isDragged, setDragged] = useState(false);
  const box = useRef<SVGSVGElement>(null);
  if (image === null) return null;
  const ratio = image.width / image.height;
  const drawn = Math.max(image.width, image.height) / code.width;
  const wide = size.width ?? (size.height === null ? image.width : size.height * ratio);
  const share = Math.max(wide, size.height ?? wide / ratio) / code.width;
  const scale = (next: number) => {
    const longer = Math.min(MOST, Math.max(LEAST, next)) * code.width;
    const [across, down] = ratio >= 1 ? [longer, longer / ratio] : [longer * ratio, longer];
    onChange({ width: Math.max(1, Math.round(across)), height: Math.max(1, Math.round(down)) });
  };
  const onPointerMove = ({ clientX, clientY }: PointerEvent) => {
    const matrix = isDragged ? box.current?.getScreenCTM() : undefined;
    if (!matrix) return;
    const at = new DOMPoint(clientX, clientY).matrixTransform(matrix.inverse());
    const [middleX, middleY] = [image.x + image.width / 2, image.y + image.height / 2];
    // The corner follows the pointer along the diagonal of the logo.
    const factor = Math.max(
      Math.abs(at.x - middleX) / (image.width / 2),
      Math.abs(at.y - middleY) / (image.height / 2),
    );
    scale(drawn * factor);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = STEPS[event.key];
    if (step === undefined) return;
    event.preventDefault();
    scale(share + step);
  };
  const corner = { cx: image.x + image.width, cy: image.y + image.height };
  const percent = Math.round(share * 100);
  return (
    <svg
      ref={box}
      viewBox={`0 0 ${width} ${height}`}
      className="pointer-events-none absolute inset-3 h-[calc(100%-1.5rem)] w-[calc(100%-1.5rem)]"
    >
      <rect
        {...image}
        fill="none"
        className="stroke-accent"
        strokeWidth={1.5}
        strokeDasharray="4 3"
        vectorEffect="non-scaling-stroke"
      />
      <g
        role="slider"
        tabIndex={0}
        aria-label="Logo size"
        aria-valuemin={LEAST * 100}
        aria-valuemax={MOST * 100}
        aria-valuenow={percent}
        aria-valuetext={`${percent}% of the code`}
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId);
          setDragged(true);
        }}
        onPointerMove={onPointerMove}
        onPointerUp={() => setDragged(false)}
        onPointerCancel={() => setDragged(false)}
        onKeyDown={onKeyDown}
        className="group pointer-events-auto cursor-nwse-resize touch-none outline-none"
      >
        {/* A finger needs a larger target than the mark: 44 px on phones. */}
        <circle {...corner} r={height * TARGET} fill="transparent" />
        <circle
          {...corner}
          r={width / 40}
          className="fill-accent stroke-white group-focus-visible:stroke-ink"
          strokeWidth={2.5}
          vectorEffect="non-scaling-stroke"
        />
      </g>
    </svg>
  );
}
