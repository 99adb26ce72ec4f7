import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { keys } from '../../api/keys.ts';
import { people } from '../../api/people.ts';
import { meQuery, personClient, useMe } from '../../app/session.ts';
import { TextField } from '../../ui/field.tsx';
import { messagesOf } from '../../ui/form-dialog.tsx';
import { Page } from '../../ui/page.tsx';
import { Sections } from '../../ui/section.tsx';
import { toast } from '../../ui/toasts.tsx';
import { FormSection } from '../form-section.tsx';
import { NotificationsSection } from './notifications.tsx';
import { Sessions } from './sessions.tsx';

/** The page of the signed-in person: name, password, notifications and sessions. */
export function ProfilePage() {
  return (
    <Page title="My profile">
      <Sections>
        <NameSection />
        <PasswordSection />
        <NotificationsSection />
        <Sessions />
      </Sections>
    </Page>
  );
}

function useChangeMe(done: string, onDone?: () => void) {
  return useMutation(
    {
      mutationFn: people.changeMe,
      onSuccess: (me) => {
        personClient.setQueryData(meQuery.queryKey, me);
        void personClient.invalidateQueries({ queryKey: keys.sessions.all });
        toast(done);
        onDone?.();
      },
    },
    personClient,
  );
}

function NameSection() {
  const me = useMe();
  const [name, setName] = useState(me.name);
  const change = useChangeMe('Saved');
  return (
    <FormSection
      title="Name"
      mayWrite
      busy={change.isPending}
      error={change.error}
      isChanged={name !== me.name}
      onSubmit={() => change.mutate({ name })}
    >
      <TextField
        label="Name"
        autoComplete="name"
        required
        maxLength={190}
        value={name}
        error={messagesOf(change.error)['name']}
        onChange={(event) => setName(event.target.value)}
      />
      <TextField label="Email" disabled value={me.email} />
    </FormSection>
  );
}

function PasswordSection() {
  const me = useMe();
  const [currentPassword, setCurrentPassword] = useState('');
  const [password, setPassword] = useState('');
  const change = useChangeMe('Password saved. All your other sessions are signed out.', () => {
    setCurrentPassword('');
    setPassword('');
  });
  const messages = messagesOf(change.error);
  return (
    <FormSection
      title="Password"
      description={
        me.hasPassword
          ? 'A new password signs out all your other sessions.'
          : 'Set a password so you can sign in again.'
      }
      action={me.hasPassword ? 'Change password' : 'Set password'}
      mayWrite
      busy={change.isPending}
      error={change.error}
      isChanged={password !== ''}
      onSubmit={() =>
        change.mutate({ password, ...(me.needsCurrentPassword && { currentPassword }) })
      }
    >
      {/* Password managers look for the account name. */}
      <input type="text" autoComplete="username" readOnly hidden value={me.email} />
      {me.needsCurrentPassword && (
        <TextField
          label="Current password"
          type="password"
          autoComplete="current-password"
          required
          value={currentPassword}
          error={messages['currentPassword']}
          onChange={(event) => setCurrentPassword(event.target.value)}
        />
      )}
      <TextField
        label="New password"
        type="password"
        autoComplete="new-password"
        required
        value={password}
        error={messages['password']}
        onChange={(event) => setPassword(event.target.value)}
      />
    </FormSection>
  );
}
