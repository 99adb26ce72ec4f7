import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { answer, apiOf, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { personClient } from '../app/session.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog, messagesOf } from '../ui/form-dialog.tsx';
import { Badge, Empty, Failure, Skeleton } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';

type Report = Schemas['AbuseReport'];
type State = Report['state'];
type Decision = NonNullable<Report['answer']>['decision'];

const api = apiOf(undefined);
/** Number of reports per page. */
const SHOWN = 50;

const STATES: Record<State, string> = {
  open: 'Open',
  resolved: 'Resolved',
  dismissed: 'Dismissed',
};
const CATEGORIES: Record<Report['category'], string> = {
  phishing: 'Phishing',
  malware: 'Malware',
  spam: 'Spam',
  illegal: 'Illegal content',
  other: 'Other',
};
const DECISIONS: Record<Decision, string> = {
  'block-link': 'Block the link',
  'block-host': 'Block the host of its destination',
  dismiss: 'Dismiss the report',
};

/** The section in which operators answer visitors' abuse reports. */
export function AbuseReports() {
  const [opened, setOpened] = useState<Report>();
  const [state, setState] = useState<State>('open');
  const [page, setPage] = useState(1);
  const query = useQuery(
    {
      queryKey: keys.admin.list('abuse-reports', state, page),
      queryFn: ({ signal }) =>
        answer(
          api.GET('/admin/abuse-reports', {
            params: { query: { state, page, limit: SHOWN } },
            signal,
          }),
        ),
      placeholderData: keepPreviousData,
    },
    personClient,
  );
  const reports = query.data;
  const choose = (value: string) => {
    setState(value as State);
    setPage(1);
  };
  return (
    <section aria-labelledby="abuse-reports" className="pb-8">
      <header className="flex items-end justify-between gap-2 px-4 pb-2 md:px-6">
        <h2 id="abuse-reports" className="font-semibold">
          Abuse reports
        </h2>
        <SelectField label="State" value={state} onChange={(event) => choose(event.target.value)}>
          {Object.entries(STATES).map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </SelectField>
      </header>
      {query.isPending && <Skeleton className="mx-6 h-24" />}
      {query.error && <Failure error={query.error} retry={() => void query.refetch()} />}
      {reports?.length === 0 && page === 1 && (
        <Empty icon={ShieldCheck} title={state === 'open' ? 'No open reports' : 'No such reports'}>
          Visitors can report a link at /_/report on each of your short domains.
        </Empty>
      )}
      {reports !== undefined && reports.length > 0 && (
        <ReportTable reports={reports} onOpen={setOpened} />
      )}
      {(page > 1 || reports?.length === SHOWN) && (
        <p className="flex gap-2 px-4 pt-2 md:px-6">
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            Newer
          </Button>
          <Button disabled={(reports?.length ?? 0) < SHOWN} onClick={() => setPage(page + 1)}>
            Older
          </Button>
        </p>
      )}
      {opened !== undefined && (
        <AnswerDialog report={opened} onClose={() => setOpened(undefined)} />
      )}
    </section>
  );
}

interface ReportTableProps {
  reports: readonly Report[];
  onOpen(report: Report): void;
}

const ReportTable = ({ reports, onOpen }: ReportTableProps) => (
  <Table
    label="Abuse reports"
    rows={reports}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Link',
        render: (report) => (
          <div className="flex flex-col items-start">
            <button
              type="button"
              className="text-left font-medium hover:underline max-md:min-h-11"
              onClick={() => onOpen(report)}
            >
              {bare(report.link.shortLink)}
            </button>
            <span className="line-clamp-1 text-xs text-muted">{report.link.url}</span>
          </div>
        ),
      },
      { name: 'Category', render: ({ category }) => CATEGORIES[category] },
      { name: 'Workspace', isMinor: true, render: ({ workspace }) => workspace.slug },
      {
        name: 'Answer',
        isMinor: true,
        render: ({ answer: given }) => given && DECISIONS[given.decision],
      },
      { name: 'Reported', isMinor: true, render: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
);

const bare = (shortLink: string): string => shortLink.replace(/^https?:\/\//, '');

/** Returns the host of a destination; empty without one. */
function hostOf(url: string | null): string {
  try {
    return new URL(url ?? '').hostname;
  } catch {
    return '';
  }
}

function AnswerDialog({ report, onClose }: { report: Report; onClose(): void }) {
  const { link, answer: earlier } = report;
  const [decision, setDecision] = useState<Decision>(earlier?.decision ?? 'block-link');
  const [host, setHost] = useState(earlier?.host ?? hostOf(link.url ?? link.reportedUrl));
  const [note, setNote] = useState(earlier?.note ?? '');
  const send = useWrite({
    send: (_: undefined) =>
      answer(
        api.PUT('/admin/abuse-reports/{id}/answer', {
          params: { path: { id: report.id } },
          body: { decision, note, ...(decision === 'block-host' ? { host: host.trim() } : {}) },
        }),
      ),
    onDone: () => {
      void personClient.invalidateQueries({ queryKey: keys.admin.all });
      toast('Report answered');
      onClose();
    },
  });
  const errors = messagesOf(send.error);
  return (
    <FormDialog
      title={`Report about ${bare(link.shortLink)}`}
      action="Answer"
      size="medium"
      isDanger={decision !== 'dismiss'}
      onSubmit={() => send.write(undefined)}
      onClose={onClose}
      busy={send.isPending}
      error={send.error}
    >
      <ReportDetails report={report} />
      <SelectField
        label="Decision"
        value={decision}
        error={errors['decision']}
        hint={
          decision === 'dismiss'
            ? 'The link keeps working.'
            : 'Visitors see a page that says the link is blocked. Other open reports about it get the same answer.'
        }
        onChange={(event) => setDecision(event.target.value as Decision)}
      >
        {Object.entries(DECISIONS).map(([value, label]) => (
          <option key={value} value={value}>
            {label}
          </option>
        ))}
      </SelectField>
      {decision === 'block-host' && (
        <TextField
          label="Host"
          hint="Blocks the host and its subdomains in every workspace."
          required
          value={host}
          error={errors['host']}
          onChange={(event) => setHost(event.target.value)}
        />
      )}
      <TextArea
        label="Note"
        hint="Visible to operators only."
        value={note}
        error={errors['note']}
        onChange={(event) => setNote(event.target.value)}
      />
    </FormDialog>
  );
}

function ReportDetails({ report }: { report: Report }) {
  const { link, workspace, category, comment, email, ip, createdAt, answer: given } = report;
  const isMoved = link.reportedUrl !== null && link.reportedUrl !== link.url;
  return (
    <dl className="grid grid-cols-[auto_1fr] gap-x-4 gap-y-1.5 wrap-anywhere [&_dt]:text-muted">
      <dt>State</dt>
      <dd>
        {STATES[report.state]} {link.blocked && <Badge tone="danger">Link blocked</Badge>}
      </dd>
      <dt>Category</dt>
      <dd>{CATEGORIES[category]}</dd>
      <dt>Destination</dt>
      {/* The destination is not clickable, because it was reported as harmful. */}
      <dd>{link.url ?? 'A page, or the link is gone'}</dd>
      {isMoved && (
        <>
          <dt>When reported</dt>
          <dd>{link.reportedUrl}</dd>
        </>
      )}
      <dt>Workspace</dt>
      <dd>{workspace.slug}</dd>
      {comment !== '' && (
        <>
          <dt>Comment</dt>
          <dd className="whitespace-pre-wrap">{comment}</dd>
        </>
      )}
      <dt>Reporter</dt>
      <dd>
        {email === null ? (
          'No email'
        ) : (
          <a className="underline" href={`mailto:${encodeURIComponent(email)}`}>
            {email}
          </a>
        )}
        {ip !== null && `, ${ip}`}
      </dd>
      <dt>Reported</dt>
      <dd>
        <Time at={createdAt} />
        {link.openReports > 1 && `, one of ${link.openReports} open reports about this link`}
      </dd>
      {given !== null && (
        <>
          <dt>Answered</dt>
          <dd>
            <Time at={given.at} />
            {given.by !== null && ` by ${given.by}`}
          </dd>
        </>
      )}
    </dl>
  );
}
