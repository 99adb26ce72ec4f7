import { Fragment, type ReactNode, useSyncExternalStore } from 'react';

/** A dialog opened by a function call instead of a view. */
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
 * Opens a dialog above the current view and waits until it is closed.
 *
 * @param render renders the dialog, which calls `close` with the person's choice
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

/** Renders the dialogs opened by `openDialog`, the newest on top. */
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
