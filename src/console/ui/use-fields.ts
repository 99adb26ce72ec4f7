import { useState } from 'react';
import { messagesOf } from './form-dialog.tsx';

/** Names of the values that are texts. */
type TextName<Values> = {
  [Name in keyof Values & string]: Values[Name] extends string ? Name : never;
}[keyof Values & string];

/**
 * Holds the values of a form.
 *
 * @param initial values by the names of the fields in the API
 * @param error error of the last attempt, whose messages appear at the fields
 */
export function useFields<Values extends object>(initial: Values, error: Error | null) {
  const [values, setValues] = useState(initial);
  /** Fields that were changed after a refusal, so that its messages about them no longer hold. */
  const [corrected, setCorrected] = useState<{ of: Error | null; names: readonly string[] }>();
  const names = corrected?.of === error ? (corrected?.names ?? []) : [];
  const messages = Object.fromEntries(
    Object.entries(messagesOf(error)).filter(([name]) => !names.includes(name)),
  );
  const set = (changes: Partial<Values>) => {
    setValues((now) => ({ ...now, ...changes }));
    const changed = Object.keys(changes) as (keyof Values & string)[];
    const others = changed.filter((name) => changes[name] !== values[name]);
    if (error !== null) setCorrected({ of: error, names: [...names, ...others] });
  };
  return {
    values,
    messages,
    set,
    /** Returns the properties that connect a control to a text of the form. */
    text: (name: TextName<Values>) => ({
      value: values[name] as string,
      error: messages[name],
      onChange: ({ target }: { target: { value: string } }) =>
        set({ [name]: target.value } as Partial<Values>),
    }),
  };
}
