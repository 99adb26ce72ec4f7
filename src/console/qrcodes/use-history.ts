import { useRef, useState } from 'react';

/** Time within which changes of the same fields are one step, in ms. */
const ONE_STEP_MS = 800;
/** Maximum number of steps. */
const MOST = 100;

interface Steps<Value> {
  past: readonly Value[];
  future: readonly Value[];
}

/** Undo and redo of a value. */
export interface History<Value> {
  /** Notes the value before a change. @param fields names of what changes */
  note(before: Value, fields: string): void;
  /** Steps back; absent without a step. */
  undo: (() => void) | undefined;
  redo: (() => void) | undefined;
  clear(): void;
}

/**
 * Keeps the values before changes.
 *
 * @param set sets the value that a step leads to
 */
export function useHistory<Value>(value: Value, set: (value: Value) => void): History<Value> {
  const [{ past, future }, setSteps] = useState<Steps<Value>>({ past: [], future: [] });
  const last = useRef({ fields: '', at: 0 });
  const [before, after] = [past.at(-1), future.at(-1)];
  return {
    note(previous, fields) {
      const at = performance.now();
      const isSameStep = last.current.fields === fields && at - last.current.at < ONE_STEP_MS;
      last.current = { fields, at };
      setSteps((now) => ({
        past: isSameStep && now.past.length > 0 ? now.past : [...now.past, previous].slice(-MOST),
        future: [],
      }));
    },
    undo:
      before === undefined
        ? undefined
        : () => {
            last.current.fields = '';
            setSteps({ past: past.slice(0, -1), future: [...future, value] });
            set(before);
          },
    redo:
      after === undefined
        ? undefined
        : () => {
            last.current.fields = '';
            setSteps({ past: [...past, value], future: future.slice(0, -1) });
            set(after);
          },
    clear: () => setSteps({ past: [], future: [] }),
  };
}
