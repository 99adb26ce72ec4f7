import { type ComponentProps, type ReactNode, useId } from 'react';
import { classes } from './classes.ts';

/** Look of what text is typed into or chosen in. */
export const inputLook =
  'w-full rounded-md border border-edge bg-panel px-2.5 h-9 max-md:h-11 max-md:text-base aria-invalid:border-danger disabled:opacity-60';

interface FieldProps {
  label: string;
  /** Explains what to enter. */
  hint?: ReactNode;
  /** What is wrong with it; the API's own message. */
  error?: string | undefined;
  /** Beside the label: an action, a counter. */
  aside?: ReactNode;
  children(control: ControlProps): ReactNode;
}

/** What ties a control to its label, hint and error. */
export interface ControlProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** A message of the API with a label in place of the name that programs know: "Password must …". */
export const inWords = (message: string, label: string): string =>
  message.replace(/^[a-zA-Z_][\w.[\]-]* (?=(?:must|may|is|can|does) )/, `${label} `);

/** A labelled control with its hint and its error. */
export function Field({ label, hint, error, aside, children }: FieldProps) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="flex flex-col gap-1">
      <div className="flex items-baseline justify-between gap-2">
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {aside}
      </div>
      {children({
        id,
        ...(described !== '' && { 'aria-describedby': described }),
        ...(error && { 'aria-invalid': true }),
      })}
      {hint && (
        <p id={`${id}-hint`} className="text-xs text-muted">
          {hint}
        </p>
      )}
      {error && (
        <p id={`${id}-error`} className="text-xs text-danger">
          {inWords(error, label)}
        </p>
      )}
    </div>
  );
}

type InputProps = Omit<FieldProps, 'children'> & ComponentProps<'input'>;

/** A labelled line of text. */
export function TextField({ label, hint, error, aside, ...input }: InputProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <input {...input} {...control} className={classes(inputLook, input.className)} />
      )}
    </Field>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> & ComponentProps<'textarea'>;

/** A labelled text of several lines. */
export function TextArea({ label, hint, error, aside, ...area }: TextAreaProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <textarea
          rows={3}
          {...area}
          {...control}
          className={classes(inputLook, 'h-auto py-1.5 max-md:h-auto', area.className)}
        />
      )}
    </Field>
  );
}

type SelectProps = Omit<FieldProps, 'children'> & ComponentProps<'select'>;

/** A labelled choice of one. */
export function SelectField({ label, hint, error, aside, ...select }: SelectProps) {
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => <select {...select} {...control} className={inputLook} />}
    </Field>
  );
}

interface SwitchProps {
  label: string;
  hint?: ReactNode;
  checked: boolean;
  disabled?: boolean;
  onChange(checked: boolean): void;
}

/** On or off. */
export function Switch({ label, hint, checked, disabled, onChange }: SwitchProps) {
  const id = useId();
  return (
    <div className="flex items-start justify-between gap-4">
      <div>
        <label htmlFor={id} className="font-medium">
          {label}
        </label>
        {hint && (
          <p id={`${id}-hint`} className="text-xs text-muted">
            {hint}
          </p>
        )}
      </div>
      <button
        id={id}
        type="button"
        role="switch"
        aria-checked={checked}
        aria-describedby={hint ? `${id}-hint` : undefined}
        disabled={disabled}
        onClick={() => onChange(!checked)}
        className="grid shrink-0 place-items-center rounded-full disabled:opacity-50 max-md:-my-2.5 max-md:size-11 md:mt-0.5"
      >
        <span
          className={classes(
            'flex h-5 w-9 items-center rounded-full border px-0.5',
            checked ? 'border-accent bg-accent' : 'border-edge bg-hover',
          )}
        >
          <span
            className={classes(
              'size-3.5 rounded-full transition-transform',
              checked ? 'translate-x-4 bg-accent-ink' : 'bg-edge',
            )}
          />
        </span>
      </button>
    </div>
  );
}
