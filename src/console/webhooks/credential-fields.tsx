import type { Schemas } from '../api/client.ts';
import { FieldError, TextArea, TextField } from '../ui/field.tsx';

type Webhook = Schemas['Webhook'];

/** The values of the form that set credentials. */
export interface CredentialValues {
  /** One header a line: `name: value`. */
  headerLines: string;
  username: string;
  password: string;
}

/** Stands for a value that is stored, and stays. */
const STORED = '••••••••';

/** Returns the credentials of a webhook, or of a new one, as values of the form. */
export const credentialValues = (webhook: Webhook | undefined): CredentialValues => ({
  headerLines: Object.keys(webhook?.headers ?? {})
    .map((name) => `${name}: ${STORED}`)
    .join('\n'),
  username: webhook?.basicAuth?.username ?? '',
  password: webhook?.basicAuth ? STORED : '',
});

const sent = (value: string): string | null => (value === STORED ? null : value);

/** Returns the fields of the request that set the credentials. */
export function credentialBody({ headerLines, username, password }: CredentialValues) {
  const headers = headerLines
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line): [name: string, value: string | null] => {
      const [name = '', ...rest] = line.split(':');
      return [name.trim(), sent(rest.join(':').trim())];
    });
  return {
    headers: Object.fromEntries(headers),
    basicAuth: username === '' ? null : { username, password: sent(password) },
  };
}

interface CredentialFieldsProps {
  values: CredentialValues;
  messages: Readonly<Record<string, string>>;
  set(changes: Partial<CredentialValues>): void;
}

/** Fields for the headers and the Basic authentication of requests. */
export function CredentialFields({ values, messages, set }: CredentialFieldsProps) {
  return (
    <fieldset className="flex flex-col gap-3">
      <legend className="mb-1 font-medium">Authentication</legend>
      <TextField
        label="User name"
        autoComplete="off"
        error={messages['basicAuth.username']}
        value={values.username}
        onChange={({ target }) => set({ username: target.value })}
      />
      <TextField
        label="Password"
        type="password"
        autoComplete="new-password"
        error={messages['basicAuth.password']}
        value={values.password}
        onChange={({ target }) => set({ password: target.value })}
      />
      <TextArea
        label="Headers"
        hint="One a line, such as x-token: secret. Stored values are not shown."
        spellCheck={false}
        error={messages['headers']}
        value={values.headerLines}
        onChange={({ target }) => set({ headerLines: target.value })}
      />
      {messages['basicAuth'] !== undefined && (
        <FieldError error={messages['basicAuth']} label="Authentication" />
      )}
    </fieldset>
  );
}
