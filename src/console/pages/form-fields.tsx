import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import type { Schemas } from '../api/client.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';

export type FormField = Schemas['FormField'];

/** Labels of the input types. */
const TYPES = {
  text: 'Text',
  email: 'Email',
  phone: 'Phone',
  number: 'Number',
  textarea: 'Long text',
  select: 'Choice',
  checkbox: 'Checkbox',
};
const MOST_FIELDS = 30;

interface FormFieldsProps {
  fields: readonly FormField[];
  onChange(fields: FormField[]): void;
  messages: Readonly<Record<string, string>>;
}

/** The editor for the form of a page, with its fields in order. */
export function FormFields({ fields, onChange, messages }: FormFieldsProps) {
  const set = (at: number, field: FormField) => onChange(fields.with(at, field));
  const move = (at: number, step: number) => {
    const moved = fields[at];
    if (moved !== undefined) onChange(fields.toSpliced(at, 1).toSpliced(at + step, 0, moved));
  };
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Form</legend>
      {fields.length === 0 && (
        <p className="text-muted">No fields yet. Visitors see only the button.</p>
      )}
      {fields.map((field, at) => (
        <div
          // Fields have no ids, and their names change while they are typed.
          // oxlint-disable-next-line react/no-array-index-key
          key={at}
          role="group"
          aria-label={`Field ${at + 1}`}
          className="flex flex-col gap-3 rounded-lg border border-line bg-panel p-3"
        >
          <div className="flex items-center justify-between">
            <span className="text-xs text-muted">Field {at + 1}</span>
            <span className="flex">
              <IconButton
                icon={ArrowUp}
                label={`Move field ${at + 1} up`}
                disabled={at === 0}
                onClick={() => move(at, -1)}
              />
              <IconButton
                icon={ArrowDown}
                label={`Move field ${at + 1} down`}
                disabled={at === fields.length - 1}
                onClick={() => move(at, 1)}
              />
              <IconButton
                icon={Trash2}
                label={`Remove field ${at + 1}`}
                onClick={() => onChange(fields.toSpliced(at, 1))}
              />
            </span>
          </div>
          <FieldInputs
            field={field}
            number={at + 1}
            onChange={(changed) => set(at, changed)}
            message={(part) => messages[`fields.${at}.${part}`]}
          />
        </div>
      ))}
      {fields.length < MOST_FIELDS && (
        <div>
          <Button
            icon={Plus}
            onClick={() =>
              onChange([...fields, { name: '', label: '', type: 'text', required: false }])
            }
          >
            Add field
          </Button>
        </div>
      )}
    </fieldset>
  );
}

interface FieldInputsProps {
  field: FormField;
  /** Position in the form, from 1. */
  number: number;
  onChange(field: FormField): void;
  message(part: string): string | undefined;
}

function FieldInputs({ field, number, onChange, message }: FieldInputsProps) {
  return (
    <>
      <div className="grid gap-3 md:grid-cols-2">
        <TextField
          label="Question"
          aria-label={`Question of field ${number}`}
          required
          maxLength={200}
          value={field.label}
          error={message('label')}
          onChange={({ target: { value } }) => {
            const isNamed = field.name !== nameOf(field.label);
            onChange({ ...field, label: value, ...(!isNamed && { name: nameOf(value) }) });
          }}
        />
        <TextField
          label="Name"
          aria-label={`Name of field ${number}`}
          hint="Identifies the answer in exports and the API."
          required
          maxLength={50}
          value={field.name}
          error={message('name')}
          onChange={(event) => onChange({ ...field, name: event.target.value })}
        />
        <SelectField
          label="Type"
          aria-label={`Type of field ${number}`}
          value={field.type}
          error={message('type')}
          onChange={({ target: { value } }) => {
            const { options, ...rest } = field;
            onChange({
              ...rest,
              type: value,
              ...(value === 'select' && { options: options ?? /* value */ ['Yes', 'No'] }),
            });
          }}
          options={Object.entries(TYPES)}
        />
        <label className="flex min-h-9 items-center gap-2 self-end max-md:min-h-11">
          <input
            type="checkbox"
            className="size-4 accent-accent"
            aria-label={`Required: field ${number}`}
            checked={field.required}
            onChange={(event) => onChange({ ...field, required: event.target.checked })}
          />
          Required
        </label>
      </div>
      {field.type === 'select' && (
        <TextArea
          label="Choices"
          aria-label={`Choices of field ${number}`}
          hint="Enter one per line."
          value={(field.options ?? []).join('\n')}
          error={message('options')}
          onChange={(event) => onChange({ ...field, options: event.target.value.split('\n') })}
        />
      )}
    </>
  );
}

/** Derives a field name from a question: "Your email" becomes `your_email`. */
const nameOf = (label: string): string =>
  label
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^[^a-z]+|_$/g, '')
    .slice(0, 50);
