import { useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { ACCOUNTS } from './fields.ts';
import { useOpenImport } from './use-open-import.ts';

type Service = keyof typeof ACCOUNTS;

/** Names of the services’ API keys, and where to find them. */
const TOKENS: Readonly<Record<Service, { label: string; hint: string }>> = {
  bitly: { label: 'Access token', hint: 'Bitly: Settings, Developer settings, API.' },
  dub: { label: 'API key', hint: 'Dub: Settings, API keys. Read access to links is enough.' },
  kutt: { label: 'API key', hint: 'Kutt: Settings, API.' },
  shlink: { label: 'API key', hint: 'On your Shlink server, run: shlink api-key:generate' },
  shortio: { label: 'Secret key', hint: 'Short.io: Integrations & API.' },
  yourls: { label: 'Signature token', hint: 'YOURLS: Tools, Secure passwordless API call.' },
};

/** Self-hosted services, which require a URL. */
const INSTALLED: readonly Service[] = ['shlink', 'yourls'];
/** Services that can be self-hosted. */
const INSTALLABLE: readonly Service[] = [...INSTALLED, 'dub', 'kutt'];

/** A dialog that fetches the links of an account at another service and checks them. */
export function ConnectDialog({ onClose }: { onClose(): void }) {
  const { api } = useWorkspace();
  const openImport = useOpenImport();
  const [source, setSource] = useState<Service>('bitly');
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const connect = useWrite({
    send: (body: Schemas['NewImportFetch'], key) =>
      answer(api.POST('/imports/fetch', { ...idempotent(key), body })),
    onDone: openImport,
  });
  const errors = messagesOf(connect.error);
  const submit = () =>
    connect.write({
      source,
      token: token.trim(),
      name: ACCOUNTS[source],
      dryRun: true,
      ...(INSTALLABLE.includes(source) && url.trim() !== '' && { url: url.trim() }),
    });
  return (
    <FormDialog
      title="Import from another service"
      action="Fetch links"
      busy={connect.isPending}
      error={connect.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Service"
        value={source}
        onChange={({ target: { value } }) => setSource(value as Service)}
        options={Object.entries(ACCOUNTS)}
      />
      {INSTALLABLE.includes(source) && (
        <TextField
          label="URL"
          type="url"
          placeholder="https://s.example.com"
          hint={
            INSTALLED.includes(source)
              ? undefined
              : `Only if you host ${ACCOUNTS[source]} yourself.`
          }
          required={INSTALLED.includes(source)}
          value={url}
          error={errors['url']}
          onChange={(event) => setUrl(event.target.value)}
        />
      )}
      <TextField
        {...TOKENS[source]}
        type="password"
        autoComplete="off"
        required
        value={token}
        error={errors['token']}
        onChange={(event) => setToken(event.target.value)}
      />
      <p className="text-muted">
        We encrypt it and delete it once the links are fetched. You review the links before anything
        is imported.
      </p>
    </FormDialog>
  );
}
