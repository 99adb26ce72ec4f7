import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { Link, type LinkProps } from '@tanstack/react-router';
import { ScrollText } from 'lucide-react';
import { useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { labelOf } from '../api/field-labels.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { HISTORY, routeOf } from '../short-links/record-route.ts';
import { countOf } from '../ui/count-of.ts';
import { DocsLink } from '../ui/docs-link.tsx';
import { inputLook, Options } from '../ui/field.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { apiKeysQuery, membersQuery } from './queries.ts';

type Entry = Schemas['AuditEntry'];

/** Labels of the kinds of records to filter by. */
const KINDS = {
  link: 'Links',
  qrcode: 'QR codes',
  bulkChange: 'Bulk changes',
  template: 'Templates',
  font: 'Fonts',
  domain: 'Domains',
  tag: 'Tags',
  folder: 'Folders',
  utmTemplate: 'UTM templates',
  view: 'Views',
  sharedReport: 'Shared reports',
  reportRecipient: 'Recipients of reports',
  page: 'Pages',
  webhook: 'Webhooks',
  customer: 'Customers',
  apiKey: 'API keys',
  workspace: 'Workspace',
};

/** Wording of actions that does not follow from their kind and verb. */
const ACTIONS: Readonly<Record<string, string>> = {
  'customer.delete': 'Customer erased',
  'export.workspace': 'Workspace exported',
  'export.write': 'Export created',
  'invitation.delete': 'Invitation withdrawn',
  'invitation.resend': 'Invitation resent',
  'link.upsert': 'Link created or changed',
  'member.update': 'Access of a member changed',
  'reportRecipient.resend': 'Confirmation email of a recipient resent',
  'sharedReport.rotate': 'URL of a shared report rotated',
  'webhook.resend': 'Delivery resent',
  'webhook.resendAll': 'Deliveries resent',
  'webhook.rotate': 'Secret of a webhook rotated',
  'webhook.test': 'Test event sent',
};

/** Nouns of the kinds of records. */
const NOUNS: Readonly<Record<string, string>> = /* text */ {
  apiKey: 'API key',
  bulkChange: 'bulk change',
  customer: 'customer',
  destination: 'destination',
  domain: 'domain',
  export: 'export',
  folder: 'folder',
  font: 'font',
  host: 'host',
  import: 'import',
  integration: 'integration',
  invitation: 'invitation',
  link: 'link',
  member: 'member',
  page: 'page',
  qrcode: 'QR code',
  qrcodes: 'QR codes',
  report: 'report',
  reportRecipient: 'recipient of a report',
  sharedReport: 'Shared report',
  tag: 'tag',
  template: 'template',
  utmTemplate: 'UTM template',
  view: 'view',
  webhook: 'webhook',
  workspace: 'workspace',
};

/** Routes of the pages that records of a kind have. */
const PAGES: Readonly<Record<string, (workspace: string, id: string) => LinkProps>> = {
  link: (workspace, id) => routeOf({ list: 'links' }, workspace, id),
  qrcode: (workspace, id) => routeOf({ list: 'qrcodes' }, workspace, id),
  webhook: (workspace, webhookId) => ({
    to: '/$workspace/webhooks/$webhookId',
    params: { workspace, webhookId },
  }),
  customer: (workspace, customerId) => ({
    to: '/$workspace/customers/$customerId',
    params: { workspace, customerId },
  }),
  page: (workspace, pageId) => ({
    to: '/$workspace/pages/$pageId',
    params: { workspace, pageId },
  }),
  import: (workspace, importId) => ({
    to: '/$workspace/imports/$importId',
    params: { workspace, importId },
  }),
};

/** Formats the number of records of a kind. */
const COUNTED: Readonly<Record<string, (count: number) => string>> = {
  links: (count) => countOf(count, 'link'),
  qrcodes: (count) => countOf(count, 'QR code'),
};

/** Wording of the verbs in actions. */
const VERBS: Readonly<Record<string, (subject: string) => string>> = {
  accept: (subject) => `${subject} accepted`,
  block: (subject) => `${subject} blocked`,
  cancel: (subject) => `${subject} cancelled`,
  create: (subject) => `${subject} created`,
  delete: (subject) => `${subject} deleted`,
  remove: (subject) => `${subject} removed`,
  revoke: (subject) => `${subject} revoked`,
  rotate: (subject) => `${subject} rotated`,
  start: (subject) => `${subject} started`,
  unblock: (subject) => `${subject} unblocked`,
  undo: (subject) => `${subject} undone`,
  update: (subject) => `${subject} changed`,
  verify: (subject) => `${subject} verified`,
};

/** Translates an action such as `apiKey.create`: "API key created", "16 links created". */
function inWords({ action, count }: Entry): string {
  const [kind = '', verb = ''] = action.split('.');
  const noun = NOUNS[kind] ?? kind;
  const subject =
    count === undefined
      ? sentenceCase(noun)
      : (COUNTED[kind]?.(count) ?? `${sentenceCase(noun)} (${count.toLocaleString()})`);
  return ACTIONS[action] ?? VERBS[verb]?.(subject) ?? `${subject} ${verb}`;
}

/** The page that shows who changed what. */
export function AuditLogPage() {
  const { api } = useWorkspace();
  const [target, setTarget] = useState('');
  const [actor, setActor] = useState('');
  const query = useInfiniteQuery({
    queryKey: keys.auditLog.list(target, actor),
    queryFn: async ({ pageParam: cursor, signal }) => {
      const query = {
        limit: PAGE_SIZE,
        ...(cursor !== undefined && { cursor }),
        ...(target !== '' && { target }),
        ...(actor !== '' && { actor }),
      };
      const { data = [], response } = await api.GET('/audit-log', { params: { query }, signal });
      return { entries: data, next: response.headers.get('x-next-cursor') ?? undefined };
    },
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next,
    placeholderData: (before) => before,
  });
  const rows = query.data?.pages.flatMap(({ entries }) => entries) ?? [];
  const isFiltered = target !== '' || actor !== '';
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
          <Options of={Object.entries(KINDS)} />
        </select>
        <ActorChoice actor={actor} onChange={setActor} />
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

interface ActorChoiceProps {
  /** Id of a person or an API key; empty for all. */
  actor: string;
  onChange(actor: string): void;
}

/** A filter by actor: everybody, a person or an API key. */
function ActorChoice({ actor, onChange }: ActorChoiceProps) {
  const { api } = useWorkspace();
  const members = useQuery(membersQuery(api));
  const apiKeys = useQuery(apiKeysQuery(api));
  return (
    <select
      aria-label="Changed by"
      className={`${inputLook} md:w-72`}
      value={actor}
      onChange={(event) => onChange(event.target.value)}
    >
      <option value="">Changed by anyone</option>
      <optgroup label="People">
        <Options
          of={
            members.data?.map(({ userId, name, email }) => [userId, name === '' ? email : name]) ??
            []
          }
        />
      </optgroup>
      <optgroup label="API keys">
        <Options of={apiKeys.data?.map(({ id, name }) => [id, name]) ?? []} />
      </optgroup>
    </select>
  );
}

function nameOf({ userId, name }: Entry['actor']): string {
  if (userId === null && name === 'operator') return 'Operator';
  if (userId === null && name !== null) return sentenceCase(name);
  return name ?? 'Deleted person';
}

function Entries({ entries }: { entries: readonly Entry[] }) {
  return (
    <Table
      label="Changes"
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Time', render: ({ at }) => <Time at={at} /> },
        {
          name: 'Who',
          render: ({ actor }) => (
            <div className="flex flex-col">
              <span>{nameOf(actor)}</span>
              {actor.apiKeyId !== undefined && (
                <span className="text-xs text-muted">by API key</span>
              )}
            </div>
          ),
        },
        {
          name: 'What',
          render: (entry) => (
            <div className="flex flex-col">
              <span>{inWords(entry)}</span>
              {entry.fields !== undefined && (
                <span className="text-xs text-muted">{entry.fields.map(labelOf).join(', ')}</span>
              )}
              <Values {...entry} />
              <span className="md:hidden">
                <Target {...entry} />
              </span>
            </div>
          ),
        },
        {
          name: 'Record',
          isMinor: true,
          render: (entry) => <Target {...entry} />,
        },
      ]}
    />
  );
}

/** The record of an entry by its name, which leads to the record's page if it has one. */
function Target({ target: { kind, id, name } }: Pick<Entry, 'target'>) {
  const { slug } = useWorkspace();
  if (id === null) return '–';
  // An erased record has no name any more.
  if (name === undefined) return <code className="text-xs text-muted">{id}</code>;
  const page = PAGES[kind];
  if (page === undefined) return <span className="wrap-anywhere">{name}</span>;
  return (
    <Link {...page(slug, id)} className="wrap-anywhere text-accent-text hover:underline">
      {name}
    </Link>
  );
}

/** Kinds of records that have a history with values before and after each change. */
const WITH_HISTORY = new Set(['link', 'qrcode']);

/** Leads to the values before and after a change of a link or QR code. */
function Values({ fields, target: { kind, id, name } }: Entry) {
  const { slug } = useWorkspace();
  const page = WITH_HISTORY.has(kind) ? PAGES[kind] : undefined;
  if (fields === undefined || page === undefined || id === null || name === undefined) return null;
  return (
    <Link
      {...page(slug, id)}
      hash={HISTORY}
      className="self-start text-xs text-accent-text hover:underline max-md:py-3.5"
    >
      Old and new values
    </Link>
  );
}
