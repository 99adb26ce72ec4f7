import { useQuery } from '@tanstack/react-query';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { utmTemplatesQuery } from '../settings/queries.ts';
import { buttonLook } from '../ui/button.tsx';
import { Popover } from '../ui/menu.tsx';
import { SavedList } from '../ui/saved-list.tsx';
import type { FieldErrors } from './errors.ts';
import { Section, summaryOf } from './section.tsx';
import { takesUtm, UTM, type UtmValues, utmOf, withUtm } from './utm.ts';
import { UtmFields, useUtmRules, utmErrors } from './utm-fields.tsx';

const TEXTS = {
  none: 'No templates yet',
  name: 'Template name',
  save: 'Save this template as …',
  deletionOf: (name: string) => `Delete the template ${name}`,
};

interface UtmProps {
  /** Destination URL. */
  url: string;
  /** Destination of the stored record, whose parameters the API accepts as they are. */
  stored: string | null | undefined;
  errors: FieldErrors;
  onChange(url: string): void;
}

/** The section for the UTM parameters of the destination, with the workspace's templates. */
export function UtmSection({ url, stored, errors, onChange }: UtmProps) {
  const values = utmOf(url);
  const ofWorkspace = useUtmRules();
  const rules = takesUtm(url) ? ofWorkspace : null;
  const all = { ...errors, ...utmErrors(values, utmOf(stored ?? ''), rules) };
  return (
    <Section
      title="UTM parameters"
      summary={summaryOf(...UTM.map(([name]) => values[name] ?? ''))}
      hasError={UTM.some(([name]) => all[name] !== undefined)}
    >
      <UtmFields
        values={values}
        rules={rules}
        errors={all}
        onChange={(name, value) => onChange(withUtm(url, { ...values, [name]: value }))}
      />
      <Popover
        label="UTM templates"
        className="w-72 p-2"
        button={{ className: `${buttonLook()} self-start`, children: 'Templates' }}
      >
        {(close) => (
          <TemplateList
            values={values}
            apply={(chosen) => onChange(withUtm(url, chosen))}
            close={close}
          />
        )}
      </Popover>
    </Section>
  );
}

interface TemplateListProps {
  values: UtmValues;
  apply(values: UtmValues): void;
  close(): void;
}

function TemplateList({ values, apply, close }: TemplateListProps) {
  const { api, limits, may } = useWorkspace();
  const templates = useQuery(utmTemplatesQuery(api));
  const { create, update, remove } = useResource('utmTemplates', {
    onCreated: close,
    onUpdated: close,
  });
  /** Saves the values as a template, replacing all values of a template with the same name. */
  const save = (name: string) => {
    const utm = Object.fromEntries(UTM.map(([one]) => [one, values[one] || null]));
    const existing = templates.data?.find((one) => one.name.toLowerCase() === name.toLowerCase());
    if (existing === undefined) create.write({ name, ...utm });
    else update.write({ seen: existing, body: utm });
  };
  return (
    <SavedList
      texts={TEXTS}
      records={templates.data}
      mayWrite={may('links.write') && limits === null}
      unsavable={
        UTM.every(([one]) => !values[one])
          ? 'Fill in a UTM parameter to save it as a template.'
          : undefined
      }
      busy={create.isPending || update.isPending}
      error={create.error ?? update.error ?? remove.error ?? templates.error}
      onOpen={(template) => {
        apply(Object.fromEntries(UTM.map(([one]) => [one, template[one] ?? ''])));
        close();
      }}
      onSave={save}
      onDelete={(template) => remove.write(template)}
    />
  );
}
