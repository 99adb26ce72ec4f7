import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';

interface DomainDialogProps {
  /** The domain to change; absent for a new one. */
  domain?: Schemas['Domain'];
  onClose(): void;
}

/** Adds or changes a domain. */
export function DomainDialog({ domain, onClose }: DomainDialogProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const [slug, setSlug] = useState(domain?.slug ?? '');
  const [target, setTarget] = useState(domain?.target ?? '');
  const [type, setType] = useState(domain?.type ?? 'redirect');
  const [expiredUrl, setExpiredUrl] = useState(domain?.expiredUrl ?? '');
  const [notFoundUrl, setNotFoundUrl] = useState(domain?.notFoundUrl ?? '');
  const [apple, setApple] = useState(jsonOf(domain?.appleAppSiteAssociation));
  const [android, setAndroid] = useState(jsonOf(domain?.assetLinks));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const save = useWrite({
    send(body: Schemas['DomainUpdate'], key) {
      if (domain !== undefined) {
        return answer(api.PATCH('/domains/{id}', { params: { path: { id: domain.id } }, body }));
      }
      const header = { 'Idempotency-Key': key };
      return answer(api.POST('/domains', { params: { header }, body: { ...body, slug } }));
    },
    onDone: () => {
      void client.invalidateQueries({ queryKey: ['domains'] });
      onClose();
    },
  });
  const messages = { ...messagesOf(save.error), ...faults };
  return (
    <FormDialog
      title={domain === undefined ? 'Add a domain' : domain.slug}
      action={domain === undefined ? 'Add domain' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={() => {
        const files = { appleAppSiteAssociation: read(apple), assetLinks: read(android) };
        const wrong = Object.entries(files).filter(([, value]) => value === NO_JSON);
        setFaults(Object.fromEntries(wrong.map(([name]) => [name, 'This is not valid JSON.'])));
        if (wrong.length > 0) return;
        save.write({
          target: target === '' ? null : target,
          type,
          expiredUrl: expiredUrl === '' ? null : expiredUrl,
          notFoundUrl: notFoundUrl === '' ? null : notFoundUrl,
          ...(files as Pick<Schemas['DomainUpdate'], keyof typeof files>),
        });
      }}
    >
      {domain === undefined && (
        <TextField
          label="Domain"
          hint="A domain or subdomain that you own, such as go.example.com."
          autoFocus
          required
          spellCheck={false}
          autoCapitalize="none"
          placeholder="go.example.com"
          value={slug}
          error={messages['slug']}
          onChange={(event) => setSlug(event.target.value.trim())}
        />
      )}
      <Address
        label="Its root leads to"
        hint="For visitors who open the domain without a key."
        value={target}
        error={messages['target']}
        onChange={setTarget}
      />
      <SelectField
        label="How"
        value={type}
        error={messages['type']}
        onChange={(event) => setType(event.target.value === 'rewrite' ? 'rewrite' : 'redirect')}
      >
        <option value="redirect">Redirect: visitors see the address that it leads to</option>
        <option value="rewrite">Frame: visitors keep seeing your domain</option>
      </SelectField>
      <Address
        label="Expired links lead to"
        hint="For links without an address of their own for this."
        value={expiredUrl}
        error={messages['expiredUrl']}
        onChange={setExpiredUrl}
      />
      <Address
        label="Unknown keys lead to"
        hint="Empty: visitors see a page that says so."
        value={notFoundUrl}
        error={messages['notFoundUrl']}
        onChange={setNotFoundUrl}
      />
      <TextArea
        label="Links open in an iOS app"
        hint="The file apple-app-site-association, as JSON. Empty: there is none."
        spellCheck={false}
        className="font-mono text-xs"
        value={apple}
        error={messages['appleAppSiteAssociation']}
        onChange={(event) => setApple(event.target.value)}
      />
      <TextArea
        label="Links open in an Android app"
        hint="The file assetlinks.json, as JSON. Empty: there is none."
        spellCheck={false}
        className="font-mono text-xs"
        value={android}
        error={messages['assetLinks']}
        onChange={(event) => setAndroid(event.target.value)}
      />
    </FormDialog>
  );
}

const NO_JSON = Symbol('a text that is not JSON');

/** The JSON of a field, `null` for an empty one. */
function read(text: string): unknown {
  if (text.trim() === '') return null;
  try {
    return JSON.parse(text);
  } catch {
    return NO_JSON;
  }
}

const jsonOf = (value: object | null | undefined): string =>
  value === null || value === undefined ? '' : JSON.stringify(value, null, 2);

interface AddressProps {
  label: string;
  hint: string;
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

function Address({ onChange, ...rest }: AddressProps) {
  return (
    <TextField
      {...rest}
      type="url"
      placeholder="https://example.com"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
