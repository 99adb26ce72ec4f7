import { LanguageChoice } from '../../app/language-choice.tsx';
import { useMe } from '../../app/session.ts';
import { useChangeMe } from '../../app/use-change-me.ts';
import { TextField } from '../../ui/field.tsx';
import { Page } from '../../ui/page.tsx';
import { AccountName, CurrentPasswordField, NewPasswordField } from '../../ui/password-fields.tsx';
import { Section, Sections } from '../../ui/section.tsx';
import { useFields } from '../../ui/use-fields.ts';
import { FormSection } from '../form-section.tsx';
import { NotificationsSection } from './notifications.tsx';
import { OwnVisits } from './own-visits.tsx';
import { PasskeysSection } from './passkeys.tsx';
import { SecondFactorSection } from './second-factor.tsx';
import { Sessions } from './sessions.tsx';

/** The page of the signed-in person: name, password, notifications and sessions. */
export function ProfilePage() {
  return (
    <Page title="My profile">
      <Sections>
        <NameSection />
        <LanguageSection />
        <PasswordSection />
        <PasskeysSection />
        <SecondFactorSection />
        <NotificationsSection />
        <OwnVisits />
        <Sessions />
      </Sections>
    </Page>
  );
}

function NameSection() {
  const me = useMe();
  const change = useChangeMe('Saved');
  const { values, text } = useFields({ name: me.name }, change.error);
  return (
    <FormSection
      title="Name"
      mayWrite
      write={change}
      isChanged={values.name !== me.name}
      onSubmit={() => change.mutate(values)}
    >
      <TextField label="Name" autoComplete="name" required maxLength={190} {...text('name')} />
      <TextField label="Email" disabled value={me.email} />
    </FormSection>
  );
}

function LanguageSection() {
  return (
    <Section title="Language" description="The language of the console. Emails stay in English.">
      <LanguageChoice />
    </Section>
  );
}

const NO_PASSWORDS = { currentPassword: '', password: '' };

function PasswordSection() {
  const me = useMe();
  const change = useChangeMe('Password saved. All your other sessions are signed out.');
  const { values, set, text } = useFields(NO_PASSWORDS, change.error);
  const { currentPassword, password } = values;
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
      write={change}
      isChanged={password !== ''}
      onSubmit={() =>
        change.mutate(
          { password, ...(me.needsCurrentPassword && { currentPassword }) },
          { onSuccess: () => set(NO_PASSWORDS) },
        )
      }
    >
      <AccountName email={me.email} />
      {me.needsCurrentPassword && <CurrentPasswordField {...text('currentPassword')} />}
      <NewPasswordField {...text('password')} />
    </FormSection>
  );
}
