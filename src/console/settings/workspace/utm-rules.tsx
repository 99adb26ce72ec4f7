import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { UTM, type UtmName } from '../../short-links/utm.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { SelectField, Switch } from '../../ui/field.tsx';
import { FormSection } from '../form-section.tsx';
import { useSaveWorkspace } from './save.ts';

type Rules = NonNullable<Schemas['Workspace']['utmRules']>;

const NO_RULES: Rules = { lowercase: false, separator: null, required: [] };

const SEPARATORS = [
  ['-', 'Hyphens: spring-sale'],
  ['_', 'Underscores: spring_sale'],
] as const;

/** The form for the rules that UTM parameters must follow. */
export function UtmRulesForm({ workspace }: { workspace: Schemas['Workspace'] }) {
  const { may } = useWorkspace();
  const mayWrite = may('workspace.write');
  const stored = workspace.utmRules ?? NO_RULES;
  const [rules, setRules] = useState(stored);
  const save = useSaveWorkspace(workspace, ({ utmRules }) => setRules(utmRules ?? NO_RULES));
  const set = (changes: Partial<Rules>) => setRules((now) => ({ ...now, ...changes }));
  const require = (name: UtmName, isRequired: boolean) =>
    set({
      required: UTM.map(([one]) => one).filter((one) =>
        one === name ? isRequired : rules.required.includes(one),
      ),
    });
  const isNone = !rules.lowercase && rules.separator === null && rules.required.length === 0;
  return (
    <FormSection
      title="UTM rules"
      description={
        <>
          New links and QR codes must follow them; existing ones stay as they are.{' '}
          <DocsLink guide="utm">How rules work</DocsLink>
        </>
      }
      mayWrite={mayWrite}
      write={save}
      isChanged={JSON.stringify(rules) !== JSON.stringify(stored)}
      onSubmit={() => save.write({ utmRules: isNone ? null : rules })}
    >
      <Switch
        label="Lower case only"
        hint="Analytics count Email and email as two sources."
        checked={rules.lowercase}
        disabled={!mayWrite}
        onChange={(lowercase) => set({ lowercase })}
      />
      <SelectField
        label="Words are separated by"
        disabled={!mayWrite}
        value={rules.separator ?? ''}
        onChange={({ target }) =>
          set({ separator: SEPARATORS.find(([one]) => one === target.value)?.[0] ?? null })
        }
        none="Anything"
        options={SEPARATORS}
      />
      <fieldset disabled={!mayWrite} className="flex flex-col gap-1">
        <legend className="mb-1 font-medium">Required parameters</legend>
        <div className="flex flex-wrap gap-x-5">
          {UTM.map(([name, label]) => (
            <label key={name} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
              <input
                type="checkbox"
                checked={rules.required.includes(name)}
                onChange={({ target }) => require(name, target.checked)}
                className="size-4 accent-accent"
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
    </FormSection>
  );
}
