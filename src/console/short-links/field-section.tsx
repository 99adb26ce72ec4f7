import type { ReactNode } from 'react';
import {
  DateTimeField,
  FieldError,
  SelectField,
  Switch,
  TextArea,
  TextField,
} from '../ui/field.tsx';
import { ALL_FIELDS, type FieldControl, SECTIONS, type ShortLinkDraft } from './fields.ts';
import { type PartProps, Section, summaryOf } from './section.tsx';

interface FieldSectionProps extends PartProps {
  section: keyof typeof SECTIONS;
  /** Controls of the fields whose input is `own`, by field name. */
  own?: Partial<Record<keyof ShortLinkDraft, ReactNode>>;
  /** Hints that depend on the record, by field name. */
  hints?: Partial<Record<keyof ShortLinkDraft, ReactNode>>;
  /** True when an additional field has an error, which opens the section. */
  hasFurtherError?: boolean;
  /** Additional fields at the end. */
  children?: ReactNode;
}

/** A section of the form, built from the rows of the field table that belong to it. */
export function FieldSection(props: FieldSectionProps) {
  const { section, own = {}, hints = {}, draft, errors, change, record } = props;
  const fields = ALL_FIELDS.flatMap(({ name, control }) =>
    control?.section === section ? [{ name, control }] : [],
  );
  const shown = fields.filter(({ control }) => control.isOnlyNew !== true || record === undefined);
  const show = ({ name, control }: (typeof fields)[number]) =>
    control.input === 'own' ? (
      own[name]
    ) : (
      <Control
        key={name}
        control={control}
        value={draft[name]}
        error={errors[name]}
        hint={hints[name] ?? control.hint}
        onChange={(value) => change({ [name]: value })}
      />
    );
  const halves = shown.filter(({ control }) => control.isHalf === true);
  return (
    <Section
      title={SECTIONS[section]}
      summary={summaryOf(
        ...fields.map(({ name, control }) => control.summary?.(draft[name]) ?? ''),
      )}
      hasError={
        props.hasFurtherError === true || fields.some(({ name }) => errors[name] !== undefined)
      }
    >
      {halves.length > 0 && <div className="grid gap-4 md:grid-cols-2">{halves.map(show)}</div>}
      {shown.filter(({ control }) => control.isHalf !== true).map(show)}
      {props.children}
    </Section>
  );
}

interface ControlProps {
  control: FieldControl;
  value: unknown;
  error: string | undefined;
  hint: ReactNode;
  onChange(value: string | boolean): void;
}

function Control({ control, value, error, hint, onChange }: ControlProps) {
  const { input, label, maxLength, placeholder, options, isFilledIn, refusal } = control;
  if (input === 'switch') {
    return (
      <>
        <Switch label={label} hint={hint} checked={value === true} onChange={onChange} />
        {refusal !== undefined && error !== undefined && (
          <FieldError error={error} label={refusal} />
        )}
      </>
    );
  }
  const field = {
    label,
    value: String(value),
    error,
    placeholder,
    maxLength,
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (input === 'time') return <DateTimeField {...field} />;
  if (input === 'area') return <TextArea {...field} hint={hint} />;
  if (options !== undefined) return <SelectField {...field} options={options} />;
  return (
    <TextField
      {...field}
      hint={hint}
      {...(input === 'url' && { type: 'url' })}
      {...(input === 'count' && { type: 'number', min: 1 })}
      {...(isFilledIn === false && { autoComplete: 'off' })}
    />
  );
}
