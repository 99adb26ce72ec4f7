import { Fragment, type ReactNode } from 'react';
import { createStore } from './store.ts';

/** A dialog opened by a function call instead of a view. */
interface Opened {
  id: number;
  content: ReactNode;
}

const opened = createStore<readonly Opened[]>([]);
let lastId = 0;

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
      opened.set(opened.get().filter((one) => one.id !== id));
      resolve(result);
    });
    opened.set([...opened.get(), { id, content }]);
  });

/** Renders the dialogs opened by `openDialog`, the newest on top. */
export const OpenDialogs = () =>
  opened.use().map(({ id, content }) => <Fragment key={id}>{content}</Fragment>);
