import { Fragment, type ReactNode } from 'react';
import { FieldError } from '../ui/field.tsx';
import { TableField } from '../ui/table-field.tsx';
import { ALL_FIELDS, SECTIONS, type ShortLinkDraft } from './fields.ts';
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
  const show = ({ name, control }: (typeof fields)[number]) => {
    if (control.input === 'own') return own[name];
    const { isFilledIn, refusal } = control;
    return (
      <Fragment key={name}>
        <TableField
          control={control}
          value={draft[name]}
          error={errors[name]}
          hint={hints[name]}
          autoComplete={isFilledIn === false ? 'off' : undefined}
          onChange={(value) => change({ [name]: value })}
        />
        {refusal !== undefined && errors[name] !== undefined && (
          <FieldError error={errors[name]} label={refusal} />
        )}
      </Fragment>
    );
  };
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
