import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { SERVICES } from './fields.ts';

type Service = keyof typeof SERVICES;

/** Keys as the services call them, and where people find them. */
const TOKENS: Readonly<Record<Service, { label: string; hint: string }>> = {
  bitly: { label: 'Access token', hint: 'Bitly: Settings, Developer settings, API.' },
  dub: { label: 'API key', hint: 'Dub: Settings, API keys. It needs to read links only.' },
  kutt: { label: 'API key', hint: 'Kutt: Settings, API.' },
  shlink: { label: 'API key', hint: 'Made on the server by: shlink api-key:generate' },
  shortio: { label: 'Secret key', hint: 'Short.io: Integrations & API.' },
  yourls: { label: 'Signature token', hint: 'YOURLS: Tools, Secure passwordless API call.' },
};

/** Services that people install themselves: their address must be given. */
const INSTALLED: readonly Service[] = ['shlink', 'yourls'];
/** Services that people may have installed themselves. */
const INSTALLABLE: readonly Service[] = [...INSTALLED, 'dub', 'kutt'];

/** Reads the links of an account at another service, and has them checked. */
export function ConnectDialog({ onClose }: { onClose(): void }) {
  const { slug, api } = useWorkspace();
  const client = useQueryClient();
  const navigate = useNavigate();
  const [source, setSource] = useState<Service>('bitly');
  const [url, setUrl] = useState('');
  const [token, setToken] = useState('');
  const connect = useWrite({
    send: (body: Schemas['NewImportFetch'], key) =>
      answer(api.POST('/imports/fetch', { body, params: { header: { 'Idempotency-Key': key } } })),
    onDone: ({ id }) => {
      void client.invalidateQueries({ queryKey: ['imports'] });
      return navigate({
        to: '/$workspace/imports/$importId',
        params: { workspace: slug, importId: id },
      });
    },
  });
  const errors = messagesOf(connect.error);
  const submit = () =>
    connect.write({
      source,
      token: token.trim(),
      name: SERVICES[source],
      dryRun: true,
      ...(INSTALLABLE.includes(source) && url.trim() !== '' && { url: url.trim() }),
    });
  return (
    <FormDialog
      title="Import from an account"
      action="Read the links"
      busy={connect.isPending}
      error={connect.error}
      onSubmit={submit}
      onClose={onClose}
    >
      <SelectField
        label="Service"
        value={source}
        onChange={({ target: { value } }) => setSource(value as Service)}
      >
        {Object.entries(SERVICES).map(([name, title]) => (
          <option key={name} value={name}>
            {title}
          </option>
        ))}
      </SelectField>
      {INSTALLABLE.includes(source) && (
        <TextField
          label="Address"
          type="url"
          placeholder="https://s.example.com"
          hint={
            INSTALLED.includes(source)
              ? undefined
              : `Only where you have installed ${SERVICES[source]} yourself.`
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
        The key is stored encrypted, and deleted once the links have been read. Nothing is imported
        before you have seen what will happen.
      </p>
    </FormDialog>
  );
}
