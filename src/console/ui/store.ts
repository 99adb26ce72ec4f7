import { useSyncExternalStore } from 'react';

/** A value of the window that components show. */
interface Store<Value> {
  get(): Value;
  set(value: Value): void;
  /** Returns the value, and renders the component again when it changes. */
  use(): Value;
}

/** Creates a store with its first value. */
export function createStore<Value>(value: Value): Store<Value> {
  let current = value;
  const listeners = new Set<() => void>();
  const get = () => current;
  const subscribe = (listener: () => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  };
  return {
    get,
    set(next) {
      current = next;
      for (const listener of listeners) listener();
    },
    use: () => useSyncExternalStore(subscribe, get),
  };
}
