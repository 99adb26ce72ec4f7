import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { colorFault, normalizeColor } from '../../qrcodes/render/color.ts';
import { NAMED_LOOKS } from '../../qrcodes/render/named-looks.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { useDrawn } from './drawn.ts';
import { addressOf } from './image.ts';
import { type Look, lookOf, PLAIN_LOOK } from './look.ts';
import { nameOfLook } from './option-names.ts';
import { TemplateMenu } from './template-menu.tsx';
import { nameOfTemplate, templatesQuery } from './templates.ts';

const SAMPLE = 'HELLO';

/** Styles to start from: plain, named looks, the brand’s, and the workspace's templates. */
export function Presets({ onChosen }: { onChosen(look: Look): void }) {
  const { api, limits, may } = useWorkspace();
  const templates = useQuery(templatesQuery(api)).data ?? [];
  const brand = useQuery(workspaceQuery(api)).data;
  return (
    <ul className="grid grid-cols-2 gap-2 md:grid-cols-[repeat(auto-fill,minmax(8rem,1fr))]">
      <Preset name="Plain" look={PLAIN_LOOK} onChosen={onChosen} />
      {Object.entries(NAMED_LOOKS).map(([name, style]) => (
        <Preset key={name} name={nameOfLook(name)} look={lookOf(style)} onChosen={onChosen} />
      ))}
      {brand && (brand.brandColor ?? brand.logo) && (
        <Preset name="Brand" look={brandLook(brand)} onChosen={onChosen} />
      )}
      {templates.map((template, index) => {
        const name = nameOfTemplate(templates, index);
        return (
          <Preset
            key={template.id}
            name={name}
            look={lookOf(template)}
            note={template.isDefault ? 'Default' : undefined}
            onChosen={onChosen}
            menu={
              may('qrcodes.write') &&
              limits === null && <TemplateMenu template={template} name={name} />
            }
          />
        );
      })}
    </ul>
  );
}

/**
 * Builds the brand's style: its color is used for the modules if it is dark enough, and otherwise
 * for the frame.
 */
function brandLook({ brandColor, logo }: { brandColor: string | null; logo: string | null }): Look {
  const color =
    brandColor === null || colorFault(brandColor) !== undefined
      ? PLAIN_LOOK.fgColor
      : normalizeColor(brandColor);
  return {
    ...PLAIN_LOOK,
    fgColor: color,
    frameColor: color,
    pattern: 'rounded',
    shape: 'rounded',
    image: logo,
  };
}

interface PresetProps {
  name: string;
  look: Look;
  onChosen(look: Look): void;
  /** Shown over the picture. */
  note?: string | undefined;
  /** Actions of a template. */
  menu?: ReactNode;
}

function Preset({ name, look, onChosen, note, menu }: PresetProps) {
  const { data } = useDrawn(SAMPLE, look);
  return (
    <li className="relative">
      <button
        type="button"
        onClick={() => onChosen(look)}
        className="flex w-full flex-col items-center gap-1 rounded-lg border border-line bg-panel p-2 hover:bg-hover"
      >
        <span className="size-16 rounded bg-white p-1">
          {data && <img src={addressOf(data.svg)} alt="" className="size-full object-contain" />}
        </span>
        <span className="w-full truncate text-xs" title={name}>
          {name}
        </span>
      </button>
      {note !== undefined && (
        <span className="pointer-events-none absolute top-1 left-1 rounded bg-accent-soft px-1.5 py-0.5 text-xs">
          {note}
        </span>
      )}
      {menu && <div className="absolute top-0 right-0">{menu}</div>}
    </li>
  );
}
