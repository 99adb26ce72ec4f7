import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';

interface DomainDialogProps {
  /** Domain to edit; absent for a new one. */
  domain?: Schemas['Domain'];
  onClose(): void;
}

/** A dialog that adds or edits a domain. */
export function DomainDialog({ domain, onClose }: DomainDialogProps) {
  const [slug, setSlug] = useState(domain?.slug ?? '');
  const [target, setTarget] = useState(domain?.target ?? '');
  const [type, setType] = useState(domain?.type ?? 'redirect');
  const [expiredUrl, setExpiredUrl] = useState(domain?.expiredUrl ?? '');
  const [notFoundUrl, setNotFoundUrl] = useState(domain?.notFoundUrl ?? '');
  const [apple, setApple] = useState(jsonOf(domain?.appleAppSiteAssociation));
  const [android, setAndroid] = useState(jsonOf(domain?.assetLinks));
  const [faults, setFaults] = useState<Readonly<Record<string, string>>>({});
  const { create, update } = useResource('domains', { onCreated: onClose, onUpdated: onClose });
  const save = domain === undefined ? create : update;
  const messages = { ...messagesOf(save.error), ...faults };
  return (
    <FormDialog
      title={domain === undefined ? 'Add domain' : domain.slug}
      action={domain === undefined ? 'Add domain' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={isSaidAtFields(save.error) ? null : save.error}
      onSubmit={() => {
        const files = { appleAppSiteAssociation: read(apple), assetLinks: read(android) };
        const wrong = Object.entries(files).filter(([, value]) => value === NO_JSON);
        setFaults(Object.fromEntries(wrong.map(([name]) => [name, 'Enter valid JSON.'])));
        if (wrong.length > 0) return;
        const body = {
          target: target === '' ? null : target,
          type,
          expiredUrl: expiredUrl === '' ? null : expiredUrl,
          notFoundUrl: notFoundUrl === '' ? null : notFoundUrl,
          ...(files as Pick<Schemas['DomainUpdate'], keyof typeof files>),
        };
        if (domain === undefined) create.write({ ...body, slug: hostFrom(slug) });
        else update.write({ seen: domain, body });
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
          onBlur={() => setSlug(hostFrom(slug))}
          onPaste={(event) => {
            const pasted = event.clipboardData.getData('text').trim();
            const host = hostFrom(pasted);
            if (host === pasted) return;
            event.preventDefault();
            setSlug(host);
          }}
        />
      )}
      <UrlField
        label="Redirect homepage to"
        hint="For visitors who open the domain without a slug."
        value={target}
        error={messages['target']}
        onChange={setTarget}
      />
      <SelectField
        label="Method"
        value={type}
        error={messages['type']}
        onChange={(event) => setType(event.target.value === 'rewrite' ? 'rewrite' : 'redirect')}
      >
        <option value="redirect">Redirect: visitors see the URL of the page</option>
        <option value="rewrite">Frame: visitors see your domain</option>
      </SelectField>
      <UrlField
        label="Redirect expired links to"
        hint="Used unless the link sets another URL."
        value={expiredUrl}
        error={messages['expiredUrl']}
        onChange={setExpiredUrl}
      />
      <UrlField
        label="Redirect unknown links to"
        hint="Leave empty to show a page that says the link doesn’t exist."
        value={notFoundUrl}
        error={messages['notFoundUrl']}
        onChange={setNotFoundUrl}
      />
      <TextArea
        label="iOS app links"
        hint="The JSON of your apple-app-site-association file, to open links in your app."
        spellCheck={false}
        className="font-mono text-xs"
        value={apple}
        error={messages['appleAppSiteAssociation']}
        onChange={(event) => setApple(event.target.value)}
      />
      <TextArea
        label="Android app links"
        hint="The JSON of your assetlinks.json file, to open links in your app."
        spellCheck={false}
        className="font-mono text-xs"
        value={android}
        error={messages['assetLinks']}
        onChange={(event) => setAndroid(event.target.value)}
      />
    </FormDialog>
  );
}

/** Fields of the form that show their own errors. */
const FIELDS = new Set([
  'slug',
  'target',
  'type',
  'expiredUrl',
  'notFoundUrl',
  'appleAppSiteAssociation',
  'assetLinks',
]);

/** True when the fields show every error of a refusal, so that the form need not repeat it. */
function isSaidAtFields(error: Error | null): boolean {
  const names = Object.keys(messagesOf(error));
  return names.length > 0 && names.every((name) => FIELDS.has(name));
}

/**
 * Extracts the host from input that can be a URL: `https://Go.Example.com/a` becomes
 * `go.example.com`.
 */
const hostFrom = (text: string): string =>
  text
    .trim()
    .replace(/^[a-z][a-z\d+.-]*:\/\//i, '')
    .replace(/[/?#].*/s, '')
    .replace(/^.*@/, '')
    .replace(/:\d+$/, '')
    .replace(/\.$/, '')
    .toLowerCase();

const NO_JSON = Symbol('a text that is not JSON');

/** Parses the JSON of a field; `null` for an empty one. */
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

interface UrlFieldProps {
  label: string;
  hint: string;
  value: string;
  error: string | undefined;
  onChange(value: string): void;
}

function UrlField({ onChange, ...rest }: UrlFieldProps) {
  return (
    <TextField
      {...rest}
      type="url"
      placeholder="https://example.com"
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
