import { Download } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { answer, idempotent } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { saveFile, saveFrom } from '../ui/save-file.ts';
import { Section, Sections } from '../ui/section.tsx';
import { useFields } from '../ui/use-fields.ts';
import { QrCodesExport } from './qrcodes-export.tsx';

const FORMATS = { csv: 'CSV, for spreadsheets', ndjson: 'NDJSON, for programs' };
type Format = keyof typeof FORMATS;
const EVENTS = {
  clicks: 'Clicks',
  scans: 'Scans',
  leads: 'Leads',
  sales: 'Sales',
  refunds: 'Refunds',
  views: 'Page views',
} as const;
const SPANS = {
  '24h': 'Last 24 hours',
  '7d': 'Last 7 days',
  '30d': 'Last 30 days',
  '90d': 'Last 90 days',
  '1y': 'Last year',
  all: 'All time',
} as const;

/** The page that exports all links, images of QR codes, events or the whole workspace. */
export function ExportsPage() {
  const { may } = useWorkspace();
  return (
    <Page title="Exports">
      <p className="px-4 pb-4 text-muted md:px-6">
        Large files take a while to prepare. You can keep working in another window.{' '}
        <DocsLink guide="analytics#exports">How exports work</DocsLink>
      </p>
      <Sections>
        {may('links.read') && <LinksExport />}
        {may('qrcodes.read') && <QrCodesExport />}
        {may('events.read') && <EventsExport />}
        {may('workspace.write') && <WorkspaceExport />}
      </Sections>
    </Page>
  );
}

function LinksExport() {
  const { api, slug } = useWorkspace();
  const { values, text } = useFields({ format: 'csv' as Format }, null);
  const { format } = values;
  const save = useWrite({
    send: async (_: undefined) => {
      const call = api.GET('/links/export', { params: { query: { format } }, parseAs: 'blob' });
      await saveExport(await call, `${slug} links.${format}`);
    },
  });
  return (
    <ExportSection
      title="Links"
      description="All links with their fields, without passwords, oldest first."
      save={save}
    >
      <SelectField
        label="Format"
        aria-label="Format of the links"
        {...text('format')}
        options={Object.entries(FORMATS)}
      />
    </ExportSection>
  );
}

const hasEvents = (plan: string): boolean => plan === 'business' || plan === 'enterprise';

interface EventsExported {
  event: keyof typeof EVENTS;
  interval: keyof typeof SPANS;
  format: Format;
}

function EventsExport() {
  const { api, slug, plan } = useWorkspace();
  const { values, text } = useFields<EventsExported>(
    { event: 'clicks', interval: '30d', format: 'csv' },
    null,
  );
  const save = useWrite({
    send: async (_: undefined) => {
      const call = api.GET('/events/export', { params: { query: values }, parseAs: 'blob' });
      await saveExport(await call, `${slug} ${values.event}.${values.format}`);
    },
  });
  return (
    <ExportSection
      title="Events"
      description={`Clicks, scans, leads, sales or refunds, one kind per file.${hasEvents(plan) ? '' : ' Needs the Business plan or higher.'}`}
      save={save}
    >
      <div className="grid gap-4 md:grid-cols-3 xl:grid-cols-1">
        <SelectField label="Kind" {...text('event')} options={Object.entries(EVENTS)} />
        <SelectField label="Period" {...text('interval')} options={Object.entries(SPANS)} />
        <SelectField
          label="Format"
          aria-label="Format of the events"
          {...text('format')}
          options={Object.entries(FORMATS)}
        />
      </div>
    </ExportSection>
  );
}

function WorkspaceExport() {
  const { api, slug } = useWorkspace();
  const [passphrase, setPassphrase] = useState('');
  const save = useWrite({
    send: async (_: undefined, key) => {
      const body = { type: 'workspace', ...(passphrase !== '' && { passphrase }) } as const;
      const made = await answer(api.POST('/exports', { ...idempotent(key), body }));
      if ('counts' in made) saveFromOrigin(made.url, `${slug}.jsonl.gz`);
    },
  });
  return (
    <ExportSection
      title="Whole workspace"
      description="A complete copy you can import into another workspace: links, QR codes, tags, folders, domains, pages, customers and events."
      save={save}
    >
      <TextField
        label="Passphrase"
        hint="Optional. Protects the passwords of links in the file: you need it again to import them. Without it, links that have a password can’t be imported."
        type="password"
        autoComplete="new-password"
        maxLength={200}
        value={passphrase}
        onChange={({ target: { value } }) => setPassphrase(value)}
      />
    </ExportSection>
  );
}

interface ExportSectionProps {
  title: string;
  description: string;
  save: { isPending: boolean; error: Error | null; write(input: undefined): void };
  children: ReactNode;
}

function ExportSection({ title, description, save, children }: ExportSectionProps) {
  const action = save.isPending ? 'Preparing …' : 'Download';
  return (
    <Section
      title={title}
      description={description}
      footer={
        <Button
          look="primary"
          icon={Download}
          busy={save.isPending}
          aria-label={`${action}: ${title}`}
          onClick={() => save.write(undefined)}
        >
          {action}
        </Button>
      }
    >
      <Refused error={save.error} />
      {children}
    </Section>
  );
}

/**
 * Saves an export: a small one is the response itself, and the job of a large one returns its URL.
 */
async function saveExport({ data }: { data?: Blob }, name: string): Promise<void> {
  if (data === undefined) return;
  if (!data.type.startsWith('application/json')) {
    saveFile(data, name);
    return;
  }
  saveFromOrigin((JSON.parse(await data.text()) as { url: string }).url, name);
}

/** Saves the file at a URL, whose origin is BASE_URL and may differ from ours behind a proxy. */
function saveFromOrigin(url: string, name: string): void {
  const { pathname, search } = new URL(url);
  saveFrom(pathname + search, name);
}
