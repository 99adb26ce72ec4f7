import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { colorFault, normalizeColor } from '../../qrcodes/render/color.ts';
import { NAMED_LOOKS } from '../../qrcodes/render/named-looks.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { classes } from '../ui/classes.ts';
import { useDrawn } from './drawn.ts';
import { addressOf } from './image.ts';
import { type Look, lookOf, PLAIN_LOOK } from './look.ts';
import { nameOfLook } from './option-names.ts';
import { TemplateMenu } from './template-menu.tsx';
import { nameOfTemplate, templatesQuery } from './templates.ts';

const SAMPLE = 'HELLO';

/** A style to start from. */
export interface Chosen {
  look: Look;
  /** Id of the template that has the style; absent: another preset. */
  template: string | undefined;
}

interface PresetsProps {
  /** The preset that is marked, `null` for none; absent where a choice is not kept. */
  chosen?: Chosen | null;
  onChosen(look: Look, template?: string): void;
}

/** Styles to start from: the brand’s, the workspace's templates, plain, and named looks. */
export function Presets({ chosen, onChosen }: PresetsProps) {
  const { api, limits, may } = useWorkspace();
  const templates = useQuery(templatesQuery(api)).data ?? [];
  const brand = useQuery(workspaceQuery(api)).data;
  const preset = (name: string, look: Look) => (
    <Preset
      key={name}
      name={name}
      look={look}
      isChosen={chosen === undefined ? undefined : isSame(chosen, look)}
      onChosen={onChosen}
    />
  );
  return (
    <ul className="grid grid-cols-2 gap-2 md:grid-cols-[repeat(auto-fill,minmax(8rem,1fr))]">
      {brand && (brand.brandColor ?? brand.logo) && preset('Brand', brandLook(brand))}
      {templates.map((template, index) => {
        const name = nameOfTemplate(templates, index);
        return (
          <Preset
            key={template.id}
            name={name}
            look={lookOf(template)}
            note={template.isDefault ? 'Default' : undefined}
            isChosen={chosen === undefined ? undefined : chosen?.template === template.id}
            onChosen={(look) => onChosen(look, template.id)}
            menu={
              chosen === undefined &&
              may('qrcodes.write') &&
              limits === null && <TemplateMenu template={template} name={name} />
            }
          />
        );
      })}
      {preset('Plain', PLAIN_LOOK)}
      {Object.entries(NAMED_LOOKS).map(([name, style]) => preset(nameOfLook(name), lookOf(style)))}
    </ul>
  );
}

const isSame = (chosen: Chosen | null, look: Look): boolean =>
  chosen !== null &&
  chosen.template === undefined &&
  JSON.stringify(chosen.look) === JSON.stringify(look);

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
  /** Absent where presets are not marked. */
  isChosen?: boolean | undefined;
  onChosen(look: Look): void;
  /** Shown over the picture. */
  note?: string | undefined;
  /** Actions of a template. */
  menu?: ReactNode;
}

function Preset({ name, look, isChosen, onChosen, note, menu }: PresetProps) {
  const { data } = useDrawn(SAMPLE, look);
  return (
    <li className="relative">
      <button
        type="button"
        aria-pressed={isChosen}
        onClick={() => onChosen(look)}
        className={classes(
          'flex w-full flex-col items-center gap-1 rounded-lg border bg-panel p-2 hover:bg-hover',
          isChosen === true ? 'border-accent bg-accent-soft' : 'border-line',
        )}
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
