import { colorFault } from '../../qrcodes/render/color.ts';
import { MARK_NAMES, markAddress, markLabel } from './marks.ts';

interface MarkChoiceProps {
  /** Color of the marks; black in place of one that is no opaque color. */
  color: string;
  onImage(source: string): void;
}

/** Buttons that use a known mark as the logo. */
export function MarkChoice({ color, onImage }: MarkChoiceProps) {
  const ground = colorFault(color) === undefined ? color : '#000000';
  return (
    <fieldset>
      <legend className="mb-1.5 font-medium">Or choose a mark</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(2.75rem,1fr))] gap-2">
        {MARK_NAMES.map((name) => {
          const source = markAddress(name, ground);
          return (
            <button
              key={name}
              type="button"
              title={markLabel(name)}
              aria-label={`Logo: ${markLabel(name)}`}
              onClick={() => onImage(source)}
              className="aspect-square rounded-lg border border-edge bg-white p-1.5 hover:border-ink"
            >
              <img src={source} alt="" className="size-full forced-color-adjust-none" />
            </button>
          );
        })}
      </div>
    </fieldset>
  );
}
