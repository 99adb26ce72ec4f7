import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { inputLook, TextField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { useStored } from '../ui/use-stored.ts';
import type { FieldErrors } from './errors.ts';
import { Section } from './section.tsx';
import { UTM, type UtmValues, utmOf, withUtm } from './utm.ts';

interface UtmProps {
  /** The destination. */
  url: string;
  errors: FieldErrors;
  onChange(url: string): void;
}

/** The UTM parameters of the destination, field by field; templates are kept in this browser. */
export function UtmSection({ url, errors, onChange }: UtmProps) {
  const values = utmOf(url);
  const isSet = Object.keys(values).length > 0;
  return (
    <Section
      title="UTM parameters"
      isSet={isSet}
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
  const { slug } = useWorkspace();
  const [templates, setTemplates] = useStored<Record<string, UtmValues>>(`utm:${slug}`, {});
  const [name, setName] = useState('');
  const save = (close: () => void) => {
    if (name.trim() === '') return;
    setTemplates({ ...templates, [name.trim()]: values });
    setName('');
    close();
  };
  return (
    <Popover
      label="UTM templates"
      className="w-72 p-2"
      button={{ className: buttonLook(), children: 'Templates' }}
    >
      {(close) => (
        <div className="flex flex-col gap-1">
          {Object.entries(templates).map(([title, template]) => (
            <div key={title} className="flex items-center">
              <button
                type="button"
                className="h-8 flex-1 truncate rounded-md px-2 text-left hover:bg-hover"
                onClick={() => {
                  apply(template);
                  close();
                }}
              >
                {title}
              </button>
              <IconButton
                icon={Trash2}
                label={`Delete the template ${title}`}
                onClick={() => {
                  const { [title]: _deleted, ...others } = templates;
                  setTemplates(others);
                }}
              />
            </div>
          ))}
          <div className="flex gap-1">
            <input
              aria-label="Name of the template"
              placeholder="Save these as …"
              maxLength={60}
              value={name}
              onChange={(event) => setName(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                save(close);
              }}
              className={inputLook}
            />
            <Button onClick={() => save(close)}>Save</Button>
          </div>
        </div>
      )}
    </Popover>
  );
}
