import { type ComponentProps, type ComponentType, type ReactNode, useId } from 'react';
import { inWords } from '../api/error-words.ts';
import { classes } from './classes.ts';
import { type RefusedText, useOneUrl } from './one-url.ts';

/** Class names of text fields and selects. */
export const inputLook =
  'w-full rounded-md border border-edge bg-panel px-2.5 h-9 max-md:h-11 max-md:text-base aria-invalid:border-danger disabled:opacity-60';

interface FieldProps {
  label: string;
  /** Explanation of the expected value. */
  hint?: ReactNode;
  /** Error message about the value. */
  error?: string | undefined;
  /** Content beside the label, such as an action or a counter. */
  aside?: ReactNode;
  children(control: ControlProps): ReactNode;
}

/** Attributes that connect a control to its label, hint and error. */
export interface ControlProps {
  id: string;
  'aria-describedby'?: string;
  'aria-invalid'?: true;
}

/** A control with its label, hint and error. */
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
      {error && <FieldError id={`${id}-error`} error={error} label={label} />}
    </div>
  );
}

interface InputProps extends Omit<FieldProps, 'children'>, ComponentProps<'input'> {
  /** Offers what a person can do with a pasted list of URLs. */
  forManyUrls?: ComponentType<RefusedText> | undefined;
}

/** A labeled single-line text field. A URL field refuses pasted lists of URLs. */
export function TextField(props: InputProps) {
  const { label, hint, error, aside, forManyUrls: ForManyUrls, ...input } = props;
  const { refused, handlers } = useOneUrl(input.onChange);
  const isUrl = input.type === 'url' || input.inputMode === 'url';
  return (
    <Field label={label} hint={hint} error={refused?.message ?? error} aside={aside}>
      {(control) => (
        <>
          <input
            {...input}
            {...(isUrl && handlers)}
            {...control}
            className={classes(inputLook, input.className)}
          />
          {ForManyUrls && refused !== undefined && refused.urls > 1 && <ForManyUrls {...refused} />}
        </>
      )}
    </Field>
  );
}

/** Hint that names the browser's time zone, which date and time fields use. */
export const ZONE_HINT = `Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')}.`;

/** A labeled date and time field in the browser's time zone, which its hint names. */
export function DateTimeField({ hint, ...field }: Omit<InputProps, 'type'>) {
  const hints = (
    <>
      {hint} {ZONE_HINT}
    </>
  );
  return <TextField {...field} type="datetime-local" hint={hint ? hints : ZONE_HINT} />;
}

interface UrlInputProps extends Omit<ComponentProps<'input'>, 'type'> {
  'aria-label': string;
  error?: string | undefined;
}

/** A URL field inside a row of controls, with its error below. */
export function UrlInput({ error, ...input }: UrlInputProps) {
  const { refused, handlers } = useOneUrl(input.onChange);
  const message = refused?.message ?? error;
  return <RowInput {...input} {...handlers} type="url" error={message} errorLabel="URL" />;
}

interface RowInputProps extends ComponentProps<'input'> {
  'aria-label': string;
  hint?: string | undefined;
  error: string | undefined;
  /** Name of the value in its error message. */
  errorLabel: string;
}

/** A text field inside a row of controls, with its hint and error below. */
export function RowInput({ hint, error, errorLabel, ...input }: RowInputProps) {
  const id = useId();
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <input
        {...input}
        aria-invalid={error === undefined ? undefined : true}
        aria-describedby={error === undefined ? undefined : id}
        className={inputLook}
      />
      {hint && <p className="text-xs text-muted">{hint}</p>}
      {error !== undefined && <FieldError id={id} error={error} label={errorLabel} />}
    </div>
  );
}

/** An error message below a field. */
export function FieldError({ id, error, label }: { id?: string; error: string; label: string }) {
  return (
    <p id={id} className="text-xs text-danger">
      {inWords(error, label)}
    </p>
  );
}

type TextAreaProps = Omit<FieldProps, 'children'> & ComponentProps<'textarea'>;

/** A labeled multi-line text field. */
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

/** Values of a select with their labels. */
export type OptionList = readonly (readonly [value: string, label: string])[];

/** The options of a select. */
export const Options = ({ of }: { of: OptionList }) =>
  of.map(([value, label]) => (
    <option key={value} value={value}>
      {label}
    </option>
  ));

interface SelectProps extends Omit<FieldProps, 'children'>, ComponentProps<'select'> {
  /** Label of the empty value, which comes first. */
  none?: string;
  options?: OptionList | undefined;
}

/** A labeled select for one value. */
export function SelectField(props: SelectProps) {
  const { label, hint, error, aside, none, options = [], children, ...select } = props;
  return (
    <Field label={label} hint={hint} error={error} aside={aside}>
      {(control) => (
        <select {...select} {...control} className={inputLook}>
          {none !== undefined && <option value="">{none}</option>}
          <Options of={options} />
          {children}
        </select>
      )}
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

/** A labeled on/off switch. */
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
            // Contrast themes remove the backgrounds that tell on from off, so the switch uses
            // system colors.
            'forced-color-adjust-none forced-colors:border-[ButtonText]',
            checked
              ? 'border-accent bg-accent forced-colors:bg-[Highlight]'
              : 'border-edge bg-hover forced-colors:bg-[ButtonFace]',
          )}
        >
          <span
            className={classes(
              'size-3.5 rounded-full transition-transform',
              checked
                ? 'translate-x-4 bg-accent-ink forced-colors:bg-[HighlightText]'
                : 'bg-edge forced-colors:bg-[ButtonText]',
            )}
          />
        </span>
      </button>
    </div>
  );
}
