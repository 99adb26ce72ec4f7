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
  const messages = messagesOf(error);
  const set = (changes: Partial<Values>) => setValues((now) => ({ ...now, ...changes }));
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
