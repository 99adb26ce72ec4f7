import { useInfiniteQuery } from '@tanstack/react-query';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { PAGE_SIZE } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { inputLook } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';

type Entry = Schemas['AuditEntry'];

/** Kinds of records to look at. */
const KINDS = {
  link: 'Links',
  qrcode: 'QR codes',
  template: 'Templates',
  domain: 'Domains',
  tag: 'Tags',
  folder: 'Folders',
  utmTemplate: 'UTM templates',
  view: 'Views',
  page: 'Pages',
  webhook: 'Webhooks',
  customer: 'Customers',
  apiKey: 'API keys',
  workspace: 'Workspace',
};

/** Kinds whose names are no words. */
const NOUNS: Readonly<Record<string, string>> = {
  apiKey: 'API key',
  qrcode: 'QR code',
  utmTemplate: 'UTM template',
};

/** An action as the API names it, such as `apiKey.create`: "API key · create". */
const inWords = (action: string): string =>
  action
    .split('.')
    .map((part) => NOUNS[part] ?? part)
    .join(' · ');

/** Who changed what. */
export function AuditLogPage() {
  const { api } = useWorkspace();
  const [target, setTarget] = useState('');
  const [actor, setActor] = useState('');
  const settled = useDebounced(actor.trim(), 250);
  const query = useInfiniteQuery({
    queryKey: ['audit-log', target, settled],
    queryFn: async ({ pageParam: cursor, signal }) => {
      const { data = [], response } = await api.GET('/audit-log', {
        params: {
          query: {
            limit: PAGE_SIZE,
            ...(cursor !== undefined && { cursor }),
            ...(target !== '' && { target }),
            ...(settled !== '' && { actor: settled }),
          },
        },
        signal,
      });
      return { entries: data, next: response.headers.get('x-next-cursor') ?? undefined };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const rows = query.data?.pages.flatMap(({ entries }) => entries) ?? [];
  const isFiltered = target !== '' || settled !== '';
  return (
    <Page title="Audit log">
      <div className="flex flex-wrap gap-2 px-4 pb-3 md:px-6">
        <select
          aria-label="Kind of record"
          className={`${inputLook} md:w-52`}
          value={target}
          onChange={(event) => setTarget(event.target.value)}
        >
          <option value="">All kinds of records</option>
          {Object.entries(KINDS).map(([kind, label]) => (
            <option key={kind} value={kind}>
              {label}
            </option>
          ))}
        </select>
        <input
          type="search"
          aria-label="Id of a person or API key"
          placeholder="Id of a person or API key"
          className={`${inputLook} md:w-72`}
          value={actor}
          onChange={(event) => setActor(event.target.value)}
        />
      </div>
      <RecordList
        query={{ ...query, rows }}
        empty={
          isFiltered ? (
            <Empty icon={ScrollText} title="Nothing found">
              No matching changes in the last 400 days.
            </Empty>
          ) : (
            <Empty icon={ScrollText} title="No changes yet">
              Every change in this workspace is listed here: who made it, when, and to which record.{' '}
              <DocsLink guide="workspaces#audit-log">How the audit log works</DocsLink>
            </Empty>
          )
        }
      >
        {(entries) => <Entries entries={entries} />}
      </RecordList>
    </Page>
  );
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table
      label="Changes"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { name: 'When', render: ({ at }) => <Time at={at} /> },
        {
          name: 'Who',
          render: ({ actor }) => (
            <div className="flex flex-col">
              <span>{actor.name ?? 'Deleted person'}</span>
              {actor.apiKeyId !== undefined && (
                <span className="text-xs text-muted">by API key</span>
              )}
            </div>
          ),
        },
        {
          name: 'What',
          render: ({ action, count, fields }) => (
            <div className="flex flex-col">
              <span>
                {inWords(action)}
                {count !== undefined && ` (${count})`}
              </span>
              {fields !== undefined && (
                <span className="text-xs text-muted">{fields.join(', ')}</span>
              )}
            </div>
          ),
        },
        {
          name: 'Record',
          isMinor: true,
          render: ({ target }) => <code className="text-xs text-muted">{target.id ?? '–'}</code>,
        },
      ]}
    />
  );
}
