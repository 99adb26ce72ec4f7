import { type ComponentProps, type ReactNode, useId, useState } from 'react';
import { inWords } from '../api/error-words.ts';
import { classes } from './classes.ts';
import { oneUrlHandlers } from './one-url.ts';

/** Look of what text is typed into or chosen in. */
export const inputLook =
  'w-full rounded-md border border-edge bg-panel px-2.5 h-9 max-md:h-11 max-md:text-base aria-invalid:border-danger disabled:opacity-60';

interface FieldProps {
  label: string;
  /** Explains what to enter. */
  hint?: ReactNode;
  /** Error of its value. */
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
      {error && <FieldError id={`${id}-error`} error={error} label={label} />}
    </div>
  );
}

interface InputProps extends Omit<FieldProps, 'children'>, ComponentProps<'input'> {
  /** Error of a URL field for a pasted list, given the number of its URLs. */
  manyUrls?: (urls: number) => string;
}

/** A labelled line of text. One for a URL refuses lists of them. */
export function TextField({ label, hint, error, aside, manyUrls, ...input }: InputProps) {
  const [refused, setRefused] = useState<string>();
  const isUrl = input.type === 'url' || input.inputMode === 'url';
  return (
    <Field label={label} hint={hint} error={refused ?? error} aside={aside}>
      {(control) => (
        <input
          {...input}
          {...(isUrl && oneUrlHandlers(setRefused, manyUrls))}
          {...control}
          onChange={(event) => {
            setRefused(undefined);
            input.onChange?.(event);
          }}
          className={classes(inputLook, input.className)}
        />
      )}
    </Field>
  );
}

/** Names the time zone of the browser, in which fields have their times. */
export const ZONE_HINT = `Time zone: ${Intl.DateTimeFormat().resolvedOptions().timeZone.replaceAll('_', ' ')}.`;

/** A labelled date and time, in the zone of the browser, which it names. */
export function DateTimeField({ hint, ...field }: Omit<InputProps, 'type'> & { hint?: string }) {
  return (
    <TextField
      {...field}
      type="datetime-local"
      hint={hint === undefined ? ZONE_HINT : `${hint} ${ZONE_HINT}`}
    />
  );
}

interface UrlInputProps extends Omit<ComponentProps<'input'>, 'type'> {
  'aria-label': string;
  error?: string | undefined;
}

/** A URL in a row of several controls, with its error below. */
export function UrlInput({ error, ...input }: UrlInputProps) {
  const id = useId();
  const [refused, setRefused] = useState<string>();
  const fault = refused ?? error;
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <input
        {...input}
        type="url"
        {...oneUrlHandlers(setRefused, undefined)}
        aria-invalid={fault === undefined ? undefined : true}
        aria-describedby={fault === undefined ? undefined : id}
        onChange={(event) => {
          setRefused(undefined);
          input.onChange?.(event);
        }}
        className={classes(inputLook, input.className)}
      />
      {fault !== undefined && <FieldError id={id} error={fault} label="URL" />}
    </div>
  );
}

/** Error message below a field. */
export function FieldError({ id, error, label }: { id?: string; error: string; label: string }) {
  return (
    <p id={id} className="text-xs text-danger">
      {inWords(error, label)}
    </p>
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
            // Contrast themes take backgrounds away, by which on and off differ: they get colors of the system.
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
