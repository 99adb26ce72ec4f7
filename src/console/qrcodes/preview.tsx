import { describe } from '../api/error.ts';
import { Skeleton } from '../ui/states.tsx';
import { useDrawn } from './drawn.ts';
import { addressOf } from './image.ts';
import { LogoHandle } from './logo-handle.tsx';
import type { Look } from './look.ts';
import { NOT_COMPLETE, ScorePanel, wordOf } from './score-panel.tsx';

interface PreviewProps {
  /** Encoded text; absent while nothing can be drawn. */
  payload: string | undefined;
  look: Look;
  /** Reason why the content is not complete yet. */
  hint: string | undefined;
  /** True when the image shows only the style, with a placeholder short link. */
  isSample: boolean;
  /** Changes the size of the logo; absent: it cannot be changed. */
  onLogoSize?: ((size: Pick<Look, 'width' | 'height'>) => void) | undefined;
}

/** The code as the service will render it, with its scannability. */
export function Preview({ payload, look, hint, isSample, onLogoSize }: PreviewProps) {
  const { data, error } = useDrawn(payload, look);
  return (
    <div className="flex flex-col gap-4">
      <div className="relative flex h-64 items-center justify-center rounded-lg bg-[repeating-conic-gradient(#e8e8ec_0_25%,#fff_0_50%)] bg-size-[16px_16px] p-3 max-lg:h-52">
        {payload === undefined ? (
          <p className="rounded bg-white px-3 py-2 text-center text-neutral-700">
            Enter the content to see the code.
          </p>
        ) : data ? (
          <img
            src={addressOf(data.svg)}
            alt="Preview of the QR code"
            className="size-full object-contain"
          />
        ) : error === null ? (
          <Skeleton className="size-40" />
        ) : null}
        {payload !== undefined && data && !error && onLogoSize && (
          <LogoHandle drawing={data.drawing} size={look} onChange={onLogoSize} />
        )}
        {isSample && data && (
          <span className="absolute top-2 left-2 rounded bg-white px-2 py-0.5 text-xs font-medium text-neutral-700">
            Sample
          </span>
        )}
      </div>
      {hint !== undefined && <p className="text-xs text-muted">{hint}</p>}
      {error && (
        <p role="alert" className="text-danger">
          {describe(error)}
        </p>
      )}
      {payload !== undefined && data && !error && (
        <ScorePanel score={data.score} isComplete={!isSample} />
      )}
    </div>
  );
}

/**
 * A small image of the code with its scannability, for windows in which the preview is out of view.
 */
export function Thumbnail({
  payload,
  look,
  isSample,
}: Pick<PreviewProps, 'payload' | 'look' | 'isSample'>) {
  const { data, error } = useDrawn(payload, look);
  const isDrawn = payload !== undefined && data !== undefined && error === null;
  return (
    <>
      <span className="size-11 shrink-0 rounded-md border border-line bg-white p-0.5">
        {isDrawn && <img src={addressOf(data.svg)} alt="" className="size-full object-contain" />}
      </span>
      <span className="flex-1 text-muted">
        {isDrawn ? (isSample ? NOT_COMPLETE : wordOf(data.score)) : ''}
      </span>
    </>
  );
}
