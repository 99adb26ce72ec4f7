import { useMe } from '../app/session.ts';
import { TextField } from '../ui/field.tsx';
import { AccountName, CurrentPasswordField } from '../ui/password-fields.tsx';
import { useFields } from '../ui/use-fields.ts';

/**
 * Makes the fields with which a person confirms a change of how they sign in: the password and a
 * code of the authenticator app, as far as they have them.
 */
export function useConfirmation(error: Error | null) {
  const { email, hasPassword, secondFactor } = useMe();
  const { values, messages, text } = useFields({ currentPassword: '', code: '' }, error);
  const { currentPassword, code } = values;
  const password = hasPassword ? { currentPassword } : {};
  const fields = (
    <>
      <AccountName email={email} />
      {hasPassword && <CurrentPasswordField {...text('currentPassword')} />}
      {secondFactor !== null && (
        <TextField
          label="Code"
          hint="From your authenticator app, or a recovery code."
          autoComplete="one-time-code"
          autoCapitalize="none"
          spellCheck={false}
          required
          maxLength={40}
          {...text('code')}
        />
      )}
    </>
  );
  return {
    /** Body for changes of the authenticator app. */
    body: { code, ...password },
    /** Body for other changes, for which a person may have no app. */
    optional: secondFactor === null ? password : { code, ...password },
    messages,
    fields,
  };
}
