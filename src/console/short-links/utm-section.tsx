import { useQuery, useQueryClient } from '@tanstack/react-query';
import { answer, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { changeRecord, deleteRecord } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { SavedList } from '../ui/saved-list.tsx';
import { toast } from '../ui/toasts.tsx';
import type { FieldErrors } from './errors.ts';
import { utmTemplatesQuery } from './queries.ts';
import { Section, summaryOf } from './section.tsx';
import { UTM, type UtmValues, utmOf, withUtm } from './utm.ts';

interface UtmProps {
  /** The destination. */
  url: string;
  errors: FieldErrors;
  onChange(url: string): void;
}

/** The UTM parameters of the destination, field by field, and templates of the workspace. */
export function UtmSection({ url, errors, onChange }: UtmProps) {
  const values = utmOf(url);
  return (
    <Section
      title="UTM parameters"
      summary={summaryOf(...UTM.map(([name]) => values[name] ?? ''))}
      hasError={UTM.some(([name]) => errors[name] !== undefined)}
    >
      <div className="grid gap-4 md:grid-cols-2">
        {UTM.map(([name, label, example]) => (
          <TextField
            key={name}
            label={label}
            placeholder={example}
            value={values[name] ?? ''}
            error={errors[name]}
            onChange={(event) => onChange(withUtm(url, { ...values, [name]: event.target.value }))}
          />
        ))}
      </div>
      <Templates values={values} apply={(chosen) => onChange(withUtm(url, chosen))} />
    </Section>
  );
}

function Templates({ values, apply }: { values: UtmValues; apply(values: UtmValues): void }) {
  return (
    <Popover
      label="UTM templates"
      className="w-72 p-2"
      button={{ className: `${buttonLook()} self-start`, children: 'Templates' }}
    >
      {(close) => <TemplateList values={values} apply={apply} close={close} />}
    </Popover>
  );
}

interface TemplateListProps {
  values: UtmValues;
  apply(values: UtmValues): void;
  close(): void;
}

function TemplateList({ values, apply, close }: TemplateListProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const templates = useQuery(utmTemplatesQuery(api));
  const refresh = () => client.invalidateQueries({ queryKey: keys.utmTemplates.all });
  const save = useWrite({
    send: (name: string, key) => {
      // A template of the same name gets these values, and loses others.
      const utm = Object.fromEntries(UTM.map(([one]) => [one, values[one] || null]));
      const known = templates.data?.find((one) => one.name.toLowerCase() === name.toLowerCase());
      return known === undefined
        ? answer(
            api.POST('/utm-templates', {
              params: { header: { 'Idempotency-Key': key } },
              body: { name, ...utm },
            }),
          )
        : changeRecord(
            { api, path: '/utm-templates/{id}', of: { id: known.id }, seen: known },
            utm,
          );
    },
    onDone: ({ name }) => {
      void refresh();
      toast(`Template “${name}” saved`);
      close();
    },
  });
  const remove = useWrite({
    send: (seen: Schemas['UtmTemplate']) =>
      deleteRecord({ api, path: '/utm-templates/{id}', of: { id: seen.id }, seen }),
    onDone: refresh,
  });
  return (
    <SavedList
      noun="template"
      records={templates.data}
      mayWrite={may('links.write')}
      busy={save.isPending}
      error={save.error ?? remove.error ?? templates.error}
      onOpen={(template) => {
        apply(Object.fromEntries(UTM.map(([one]) => [one, template[one] ?? ''])));
        close();
      }}
      onSave={save.write}
      onDelete={(template) => remove.write(template)}
    />
  );
}
