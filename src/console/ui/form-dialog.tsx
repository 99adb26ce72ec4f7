import { type FormEvent, type ReactNode, useId, useState } from 'react';
import { ApiError, describe } from '../api/error.ts';
import { useIsOnline } from '../api/reachability.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';
import { useUnsaved } from './unsaved.ts';

interface FormDialogProps {
  title: string;
  /** Label of the submit button, such as "Create key". */
  action: string;
  onSubmit(): void;
  onClose(): void;
  busy?: boolean;
  /** Error of the last attempt. */
  error?: Error | null;
  size?: 'small' | 'medium' | 'large';
  isDanger?: boolean;
  isDisabled?: boolean;
  children: ReactNode;
}

/**
 * A form in a dialog, with a refusal by the API above it and the errors of the fields beside them.
 */
export function FormDialog(props: FormDialogProps) {
  const { title, action, onSubmit, onClose, size = 'small', children } = props;
  const { busy = false, error = null } = props;
  const id = useId();
  const isOnline = useIsOnline();
  const [isChanged, setChanged] = useState(false);
  useUnsaved(isChanged);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit();
  };
  return (
    <Dialog
      title={title}
      size={size}
      onClose={onClose}
      // Only this dialog may show the response, such as a secret or a refusal.
      mayClose={() => !busy}
      footer={
        <>
          <p role="status" className="flex-1 text-muted">
            {busy && !isOnline && 'No connection. It will be sent when it is back.'}
          </p>
          <Button onClick={onClose} disabled={busy}>
            Cancel
          </Button>
          <Button
            type="submit"
            form={id}
            look={props.isDanger === true ? 'danger' : 'primary'}
            busy={busy}
            disabled={props.isDisabled === true}
          >
            {action}
          </Button>
        </>
      }
    >
      <form
        id={id}
        onSubmit={submit}
        onChange={() => setChanged(true)}
        className="flex flex-col gap-4"
      >
        <Refused error={error} />
        {children}
      </form>
    </Dialog>
  );
}

/** Shows why the last attempt was refused. */
export function Refused({ error }: { error: Error | null }) {
  if (error === null) return null;
  return (
    <p
      role="alert"
      className="rounded-md bg-danger-soft px-3 py-2 text-danger forced-colors:border"
    >
      {describe(error)}
    </p>
  );
}

/** Returns the messages of a refusal by field, for the `error` property of each field. */
export const messagesOf = (error: Error | null): Readonly<Record<string, string>> =>
  error instanceof ApiError ? error.fields : {};
