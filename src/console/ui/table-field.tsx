import { Eye, EyeOff } from 'lucide-react';
import { type ComponentProps, type ReactNode, useState } from 'react';
import { IconButton } from './button.tsx';
import {
  DateTimeField,
  Field,
  inputLook,
  type OptionList,
  SelectField,
  Switch,
  TextArea,
  TextField,
} from './field.tsx';

/** Attributes of the single-line text fields. */
const TEXTS = {
  text: {},
  url: { type: 'url' },
  count: { type: 'number', min: 1 },
  tel: { inputMode: 'tel' },
  website: { inputMode: 'url' },
  decimal: { inputMode: 'decimal' },
  date: { type: 'date' },
  local: { type: 'datetime-local' },
} as const;

/** A control as a row of a table of fields. */
export interface ControlRow {
  label: string;
  hint?: string;
  placeholder?: string;
  /** Type of the control; a text field by default. */
  input?: keyof typeof TEXTS | 'area' | 'secret' | 'select' | 'switch' | 'time';
  /** Choices of a select. */
  options?: OptionList;
  maxLength?: number;
  isRequired?: true;
}

interface TableFieldProps {
  control: ControlRow;
  value: unknown;
  error: string | undefined;
  /** Replaces the hint of the row. */
  hint?: ReactNode;
  /** Pass `off` for a text that browsers must not autofill. */
  autoComplete: 'off' | undefined;
  onChange(value: string | boolean): void;
}

/** The control that a row of a table of fields describes. */
export function TableField(props: TableFieldProps) {
  const { control, value, error, hint = control.hint, autoComplete, onChange } = props;
  const { input = 'text', label, options, placeholder, maxLength, isRequired } = control;
  if (input === 'switch') {
    return <Switch label={label} hint={hint} checked={value === true} onChange={onChange} />;
  }
  const field = {
    label,
    hint,
    error,
    placeholder,
    maxLength,
    'aria-required': isRequired,
    value: typeof value === 'string' || typeof value === 'number' ? String(value) : '',
    onChange: ({ target }: { target: { value: string } }) => onChange(target.value),
  };
  if (input === 'time') return <DateTimeField {...field} />;
  if (input === 'area') return <TextArea {...field} />;
  if (input === 'select') return <SelectField {...field} options={options} />;
  if (input === 'secret') return <SecretField {...field} />;
  return <TextField {...field} {...TEXTS[input]} autoComplete={autoComplete} />;
}

interface SecretProps extends ComponentProps<'input'> {
  label: string;
  hint: ReactNode;
  error: string | undefined;
}

/** A password field with a show button; the password is readable in the code for everyone. */
function SecretField({ label, hint, error, ...input }: SecretProps) {
  const [isShown, setShown] = useState(false);
  return (
    <Field label={label} hint={hint} error={error}>
      {(control) => (
        <div className="relative">
          <input
            {...input}
            {...control}
            type={isShown ? 'text' : 'password'}
            autoComplete="off"
            className={`${inputLook} pr-10`}
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
