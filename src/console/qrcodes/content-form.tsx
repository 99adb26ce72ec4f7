import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import type { FieldErrors } from '../short-links/errors.ts';
import { IconButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Field, inputLook, SelectField, Switch, TextArea, TextField } from '../ui/field.tsx';
import { type ContentName, type Draft, textOf } from './content.ts';
import { BR_CODE_FIELD, CONTENT_FORMS, type ContentField } from './content-fields.ts';
import { VcardLists } from './vcard-form.tsx';

interface ContentFormProps {
  type: ContentName;
  draft: Draft;
  onChange(draft: Draft): void;
  /** Errors of the content by field path: `wifi.ssid`. */
  errors: FieldErrors;
  /** True when the content cannot change, because a static code may be printed. */
  isDisabled: boolean;
}

/** The fields of a content type. */
export function ContentForm({ type, draft, onChange, errors, isDisabled }: ContentFormProps) {
  const isText = typeof draft === 'string';
  const fields = isText && type === 'pix' ? [BR_CODE_FIELD] : CONTENT_FORMS[type].fields;
  return (
    <fieldset disabled={isDisabled} className="flex flex-col gap-3">
      <legend className="sr-only">Content</legend>
      {type === 'pix' && (
        <SelectField
          label="Entered as"
          value={isText ? 'code' : 'payment'}
          onChange={({ target }) => onChange(target.value === 'code' ? '' : {})}
          options={[
            ['payment', 'Payment'],
            ['code', 'Complete BR Code'],
          ]}
        />
      )}
      <div className="grid grid-cols-2 gap-3">
        {fields.map((field) => (
          <div key={field.name} className={field.isHalf ? 'max-sm:col-span-2' : 'col-span-2'}>
            <ContentControl
              field={field}
              value={isText ? draft : draft[field.name]}
              error={errors[field.name === '' ? type : `${type}.${field.name}`]}
              onChange={(value) =>
                onChange(
                  field.name === '' || isText
                    ? String(value)
                    : { ...draft, [field.name]: value, ...(type === 'latlog' && pairOf(value)) },
                )
              }
            />
          </div>
        ))}
      </div>
      {type === 'vcard' && !isText && (
        <VcardLists draft={draft} onChange={onChange} errors={errors} />
      )}
      {errors[type] !== undefined && fields[0]?.name !== '' && (
        <p role="alert" className="text-xs text-danger">
          {errors[type]}
        </p>
      )}
    </fieldset>
  );
}

/** Splits a pair of coordinates, as map services copy it. */
function pairOf(value: string | boolean) {
  const pair = /^\s*(-?[\d.]+)\s*[,;]\s*(-?[\d.]+)\s*$/.exec(String(value));
  return pair === null ? undefined : { latitude: pair[1], longitude: pair[2] };
}

interface ControlProps {
  field: ContentField;
  value: unknown;
  error: string | undefined;
  onChange(value: string | boolean): void;
}

const MODES = { tel: 'tel', email: 'email', url: 'url', number: 'decimal' } as const;

function ContentControl({ field, value, error, onChange }: ControlProps) {
  const { label, kind = 'text', options, hint, placeholder, isRequired } = field;
  const text = textOf(value);
  const shared = {
    label,
    hint,
    error,
    placeholder,
    'aria-required': isRequired,
    value: text,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (kind === 'flag') {
    return <Switch label={label} hint={hint} checked={value === true} onChange={onChange} />;
  }
  if (options !== undefined) return <SelectField {...shared} options={options} />;
  if (kind === 'lines') return <TextArea {...shared} />;
  if (kind === 'secret') return <SecretField {...shared} />;
  return (
    <TextField
      {...shared}
      type="text"
      inputMode={kind in MODES ? MODES[kind as keyof typeof MODES] : undefined}
      autoComplete="off"
    />
  );
}

interface SecretProps {
  label: string;
  hint: string | undefined;
  error: string | undefined;
  value: string;
  onChange(event: { target: { value: string } }): void;
}

/** A password field with a show button; the password is readable in the code for everyone. */
function SecretField({ label, hint, error, value, onChange }: SecretProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="relative">
          <input
            {...control}
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            value={value}
            onChange={onChange}
            className={classes(inputLook, 'pr-10')}
          />
          <IconButton
            icon={isShown ? EyeOff : Eye}
            label={isShown ? 'Hide the password' : 'Show the password'}
            aria-pressed={isShown}
            onClick={() => setShown(!isShown)}
            className="absolute top-0.5 right-0.5"
          />
        </div>
      )}
    </Field>
  );
}
