import { useQuery } from '@tanstack/react-query';
import { useId, useState } from 'react';
import { normalizeUtm, type UtmRules, utmFaults } from '../../workspaces/utm-rules.ts';
import { fieldsInWords } from '../api/error-words.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { workspaceQuery } from '../settings/queries.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import type { FieldErrors } from './errors.ts';
import { utmValuesQuery } from './queries.ts';
import { UTM, type UtmName, type UtmValues } from './utm.ts';

/** The workspace's rules for UTM parameters; `null` if there are none, or not loaded yet. */
export function useUtmRules(): UtmRules | null {
  const { api } = useWorkspace();
  return useQuery(workspaceQuery(api)).data?.utmRules ?? null;
}

/**
 * Returns the errors of the values, by their parameters; empty values have none, and stored ones
 * are accepted.
 */
export const utmErrors = (
  values: UtmValues,
  stored: UtmValues,
  rules: UtmRules | null,
): FieldErrors =>
  Object.assign(
    {},
    ...UTM.map(([name]) => {
      const value = values[name] ?? '';
      const isAccepted = rules === null || value === '' || value === stored[name];
      const faults = isAccepted ? [] : utmFaults(value, name, rules);
      return fieldsInWords(faults.map((fault) => `${name} ${fault}`).join('; '));
    }),
  ) as FieldErrors;

interface UtmFieldsProps {
  values: UtmValues;
  rules: UtmRules | null;
  errors: FieldErrors;
  onChange(name: UtmName, value: string): void;
}

/** A field for each UTM parameter, with the values used before and a check of the rules. */
export function UtmFields({ values, rules, errors, onChange }: UtmFieldsProps) {
  const { api } = useWorkspace();
  const id = useId();
  const [isActive, setActive] = useState(false);
  // Most people open the form for other fields, so the values wait for the focus.
  const used = useQuery({ ...utmValuesQuery(api), enabled: isActive }).data;
  return (
    <div className="grid gap-4 md:grid-cols-2" onFocus={() => setActive(true)}>
      {UTM.map(([name, label, example]) => {
        const value = values[name] ?? '';
        const normal = rules === null ? value : normalizeUtm(value, rules);
        return (
          <div key={name} className="flex min-w-0 flex-col gap-1">
            <TextField
              label={label}
              placeholder={example}
              value={value}
              list={`${id}-${name}`}
              autoComplete="off"
              autoCapitalize="off"
              hint={rules?.required.includes(name) ? 'Required in this workspace.' : undefined}
              error={errors[name]}
              onChange={(event) => onChange(name, event.target.value)}
            />
            <datalist id={`${id}-${name}`}>
              {used?.[name].map((one) => (
                <option key={one.value} value={one.value} />
              ))}
            </datalist>
            {normal !== value && normal !== '' && (
              <Button size="small" className="self-start" onClick={() => onChange(name, normal)}>
                Use {normal}
              </Button>
            )}
          </div>
        );
      })}
    </div>
  );
}
