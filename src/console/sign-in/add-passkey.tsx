import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { meQuery, personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { TextField } from '../ui/field.tsx';
import { FormDialog, Refused } from '../ui/form-dialog.tsx';
import { useFields } from '../ui/use-fields.ts';
import { browserName } from './browser-name.ts';
import { useConfirmation } from './confirmation.tsx';
import { addPasskey, describePasskey } from './passkeys.ts';

interface AddingProps {
  /** Called once the passkey is added, and the session has a second factor. */
  onDone(): void;
}

/** Makes the form with which a person adds a passkey. */
function useAdding({ onDone }: AddingProps) {
  const add = useMutation(
    {
      mutationFn: addPasskey,
      onSuccess: async () => {
        void personClient.invalidateQueries({ queryKey: keys.passkeys.all });
        await personClient.refetchQueries(meQuery);
        onDone();
      },
    },
    personClient,
  );
  const { values, text } = useFields({ name: browserName(navigator.userAgent) }, add.error);
  const { optional: confirmation, messages, fields } = useConfirmation(add.error);
  const { error } = add;
  return {
    busy: add.isPending,
    // Errors of the browser need other words than those of the API.
    error: error === null || error instanceof ApiError ? error : new Error(describePasskey(error)),
    hasMessages: Object.keys(messages).length > 0,
    submit: () => add.mutate({ ...values, confirmation }),
    fields: (
      <>
        <TextField
          label="Name"
          hint="Where you keep it, such as this device or your password manager."
          required
          maxLength={100}
          {...text('name')}
        />
        {fields}
      </>
    ),
  };
}

/** The dialog in which a person adds a passkey. */
export function AddPasskeyDialog({ onDone, onClose }: AddingProps & { onClose(): void }) {
  const { busy, error, submit, fields } = useAdding({ onDone });
  return (
    <FormDialog
      title="Add a passkey"
      action="Add passkey"
      busy={busy}
      error={error}
      onSubmit={submit}
      onClose={onClose}
    >
      <p>Your browser then asks you to create it.</p>
      {fields}
    </FormDialog>
  );
}

/** The form with which a person adds a passkey on a page of its own. */
export function AddPasskeyForm({ onDone }: AddingProps) {
  const { busy, error, hasMessages, submit, fields } = useAdding({ onDone });
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    submit();
  };
  return (
    <form onSubmit={onSubmit} className="flex flex-col gap-4">
      <p className="text-muted">
        A passkey signs you in with your fingerprint, your face or the PIN of your device. You need
        no code from an app.
      </p>
      {!hasMessages && <Refused error={error} />}
      {fields}
      <Button type="submit" look="primary" busy={busy}>
        Add passkey
      </Button>
    </form>
  );
}
