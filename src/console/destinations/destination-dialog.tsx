import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { DocsLink } from '../ui/docs-link.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { inSentence } from '../ui/sentence.ts';
import { useFields } from '../ui/use-fields.ts';
import { FilterFields, filterBody, filterValues } from '../webhooks/filter-fields.tsx';
import { type DestinationType, KINDS, settingsOf, TYPES } from './kinds.ts';

type Destination = Schemas['Destination'];

const TYPE_OPTIONS = TYPES.map((type) => [type, KINDS[type].label] as const);

interface DestinationDialogProps {
  /** Destination to edit; absent for a new one. */
  destination?: Destination;
  onClose(): void;
}

/** A dialog that creates or edits a destination. */
export function DestinationDialog({ destination, onClose }: DestinationDialogProps) {
  const [seen] = useState(destination);
  const { create, update } = useResource('destinations', {
    onCreated: onClose,
    onUpdated: onClose,
  });
  const save = seen === undefined ? create : update;
  const { values, messages, set, text } = useFields(
    {
      type: seen?.type ?? ('matomo' as DestinationType),
      name: seen?.name ?? '',
      settings: seen === undefined ? {} : textsOf(seen),
      secret: '',
      ...filterValues(seen?.filter),
    },
    save.error,
  );
  const { type, name, secret } = values;
  const { label, guide, secret: secretField } = KINDS[type];
  const valueOf = (field: string, initial = '') => values.settings[field] ?? initial;
  const submit = () => {
    const settings = Object.fromEntries(
      settingsOf(type).flatMap(([field, { initial, isNumber }]) => {
        const value = valueOf(field, initial).trim();
        return value === '' ? [] : [[field, isNumber === true ? Number(value) : value]];
      }),
    );
    const body = { name, settings, filter: filterBody(values), ...(secret !== '' && { secret }) };
    if (seen === undefined) create.write({ ...body, type } as Schemas['NewDestination']);
    else update.write({ seen, body: body as Schemas['DestinationUpdate'] });
  };
  return (
    <FormDialog
      title={seen === undefined ? 'Create destination' : 'Edit destination'}
      action={seen === undefined ? 'Create destination' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      {seen === undefined && (
        <SelectField
          label="Send events to"
          {...text('type')}
          onChange={({ target }) =>
            set({ type: target.value as DestinationType, settings: {}, secret: '' })
          }
          options={TYPE_OPTIONS}
        />
      )}
      <TextField label="Name" data-autofocus required maxLength={100} {...text('name')} />
      <fieldset className="flex flex-col gap-4">
        <legend className="mb-1 font-medium">{label}</legend>
        <p className="text-muted">
          <DocsLink guide={`event-destinations#${guide}`}>{`What is sent to ${label}`}</DocsLink>
        </p>
        {settingsOf(type).map(([field, { isUrl, isNumber, initial, ...control }]) => (
          <TextField
            key={`${type} ${field}`}
            {...control}
            type={isUrl === true ? 'url' : 'text'}
            inputMode={isNumber === true ? 'numeric' : undefined}
            required
            spellCheck={false}
            error={messages[`settings.${field}`]}
            value={valueOf(field, initial)}
            onChange={({ target }) =>
              set({ settings: { ...values.settings, [field]: target.value } })
            }
          />
        ))}
        {secretField !== undefined && (
          <TextField
            label={seen === undefined ? secretField.label : `New ${inSentence(secretField.label)}`}
            hint={
              seen?.hasSecret === true
                ? 'Leave empty to keep the current one. Another URL needs it again.'
                : secretField.hint
            }
            type="password"
            autoComplete="new-password"
            required={seen === undefined && secretField.isRequired}
            maxLength={500}
            {...text('secret')}
          />
        )}
      </fieldset>
      <FilterFields values={values} messages={messages} set={set} />
    </FormDialog>
  );
}

/** Returns the settings of a destination as values of the form. */
const textsOf = ({ settings }: Destination): Record<string, string> =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, String(value)]));
