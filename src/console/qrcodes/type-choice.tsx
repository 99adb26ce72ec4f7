import { useId } from 'react';
import { classes } from '../ui/classes.ts';
import { CONTENT_NAMES, type ContentName } from './content.ts';
import { CONTENT_FORMS } from './content-fields.ts';

interface TypeChoiceProps {
  type: ContentName;
  /** Types to choose from; all by default. */
  types?: readonly ContentName[];
  onChange(type: ContentName): void;
  isDisabled: boolean;
}

/** The choice of the content type, by the effect of a scan. */
export function TypeChoice({ type, types = CONTENT_NAMES, onChange, isDisabled }: TypeChoiceProps) {
  const group = useId();
  return (
    <fieldset disabled={isDisabled} className="flex flex-col gap-1.5">
      <legend className="sr-only">Type</legend>
      <div className="grid grid-cols-[repeat(auto-fill,minmax(9.5rem,1fr))] gap-2">
        {types.map((name) => {
          const { label, icon: Icon } = CONTENT_FORMS[name];
          return (
            <label
              key={name}
              className={classes(
                'relative flex h-9 items-center gap-2 rounded-md border px-2.5 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent-text max-md:h-11',
                name === type
                  ? 'border-accent bg-accent-soft font-medium forced-colors:border-[Highlight] forced-colors:outline-2 forced-colors:outline-[Highlight]'
                  : 'border-line hover:bg-hover',
                isDisabled && name !== type && 'opacity-50',
              )}
            >
              <input
                type="radio"
                name={group}
                checked={name === type}
                onChange={() => onChange(name)}
                className="absolute inset-0 opacity-0"
              />
              <Icon size={15} aria-hidden className="shrink-0" />
              <span className="truncate">{label}</span>
            </label>
          );
        })}
      </div>
      <p className="text-xs text-muted">{CONTENT_FORMS[type].purpose}.</p>
    </fieldset>
  );
}
