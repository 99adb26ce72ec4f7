import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { useFocusOnRefusal } from '../short-links/errors.ts';
import { SelectField, Switch, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { partsOf } from '../ui/parts-of.ts';
import { useFields } from '../ui/use-fields.ts';
import { useSeveralDomains } from './add-several.ts';
import { AndroidAppsField, IosAppsField } from './app-file-field.tsx';
import { ANDROID, draftOf, fileIn, IOS, isValid } from './app-files.ts';

interface DomainDialogProps {
  /** Domain to edit; absent for a new one. */
  domain?: Schemas['Domain'];
  onClose(): void;
}

const METHODS: Record<Schemas['Domain']['type'], string> = {
  redirect: 'Redirect: visitors see the URL of the page',
  rewrite: 'Frame: visitors see your domain',
};

/** A dialog that adds or edits a domain. */
export function DomainDialog({ domain, onClose }: DomainDialogProps) {
  const [isChecked, setChecked] = useState(false);
  const form = useRef<HTMLDivElement>(null);
  const { create, update } = useResource('domains', { onCreated: onClose, onUpdated: onClose });
  /** The text of the field for several domains, which a pasted list opens. */
  const [list, setList] = useState<string>();
  const several = useSeveralDomains((refused) => {
    setList(refused.map(({ slug }) => slug).join('\n'));
    if (refused.length === 0) onClose();
  });
  const save = domain !== undefined ? update : list !== undefined ? several : create;
  const { values, messages, text, set } = useFields(
    {
      slug: '',
      target: domain?.target ?? '',
      type: domain?.type ?? 'redirect',
      expiredUrl: domain?.expiredUrl ?? '',
      notFoundUrl: domain?.notFoundUrl ?? '',
      shlinkPaths: domain?.shlinkPaths ?? false,
      caseSensitive: domain?.caseSensitive ?? true,
      appleAppSiteAssociation: draftOf(IOS, domain?.appleAppSiteAssociation),
      assetLinks: draftOf(ANDROID, domain?.assetLinks),
    },
    save.error,
  );
  useFocusOnRefusal(form, save.error);
  const submit = () => {
    const { slug, target, type, expiredUrl, notFoundUrl, shlinkPaths, caseSensitive } = values;
    const { appleAppSiteAssociation, assetLinks } = values;
    if (!isValid(IOS, appleAppSiteAssociation) || !isValid(ANDROID, assetLinks)) {
      flushSync(() => setChecked(true));
      form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
      return;
    }
    const files = {
      appleAppSiteAssociation: fileIn(IOS, appleAppSiteAssociation),
      assetLinks: fileIn(ANDROID, assetLinks),
    };
    const body = {
      target: target || null,
      type,
      expiredUrl: expiredUrl || null,
      notFoundUrl: notFoundUrl || null,
      shlinkPaths,
      caseSensitive,
      ...(files as Pick<Schemas['DomainUpdate'], keyof typeof files>),
    };
    if (list !== undefined) several.write({ slugs: hostsIn(list), body });
    else if (domain === undefined) create.write({ ...body, slug: hostFrom(slug) });
    else update.write({ seen: domain, body });
  };
  const url = (name: 'target' | 'expiredUrl' | 'notFoundUrl') =>
    ({
      type: 'url',
      placeholder: 'https://example.com',
      ...text(name),
      onBlur: () => set({ [name]: withScheme(values[name]) }),
    }) as const;
  return (
    <FormDialog
      title={domain === undefined ? 'Add domain' : domain.slug}
      action={domain !== undefined ? 'Save' : list === undefined ? 'Add domain' : 'Add domains'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={isSaidAtFields(save.error, Object.keys(values)) ? null : save.error}
      onSubmit={submit}
    >
      <div ref={form} className="contents">
        {list !== undefined && (
          <div className="flex flex-col gap-1">
            <TextArea
              label="Domains"
              hint="One on each line. All get the settings below."
              autoFocus
              required
              rows={6}
              spellCheck={false}
              autoCapitalize="none"
              value={list}
              onChange={(event) => setList(event.target.value)}
            />
            <div role="status" className="text-xs text-danger">
              {several.data?.map(({ slug, reason }) => (
                <p key={slug}>{reason}</p>
              ))}
            </div>
          </div>
        )}
        {domain === undefined && list === undefined && (
          <TextField
            label="Domain"
            hint="A domain or subdomain that you own, such as go.example.com. Paste a list to add several."
            data-autofocus
            required
            spellCheck={false}
            autoCapitalize="none"
            placeholder="go.example.com"
            {...text('slug')}
            onChange={(event) => set({ slug: event.target.value.trim() })}
            onBlur={() => set({ slug: hostFrom(values.slug) })}
            onPaste={(event) => {
              const pasted = event.clipboardData.getData('text').trim();
              const hosts = hostsIn(pasted);
              if (hosts.length > 1) {
                event.preventDefault();
                setList(hosts.join('\n'));
                return;
              }
              const slug = hostFrom(pasted);
              if (slug === pasted) return;
              event.preventDefault();
              set({ slug });
            }}
          />
        )}
        <TextField
          label="Redirect homepage to"
          hint="For visitors who open the domain without a slug."
          data-autofocus={domain !== undefined || undefined}
          {...url('target')}
        />
        <SelectField label="Homepage method" {...text('type')} options={Object.entries(METHODS)} />
        <TextField
          label="Redirect expired links to"
          hint="Used unless the link sets another URL."
          {...url('expiredUrl')}
        />
        <TextField
          label="Redirect unknown links to"
          hint="Leave empty to show a page that says the link doesn’t exist. {path} and {query} stand for the path and the parameters that were requested."
          {...url('notFoundUrl')}
        />
        <Switch
          label="Paths of Shlink"
          hint="For a domain that was used with Shlink: /slug/qr-code and /slug/track work."
          checked={values.shlinkPaths}
          onChange={(shlinkPaths) => set({ shlinkPaths })}
        />
        <Switch
          label="Ignore case in slugs"
          hint="Summer and SUMMER are the same link."
          checked={!values.caseSensitive}
          onChange={(ignored) => set({ caseSensitive: !ignored })}
        />
        <IosAppsField
          draft={values.appleAppSiteAssociation}
          isChecked={isChecked}
          error={messages['appleAppSiteAssociation']}
          onChange={(appleAppSiteAssociation) => set({ appleAppSiteAssociation })}
        />
        <AndroidAppsField
          draft={values.assetLinks}
          isChecked={isChecked}
          error={messages['assetLinks']}
          onChange={(assetLinks) => set({ assetLinks })}
        />
      </div>
    </FormDialog>
  );
}

/** True when the fields show every error of a refusal, so that the form need not repeat it. */
function isSaidAtFields(error: Error | null, fields: readonly string[]): boolean {
  const names = Object.keys(messagesOf(error));
  return names.length > 0 && names.every((name) => fields.includes(name));
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

/** Adds the scheme to a URL without one, such as `example.com/page`. */
const withScheme = (text: string): string =>
  /^[^\s/:?#.]+\.[^\s/:?#]+(?:[/?#]|$)/.test(text.trim()) ? `https://${text.trim()}` : text;

/** Extracts the hosts from a list, each once. */
const hostsIn = (text: string): string[] => [
  ...new Set(
    partsOf(text)
      .map(hostFrom)
      .filter((host) => host !== ''),
  ),
];
