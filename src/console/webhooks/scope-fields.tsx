import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { Choices } from '../ui/choices.tsx';
import { type OptionList, SelectField } from '../ui/field.tsx';

type Webhook = Schemas['Webhook'];

/** The values of the form that set the scope of a webhook. */
export interface ScopeValues {
  scope: Webhook['scope'];
  domains: string[];
  folderIds: string[];
  tagIds: string[];
}

const NAMES: Readonly<Record<Webhook['scope'], string>> = {
  links: 'That select this webhook',
  all: 'All',
  domain: 'On some domains',
  folder: 'In some folders',
  tag: 'With some tags',
};

/** Returns the scope of a webhook, or of a new one, as values of the form. */
export const scopeValues = (webhook: Webhook | undefined): ScopeValues => ({
  scope: webhook?.scope ?? 'links',
  domains: webhook?.domains ?? [],
  folderIds: webhook?.folderIds ?? [],
  tagIds: webhook?.tagIds ?? [],
});

/** Returns the fields of the request that set the scope. */
export const scopeBody = ({ scope, domains, folderIds, tagIds }: ScopeValues) => ({
  scope,
  domains: scope === 'domain' ? domains : null,
  folderIds: scope === 'folder' ? folderIds : null,
  tagIds: scope === 'tag' ? tagIds : null,
});

/** Describes the scope of a webhook. */
export function scopeInWords({ scope, domains, folderIds, tagIds }: Webhook): string {
  const count = (members: readonly string[] | null, one: string, many: string) =>
    members?.length === 1 ? `1 ${one}` : `${members?.length ?? 0} ${many}`;
  return {
    links: 'Visits of links and QR codes that select this webhook',
    all: 'All links and QR codes',
    domain: `Links and QR codes on ${count(domains, 'domain', 'domains')}`,
    folder: `Links and QR codes in ${count(folderIds, 'folder', 'folders')}`,
    tag: `Links and QR codes with one of ${count(tagIds, 'tag', 'tags')}`,
  }[scope];
}

interface ScopeFieldsProps {
  values: ScopeValues;
  messages: Readonly<Record<string, string>>;
  set(changes: Partial<ScopeValues>): void;
}

/** Fields that select the links and QR codes whose events a webhook receives. */
export function ScopeFields({ values, messages, set }: ScopeFieldsProps) {
  const { api } = useWorkspace();
  const { scope, domains, folderIds, tagIds } = values;
  const own = useQuery({ ...domainsQuery(api), enabled: scope === 'domain' });
  const folders = useQuery({ ...foldersQuery(api), enabled: scope === 'folder' });
  const tags = useQuery({ ...tagsQuery(api), enabled: scope === 'tag' });
  const named = (records: readonly { id: string; name: string }[] = []): OptionList =>
    records.map(({ id, name }) => [id, name]);
  return (
    <>
      <SelectField
        label="Links and QR codes"
        hint={scope === 'links' ? 'Other events than visits come from all of them.' : undefined}
        error={messages['scope']}
        value={scope}
        onChange={({ target }) => set({ scope: target.value as ScopeValues['scope'] })}
        options={Object.entries(NAMES)}
      />
      {scope === 'domain' && (
        <Choices
          label="Domains"
          placeholder="Choose domains"
          values={domains}
          options={(own.data ?? []).map(({ slug }) => [slug, slug])}
          error={messages['domains']}
          onChange={(chosen) => set({ domains: chosen })}
        />
      )}
      {scope === 'folder' && (
        <Choices
          label="Folders"
          placeholder="Choose folders"
          values={folderIds}
          options={named(folders.data)}
          isClosed
          error={messages['folderIds']}
          onChange={(chosen) => set({ folderIds: chosen })}
        />
      )}
      {scope === 'tag' && (
        <Choices
          label="Tags"
          placeholder="Choose tags"
          values={tagIds}
          options={named(tags.data)}
          isClosed
          error={messages['tagIds']}
          onChange={(chosen) => set({ tagIds: chosen })}
        />
      )}
    </>
  );
}
