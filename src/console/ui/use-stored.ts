import { useState } from 'react';

/** A value that this browser keeps, as JSON under a name. */
export function useStored<T>(name: string, initial: T): [T, (value: T) => void] {
  const [value, setValue] = useState<T>(() => {
    try {
      return (JSON.parse(localStorage.getItem(name) ?? 'null') as T | null) ?? initial;
    } catch {
      return initial;
    }
  });
  return [
    value,
    (next) => {
      localStorage.setItem(name, JSON.stringify(next));
      setValue(next);
    },
  ];
}
