import { Fragment, type ReactNode, useSyncExternalStore } from 'react';

/** A dialog that was opened by a function, beside the views. */
interface Opened {
  id: number;
  content: ReactNode;
}

let opened: readonly Opened[] = [];
let lastId = 0;
const listeners = new Set<() => void>();

function set(next: readonly Opened[]): void {
  opened = next;
  for (const listener of listeners) listener();
}

/**
 * Opens a dialog over whatever is shown, and waits until it is closed.
 *
 * @param render makes the dialog; it calls `close` with what the person chose
 */
export const openDialog = <Result,>(
  render: (close: (result: Result | undefined) => void) => ReactNode,
): Promise<Result | undefined> =>
  new Promise((resolve) => {
    const id = ++lastId;
    const content = render((result) => {
      set(opened.filter((one) => one.id !== id));
      resolve(result);
    });
    set([...opened, { id, content }]);
  });

/** The dialogs that functions have opened, the newest on top. */
export function OpenDialogs() {
  const shown = useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => opened,
  );
  return shown.map(({ id, content }) => <Fragment key={id}>{content}</Fragment>);
}
