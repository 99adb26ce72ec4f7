import type { ComponentProps } from 'react';
import { SelectField } from './field.tsx';

interface OptionsProps {
  /** Labels by value. */
  of: Readonly<Record<string, string>>;
}

/** The options of a select. */
export const Options = ({ of }: OptionsProps) =>
  Object.entries(of).map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

type OptionsFieldProps = Omit<ComponentProps<typeof SelectField>, 'children'> & OptionsProps;

/** A labeled select of one option. */
export const OptionsField = ({ of, ...field }: OptionsFieldProps) => (
  <SelectField {...field}>
    <Options of={of} />
  </SelectField>
);
