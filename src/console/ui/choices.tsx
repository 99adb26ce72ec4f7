import { X } from 'lucide-react';
import { type KeyboardEvent, useId, useState } from 'react';
import { flushSync } from 'react-dom';
import { classes } from './classes.ts';
import { FieldError, inputLook, type OptionList } from './field.tsx';

interface ChoicesProps {
  /** Accessible name of the control. */
  label: string;
  values: readonly string[];
  options: OptionList;
  /** True when only the options can be chosen; otherwise the options are suggestions. */
  isClosed?: boolean;
  placeholder?: string;
  error?: string | undefined;
  onChange(values: string[]): void;
  /** Called with the text that is being typed, for options that depend on it. */
  onType?(text: string): void;
}

/**
 * Edits several values. Each chosen value has a button that removes it, and a text field finds more
 * among the options. Enter, a comma or leaving the field adds the typed value.
 */
export function Choices(props: ChoicesProps) {
  const { label, values, options, isClosed = false, placeholder, error, onChange } = props;
  const id = useId();
  const [text, showText] = useState('');
  const setText = (typed: string) => {
    showText(typed);
    props.onType?.(typed);
  };
  const [unknown, setUnknown] = useState<string>();
  const fault = unknown === undefined ? error : `“${unknown}” isn’t in the list.`;

  const valueOf = (typed: string): string | undefined => {
    const wanted = typed.toLowerCase();
    const option = options.find((one) => one.some((name) => name.toLowerCase() === wanted));
    return option?.[0] ?? (isClosed ? undefined : typed);
  };
  /**
   * Adds the values that the texts match.
   *
   * @returns the first text that matches no value
   */
  const add = (texts: readonly string[]): string | undefined => {
    const wanted = texts.map((one) => one.trim()).filter((one) => one !== '');
    const found = wanted.flatMap((one) => valueOf(one) ?? []);
    if (found.length > 0) onChange([...new Set([...values, ...found])]);
    return wanted.find((one) => valueOf(one) === undefined);
  };
  const finish = () => {
    const left = add(text.split(','));
    setText(left ?? '');
    setUnknown(left);
  };
  const type = (typed: string, isSuggestion: boolean) => {
    setUnknown(undefined);
    if (isSuggestion) {
      add([typed]);
      return setText('');
    }
    const parts = typed.split(',');
    const last = parts.pop() ?? '';
    const left = add(parts);
    if (left !== undefined) setUnknown(left);
    setText(left === undefined ? last.trimStart() : typed);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && text.trim() !== '') {
      event.preventDefault();
      // Ctrl+Enter submits the form right after this, so the value must already be in the state.
      flushSync(finish);
    }
    if (event.key === 'Backspace' && text === '' && values.length > 0) {
      onChange(values.slice(0, -1));
    }
  };
  return (
    <div className="flex min-w-0 flex-1 flex-col gap-1">
      <div
        className={classes(
          inputLook,
          'flex h-auto min-h-9 flex-wrap items-center gap-1 py-1 focus-within:outline-2 focus-within:outline-offset-2 focus-within:outline-accent-text max-md:h-auto max-md:min-h-11 max-md:py-0',
          fault !== undefined && 'border-danger',
        )}
      >
        {values.map((value) => {
          const name = options.find(([option]) => option === value)?.[1] ?? value;
          return (
            <span
              key={value}
              className="inline-flex items-center gap-0.5 rounded bg-hover pl-1.5 text-sm wrap-anywhere forced-colors:border"
            >
              {name}
              <button
                type="button"
                aria-label={`Remove ${name}`}
                onClick={() => onChange(values.filter((one) => one !== value))}
                className="grid size-6 shrink-0 place-items-center rounded text-muted hover:text-ink max-md:size-11"
              >
                <X size={12} aria-hidden />
              </button>
            </span>
          );
        })}
        <input
          aria-label={label}
          aria-invalid={fault === undefined ? undefined : true}
          aria-describedby={fault === undefined ? undefined : `${id}-error`}
          list={`${id}-options`}
          autoComplete="off"
          placeholder={values.length === 0 ? placeholder : undefined}
          value={text}
          onChange={({ target, nativeEvent }) =>
            type(
              target.value,
              // For a choice from the list, browsers report a replacement or send no InputEvent.
              !(nativeEvent instanceof InputEvent) ||
                nativeEvent.inputType === 'insertReplacementText',
            )
          }
          onKeyDown={onKeyDown}
          onBlur={finish}
          className="h-6 min-w-24 flex-1 bg-transparent outline-none max-md:h-11"
        />
      </div>
      <datalist id={`${id}-options`}>
        {options
          .filter(([value]) => !values.includes(value))
          .map(([value, name]) => (
            <option key={value} value={name}>
              {value === name ? undefined : value}
            </option>
          ))}
      </datalist>
      {fault !== undefined && <FieldError id={`${id}-error`} error={fault} label={label} />}
    </div>
  );
}
