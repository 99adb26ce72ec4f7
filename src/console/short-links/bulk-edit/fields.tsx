import { DateTimeField, type OptionList, SelectField, TextField } from '../../ui/field.tsx';
import { useShortDomains } from '../use-short-domains.ts';
import { UTM } from '../utm.ts';
import { UtmFields, useUtmRules, utmErrors } from '../utm-fields.tsx';
import type { BulkEditName, BulkForm, Choice } from './form.ts';

interface FieldsProps {
  form: BulkForm;
  /** Messages of the API by field. */
  errors: Readonly<Record<string, string>>;
  onChange(changes: Partial<BulkForm>): void;
}

function UtmEdit({ form, errors, onChange }: FieldsProps) {
  const rules = useUtmRules();
  const { utm, removed } = form;
  const messages = Object.fromEntries(
    UTM.flatMap(([name]) => {
      const message = errors[`data.${name}`];
      return message === undefined ? [] : [[name, message]];
    }),
  );
  return (
    <>
      <p className="text-muted">Empty fields stay as they are.</p>
      <UtmFields
        values={utm}
        rules={rules === null ? null : { ...rules, required: [] }}
        errors={{ ...utmErrors(utm, {}, rules), ...messages }}
        onChange={(name, value) =>
          onChange({
            utm: { ...utm, [name]: value },
            removed: new Set([...removed].filter((one) => one !== name)),
          })
        }
      />
      <fieldset>
        <legend className="mb-1 font-medium">Remove</legend>
        <div className="flex flex-wrap gap-x-5">
          {UTM.map(([name, label]) => (
            <label key={name} className="flex min-h-8 items-center gap-2 max-md:min-h-11">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={removed.has(name)}
                onChange={({ target }) =>
                  onChange({
                    utm: { ...utm, [name]: '' },
                    removed: new Set(
                      target.checked
                        ? [...removed, name]
                        : [...removed].filter((one) => one !== name),
                    ),
                  })
                }
              />
              {label}
            </label>
          ))}
        </div>
      </fieldset>
    </>
  );
}

const TIMES: OptionList = [
  ['keep', 'Don’t change'],
  ['set', 'Set a date'],
  ['clear', 'Never expire'],
];

const EXPIRED_URLS: OptionList = [
  ['keep', 'Don’t change'],
  ['set', 'Set a URL'],
  ['clear', 'Use the domain’s default'],
];

function ExpirationEdit({ form, errors, onChange }: FieldsProps) {
  return (
    <>
      <SelectField
        label="Expiration"
        data-autofocus
        options={TIMES}
        value={form.expiration}
        onChange={({ target }) => onChange({ expiration: target.value as Choice })}
      />
      {form.expiration === 'set' && (
        <DateTimeField
          label="Expires at"
          value={form.expiresAt}
          error={errors['data.expiresAt']}
          onChange={({ target }) => onChange({ expiresAt: target.value })}
        />
      )}
      <SelectField
        label="After that, redirect to"
        options={EXPIRED_URLS}
        value={form.expiredUrlChoice}
        onChange={({ target }) => onChange({ expiredUrlChoice: target.value as Choice })}
      />
      {form.expiredUrlChoice === 'set' && (
        <TextField
          label="URL after expiration"
          inputMode="url"
          placeholder="https://example.com/over"
          value={form.expiredUrl}
          error={errors['data.expiredUrl']}
          onChange={({ target }) => onChange({ expiredUrl: target.value })}
        />
      )}
    </>
  );
}

function DomainEdit({ form, errors, onChange }: FieldsProps) {
  const { main, others } = useShortDomains('');
  const options: OptionList = main === undefined ? others : [[main, main], ...others];
  return (
    <>
      <p className="rounded-md bg-warning-soft px-3 py-2 text-warning forced-colors:border">
        The present short links stop working, also where they are printed or shared. Slugs that are
        taken on the new domain are left out.
      </p>
      <SelectField
        label="New domain"
        data-autofocus
        none="Choose a domain"
        options={options}
        value={form.domain}
        error={errors['data.domain']}
        onChange={({ target }) => onChange({ domain: target.value })}
      />
    </>
  );
}

const PARTS: OptionList = [
  ['url', 'The whole URL'],
  ['host', 'The host'],
  ['path', 'The path'],
  ['query', 'The query'],
];

function ReplaceEdit({ form, errors, onChange }: FieldsProps) {
  return (
    <>
      <TextField
        label="Find"
        data-autofocus
        autoComplete="off"
        autoCapitalize="off"
        placeholder="shop.example.com"
        value={form.find}
        error={errors['replace.find']}
        onChange={({ target }) => onChange({ find: target.value })}
      />
      <TextField
        label="Replace with"
        autoComplete="off"
        autoCapitalize="off"
        placeholder="store.example.com"
        hint="Empty: the text is removed."
        value={form.with}
        error={errors['replace.with']}
        onChange={({ target }) => onChange({ with: target.value })}
      />
      <SelectField
        label="Search in"
        options={PARTS}
        value={form.in}
        onChange={({ target }) => onChange({ in: target.value as BulkForm['in'] })}
      />
      <label className="flex min-h-8 items-center gap-2 max-md:min-h-11">
        <input
          type="checkbox"
          className="size-4 accent-accent"
          checked={form.matchesCase}
          onChange={({ target }) => onChange({ matchesCase: target.checked })}
        />
        Match upper and lower case
      </label>
    </>
  );
}

/** The fields of each bulk edit. */
export const BULK_FIELDS: Readonly<
  Record<BulkEditName, (props: FieldsProps) => React.ReactElement>
> = {
  utm: UtmEdit,
  expiration: ExpirationEdit,
  domain: DomainEdit,
  replace: ReplaceEdit,
};
