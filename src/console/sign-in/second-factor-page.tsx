import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { meQuery, methodsQuery, personClient, useMe } from '../app/session.ts';
import { Button, buttonLook, CopyButton } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Field, inputLook, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { AccountName, CurrentPasswordField } from '../ui/password-fields.tsx';
import { useFields } from '../ui/use-fields.ts';
import { AddPasskeyForm } from './add-passkey.tsx';
import { Card } from './card.tsx';
import { hasPasskeys } from './passkeys.ts';
import { RecoveryCodes } from './recovery-codes.tsx';
import { viewOf } from './return.ts';

/** The page on which a person sets up two-factor authentication. */
export function SecondFactorPage() {
  const { to } = useSearch({ from: '/sign-in/second-factor' });
  const navigate = useNavigate();
  const { secondFactor } = useMe();
  const [isPasskey, setPasskey] = useState(false);
  const [codes, setCodes] = useState<string[]>();
  const setup = useQuery(
    {
      queryKey: keys.secondFactor.all,
      queryFn: people.startSecondFactor,
      // A new secret would not be that of the scanned code.
      staleTime: Infinity,
      gcTime: 0,
      refetchOnWindowFocus: false,
      enabled: secondFactor === null,
    },
    personClient,
  );
  const methods = useQuery(methodsQuery, personClient);
  const leave = () => void navigate({ to: viewOf(to) as '/' });
  if (codes !== undefined) {
    return (
      <Card title="Save your recovery codes">
        <RecoveryCodes codes={codes} />
        <Button look="primary" onClick={leave}>
          I saved them
        </Button>
      </Card>
    );
  }
  if (secondFactor !== null) {
    return (
      <Card title="Two-factor authentication is on">
        <p className="text-muted">Change it under “My profile” in the settings.</p>
        <Button look="primary" onClick={leave}>
          Continue
        </Button>
      </Card>
    );
  }
  const hasChoice = methods.data?.passkey === true && hasPasskeys();
  return (
    <Card title={isPasskey ? 'Add a passkey' : 'Set up two-factor authentication'}>
      {isPasskey ? (
        <AddPasskeyForm onDone={leave} />
      ) : (
        <Loaded query={setup} skeleton="h-80 w-full">
          {(data) => <SetupForm setup={data} onDone={setCodes} />}
        </Loaded>
      )}
      {hasChoice && (
        <Button onClick={() => setPasskey(!isPasskey)}>
          {isPasskey ? 'Use an authenticator app instead' : 'Use a passkey instead'}
        </Button>
      )}
      <Button look="quiet" onClick={leave}>
        Not now
      </Button>
    </Card>
  );
}

interface SetupFormProps {
  setup: Schemas['SecondFactorSetup'];
  onDone(codes: string[]): void;
}

function SetupForm({ setup, onDone }: SetupFormProps) {
  const { email, hasPassword } = useMe();
  const confirm = useMutation(
    {
      mutationFn: people.createSecondFactor,
      onSuccess: async ({ recoveryCodes }) => {
        onDone(recoveryCodes);
        void personClient.invalidateQueries({ queryKey: keys.sessions.all });
        await personClient.refetchQueries(meQuery);
      },
    },
    personClient,
  );
  const { values, messages, text } = useFields({ currentPassword: '', code: '' }, confirm.error);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const { code, currentPassword } = values;
    confirm.mutate({ setup: setup.setup, code, ...(hasPassword && { currentPassword }) });
  };
  return (
    <form onSubmit={submit} className="flex flex-col gap-4">
      <p className="text-muted">
        Scan the code with an authenticator app, such as Aegis, 1Password or Google Authenticator.
        Then enter the six digits that it shows.
      </p>
      <img
        src={setup.qrCode}
        alt="QR code for the authenticator app"
        className="size-48 self-center rounded-lg border border-line bg-white"
      />
      <a href={setup.uri} className={classes(buttonLook(), 'md:hidden')}>
        Open the app on this phone
      </a>
      <Field label="Can’t scan? Enter this key">
        {(control) => (
          <div className="flex items-center gap-1">
            <input
              {...control}
              readOnly
              value={setup.secret}
              spellCheck={false}
              autoComplete="off"
              onFocus={(event) => event.currentTarget.select()}
              className={`${inputLook} font-mono text-xs`}
            />
            <CopyButton text={setup.secret} label="Copy the key" />
          </div>
        )}
      </Field>
      {Object.keys(messages).length === 0 && <Refused error={confirm.error} />}
      <AccountName email={email} />
      {hasPassword && <CurrentPasswordField {...text('currentPassword')} />}
      <TextField
        label="Code"
        autoComplete="one-time-code"
        inputMode="numeric"
        required
        maxLength={40}
        {...text('code')}
      />
      <p className="text-xs text-muted">Your other devices are signed out.</p>
      <Button type="submit" look="primary" busy={confirm.isPending}>
        Turn on
      </Button>
    </form>
  );
}
