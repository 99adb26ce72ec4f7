import { Download } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { SelectField, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Page } from '../ui/page.tsx';
import { saveFile, saveFrom } from '../ui/save-file.ts';
import { Section, Sections } from '../ui/section.tsx';

type Format = 'csv' | 'ndjson';
const EVENTS = {
  clicks: 'Clicks',
  scans: 'Scans',
  leads: 'Leads',
  sales: 'Sales',
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

/** The page that exports all links, events or the whole workspace. */
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
        {may('events.read') && <EventsExport />}
        {may('workspace.write') && <WorkspaceExport />}
      </Sections>
    </Page>
  );
}

function LinksExport() {
  const { api, slug } = useWorkspace();
  const [format, setFormat] = useState<Format>('csv');
  const save = useWrite({
    send: async (_: undefined) => {
      const call = api.GET('/links/export', { params: { query: { format } }, parseAs: 'blob' });
      await saveExport(await call, `${slug} links.${format}`);
    },
  });
  return (
    <Section
      title="Links"
      description="All links with their fields, without passwords, oldest first."
      footer={<SaveButton busy={save.isPending} onClick={() => save.write(undefined)} />}
    >
      <Refused error={save.error} />
      <FormatField format={format} onChange={setFormat} />
    </Section>
  );
}

const hasEvents = (plan: string): boolean => plan === 'business' || plan === 'enterprise';

function EventsExport() {
  const { api, slug, plan } = useWorkspace();
  const [format, setFormat] = useState<Format>('csv');
  const [event, setEvent] = useState<keyof typeof EVENTS>('clicks');
  const [interval, setInterval] = useState<keyof typeof SPANS>('30d');
  const save = useWrite({
    send: async (_: undefined) => {
      const query = { event, interval, format };
      const call = api.GET('/events/export', { params: { query }, parseAs: 'blob' });
      await saveExport(await call, `${slug} ${event}.${format}`);
    },
  });
  return (
    <Section
      title="Events"
      description={`Clicks, scans, leads or sales, one kind per file.${hasEvents(plan) ? '' : ' Needs the Business plan or higher.'}`}
      footer={<SaveButton busy={save.isPending} onClick={() => save.write(undefined)} />}
    >
      <Refused error={save.error} />
      <div className="grid gap-4 md:grid-cols-3 xl:grid-cols-1">
        <SelectField
          label="Kind"
          value={event}
          onChange={(change) => setEvent(change.target.value as typeof event)}
        >
          {Object.entries(EVENTS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <SelectField
          label="Period"
          value={interval}
          onChange={(change) => setInterval(change.target.value as typeof interval)}
        >
          {Object.entries(SPANS).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
        <FormatField format={format} onChange={setFormat} />
      </div>
    </Section>
  );
}

function WorkspaceExport() {
  const { api, slug } = useWorkspace();
  const [passphrase, setPassphrase] = useState('');
  const save = useWrite({
    send: async (_: undefined, key) => {
      const body = { type: 'workspace', ...(passphrase !== '' && { passphrase }) } as const;
      const params = { header: { 'Idempotency-Key': key } };
      const { url } = await answer(api.POST('/exports', { params, body }));
      saveFromOrigin(url, `${slug}.jsonl.gz`);
    },
  });
  return (
    <Section
      title="Whole workspace"
      description="A complete copy you can import into another workspace: links, QR codes, tags, folders, domains, pages, customers and events."
      footer={<SaveButton busy={save.isPending} onClick={() => save.write(undefined)} />}
    >
      <Refused error={save.error} />
      <TextField
        label="Passphrase"
        hint="Optional. Protects the passwords of links in the file: you need it again to import them. Without it, links that have a password can’t be imported."
        type="password"
        autoComplete="new-password"
        maxLength={200}
        value={passphrase}
        onChange={({ target: { value } }) => setPassphrase(value)}
      />
    </Section>
  );
}

function FormatField({ format, onChange }: { format: Format; onChange(format: Format): void }) {
  return (
    <SelectField
      label="Format"
      value={format}
      onChange={(change) => onChange(change.target.value === 'csv' ? 'csv' : 'ndjson')}
    >
      <option value="csv">CSV, for spreadsheets</option>
      <option value="ndjson">NDJSON, for programs</option>
    </SelectField>
  );
}

function SaveButton({ busy, onClick }: { busy: boolean; onClick(): void }) {
  return (
    <Button look="primary" icon={Download} busy={busy} onClick={onClick}>
      {busy ? 'Preparing …' : 'Download'}
    </Button>
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
