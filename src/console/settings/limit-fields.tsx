import { useQuery } from '@tanstack/react-query';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { domainsQuery } from '../domains/queries.ts';
import { foldersQuery } from '../labels/queries.ts';
import { Choices } from '../ui/choices.tsx';
import { Switch } from '../ui/field.tsx';
import { workspaceQuery } from './queries.ts';

/** Limits of a key or a person; `null` for none. */
export type Limits = Schemas['Limits'] | null;

/** Limits to choose from; without any, all records can be used. */
const NO_LIMITS: Schemas['Limits'] = { folderIds: null, domains: null, own: false };

interface LimitFieldsProps {
  limits: Limits;
  messages: Readonly<Record<string, string>>;
  /** Subject of the explanations, such as “The key”. */
  subject: string;
  onChange(limits: Limits): void;
}

/** The fields that limit a key or a person to some links and QR codes. */
export function LimitFields({ limits, messages, subject, onChange }: LimitFieldsProps) {
  const { api } = useWorkspace();
  const isLimited = limits !== null;
  const folders = useQuery({ ...foldersQuery(api), enabled: isLimited }).data ?? [];
  const own = useQuery({ ...domainsQuery(api), enabled: isLimited }).data ?? [];
  const shared = useQuery({ ...workspaceQuery(api), enabled: isLimited }).data?.defaultDomain;
  const domains = [...own.map(({ slug }) => slug), ...(shared === undefined ? [] : [shared])];
  const set = (changes: Partial<Schemas['Limits']>) =>
    onChange({ ...(limits ?? NO_LIMITS), ...changes });
  const error = (name: string) =>
    Object.entries(messages).find(([field]) => field.startsWith(`limits.${name}`))?.[1];
  return (
    <fieldset className="flex flex-col gap-4">
      <legend className="sr-only">Limits</legend>
      <Switch
        label="Limit to some links and QR codes"
        hint={`${subject} sees and changes nothing else, and no settings, customers or webhooks.`}
        checked={isLimited}
        onChange={(checked) => onChange(checked ? NO_LIMITS : null)}
      />
      {limits !== null && (
        <>
          <div className="flex flex-col gap-1">
            <span className="font-medium">Folders</span>
            <Choices
              label="Folders"
              values={limits.folderIds ?? []}
              options={folders.map(({ id: folderId, name }) => [folderId, name])}
              isClosed
              placeholder="Any folder"
              error={error('folderIds')}
              onChange={(ids) => set({ folderIds: ids.length === 0 ? null : ids })}
            />
          </div>
          <div className="flex flex-col gap-1">
            <span className="font-medium">Domains</span>
            <Choices
              label="Domains"
              values={limits.domains ?? []}
              options={domains.map((name) => [name, name])}
              isClosed
              placeholder="Any domain"
              error={error('domains')}
              onChange={(names) => set({ domains: names.length === 0 ? null : names })}
            />
          </div>
          <Switch
            label="Only own records"
            hint="Links and QR codes that the person created, also with keys."
            checked={limits.own}
            onChange={(checked) => set({ own: checked })}
          />
          {isEmpty(limits) && (
            <p role="status" className="text-xs text-muted">
              Choose folders, domains or own records.
            </p>
          )}
        </>
      )}
    </fieldset>
  );
}

/** Returns true for limits without any choice, which the API refuses. */
export const isEmpty = (limits: Limits): boolean =>
  limits !== null && limits.folderIds === null && limits.domains === null && !limits.own;
