import { useId } from 'react';
import { classes } from '../../ui/classes.ts';
import { RESOURCES, type Scope } from './scopes.ts';

interface ScopeFieldsProps {
  scopes: readonly Scope[];
  onChange(scopes: Scope[]): void;
  /** Returns true for scopes that can be chosen. */
  may(scope: Exclude<Scope, '*'>): boolean;
  error?: string | undefined;
}

/** The fields for the rights of a key: none, read, or read and write for each kind of record. */
export function ScopeFields({ scopes, onChange, may, error }: ScopeFieldsProps) {
  const id = useId();
  const set = (old: readonly (Scope | undefined)[], next: Scope | undefined) =>
    onChange([
      ...scopes.filter((scope) => scope !== '*' && !old.includes(scope)),
      ...(next === undefined ? [] : [next]),
    ]);
  return (
    <fieldset aria-describedby={error && id} className="flex flex-col">
      <legend className="sr-only">Scopes</legend>
      {RESOURCES.map(({ label, read, write }) => {
        const now = [write, read].find((scope) => scope !== undefined && scopes.includes(scope));
        // Nobody can grant scopes that they lack.
        const given = [read, write].filter((scope) => scope !== undefined && may(scope));
        if (given.length === 0) return null;
        // A resource such as the audit log can only be read, and has no scope for the other choice.
        const choices = [
          { label: 'None', column: 'col-start-1', scope: undefined },
          ...[
            { label: 'Read', column: 'col-start-2', scope: read },
            { label: 'Write', column: 'col-start-3', scope: write },
          ].filter(({ scope }) => scope !== undefined && given.includes(scope)),
        ];
        return (
          <div
            key={label}
            role="radiogroup"
            aria-label={label}
            className="flex items-center justify-between gap-2 border-b border-line py-1 last:border-0"
          >
            <span>{label}</span>
            <span className="grid w-36 grid-cols-3 max-md:w-48">
              {choices.map((choice) => (
                <label
                  key={choice.label}
                  className={classes(
                    'flex h-7 items-center justify-center rounded-md text-xs has-focus-visible:outline-2 has-focus-visible:outline-accent-text max-md:h-11',
                    choice.column,
                    choice.scope === now
                      ? 'bg-accent-soft font-medium text-accent-text'
                      : 'text-muted hover:bg-hover',
                  )}
                >
                  <input
                    type="radio"
                    name={`${id}-${label}`}
                    className="sr-only"
                    checked={choice.scope === now}
                    onChange={() => set([read, write], choice.scope)}
                  />
                  {choice.label}
                </label>
              ))}
            </span>
          </div>
        );
      })}
      {error && (
        <p id={id} className="text-xs text-danger">
          {error}
        </p>
      )}
    </fieldset>
  );
}
