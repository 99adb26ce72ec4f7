import { useMutation, useQuery } from '@tanstack/react-query';
import { KeyRound } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { people } from '../../api/people.ts';
import { meQuery, methodsQuery, personClient } from '../../app/session.ts';
import { AddPasskeyDialog } from '../../sign-in/add-passkey.tsx';
import { useConfirmation } from '../../sign-in/confirmation.tsx';
import { hasPasskeys } from '../../sign-in/passkeys.ts';
import { Button } from '../../ui/button.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form-dialog.tsx';
import { Section } from '../../ui/section.tsx';
import { Badge, Failure, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toast } from '../../ui/toasts.tsx';
import { useFields } from '../../ui/use-fields.ts';

type Passkey = Schemas['Passkey'];
type Opened = 'add' | { dialog: 'rename' | 'remove'; passkey: Passkey };

const key = keys.passkeys.all;

/** The passkeys of the person. */
export function PasskeysSection() {
  const methods = useQuery(methodsQuery, personClient);
  const passkeys = useQuery({ queryKey: key, queryFn: people.passkeys }, personClient);
  const [opened, open] = useState<Opened>();
  const close = () => open(undefined);
  const isPossible = methods.data?.passkey === true && hasPasskeys();
  const rows = passkeys.data ?? [];
  return (
    <Section
      title="Passkeys"
      description="Sign in with your fingerprint, your face or the PIN of your device, without a password and a code."
      footer={
        isPossible && (
          <Button look={rows.length === 0 ? 'primary' : 'plain'} onClick={() => open('add')}>
            Add a passkey
          </Button>
        )
      }
    >
      {methods.data !== undefined && !isPossible && <Impossible isHere={methods.data.passkey} />}
      {passkeys.isPending && <Skeleton className="h-12 w-full" />}
      {passkeys.error && <Failure error={passkeys.error} retry={() => void passkeys.refetch()} />}
      {rows.length > 0 && (
        <ul aria-label="Passkeys">
          {rows.map((passkey) => (
            <PasskeyRow
              key={passkey.id}
              passkey={passkey}
              onRename={() => open({ dialog: 'rename', passkey })}
              onRemove={() => open({ dialog: 'remove', passkey })}
            />
          ))}
        </ul>
      )}
      {opened === 'add' && (
        <AddPasskeyDialog
          onClose={close}
          onDone={() => {
            toast('Passkey added');
            close();
          }}
        />
      )}
      {typeof opened === 'object' && opened.dialog === 'rename' && (
        <RenameDialog passkey={opened.passkey} onClose={close} />
      )}
      {typeof opened === 'object' && opened.dialog === 'remove' && (
        <RemoveDialog passkey={opened.passkey} isLast={rows.length === 1} onClose={close} />
      )}
    </Section>
  );
}

/** @param isHere true if the installation has passkeys, and only this page or browser has none */
function Impossible({ isHere }: { isHere: boolean }) {
  return (
    <p className="text-muted">
      {isHere
        ? 'Passkeys need a recent browser, and this page at an https URL or at localhost.'
        : 'Passkeys need an https URL with a host name. Ask your administrator to set one up.'}
    </p>
  );
}

interface PasskeyRowProps {
  passkey: Passkey;
  onRename(): void;
  onRemove(): void;
}

function PasskeyRow({ passkey, onRename, onRemove }: PasskeyRowProps) {
  const { name, isSynced, createdAt, lastUsedAt } = passkey;
  return (
    <li className="flex flex-wrap items-center gap-3 border-b border-line py-2.5 last:border-0">
      <KeyRound size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-40 flex-1">
        <p className="flex flex-wrap items-center gap-2 wrap-anywhere">
          <span>{name}</span>
          <Badge>{isSynced ? 'Synced' : 'On one device'}</Badge>
        </p>
        <p className="text-xs text-muted">
          Added <Time at={createdAt} />,{' '}
          {lastUsedAt === null ? (
            'not used yet'
          ) : (
            <>
              last used <Time at={lastUsedAt} />
            </>
          )}
        </p>
      </div>
      <div className="flex gap-2">
        <Button size="small" aria-label={`Rename ${name}`} onClick={onRename}>
          Rename
        </Button>
        <Button size="small" aria-label={`Remove ${name}`} onClick={onRemove}>
          Remove
        </Button>
      </div>
    </li>
  );
}

interface DialogProps {
  passkey: Passkey;
  onClose(): void;
}

function RenameDialog({ passkey, onClose }: DialogProps) {
  const rename = useMutation(
    {
      mutationFn: people.renamePasskey,
      onSuccess() {
        void personClient.invalidateQueries({ queryKey: key });
        onClose();
      },
    },
    personClient,
  );
  const { values, text } = useFields({ name: passkey.name }, rename.error);
  return (
    <FormDialog
      title="Rename passkey"
      action="Rename"
      busy={rename.isPending}
      error={rename.error}
      onSubmit={() => rename.mutate({ id: passkey.id, ...values })}
      onClose={onClose}
    >
      <TextField label="Name" required maxLength={100} {...text('name')} />
    </FormDialog>
  );
}

function RemoveDialog({ passkey, isLast, onClose }: DialogProps & { isLast: boolean }) {
  const remove = useMutation(
    {
      mutationFn: people.removePasskey,
      async onSuccess() {
        void personClient.invalidateQueries({ queryKey: key });
        void personClient.invalidateQueries({ queryKey: keys.sessions.all });
        await personClient.refetchQueries(meQuery);
        toast('Passkey removed');
        onClose();
      },
    },
    personClient,
  );
  const { optional, fields } = useConfirmation(remove.error);
  return (
    <FormDialog
      title={`Remove “${passkey.name}”?`}
      action="Remove"
      isDanger
      busy={remove.isPending}
      error={remove.error}
      onSubmit={() => remove.mutate({ id: passkey.id, body: optional })}
      onClose={onClose}
    >
      <p>It no longer signs you in. Your other sessions that began with it are signed out.</p>
      {isLast && (
        <p>
          Without a passkey and an authenticator app, workspaces that require two-factor
          authentication no longer let you in.
        </p>
      )}
      <p className="text-muted">
        Then delete it on your device or in your password manager too, which still offers it.
      </p>
      {fields}
    </FormDialog>
  );
}
