import { keepPreviousData } from '@tanstack/react-query';
import { ShieldCheck } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { RowButton } from '../ui/row-button.tsx';
import { Badge, Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useFields } from '../ui/use-fields.ts';
import { AdminSection, api, bare, useAdminQuery, useAdminWrite } from './section.tsx';

type Report = Schemas['AbuseReport'];
type State = Report['state'];
type Decision = NonNullable<Report['answer']>['decision'];

/** Number of reports per page. */
const SHOWN = 50;

const STATES: Record<State, string> = {
  open: 'Unresolved',
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
  const reports = useAdminQuery(
    ['abuse-reports', state, page],
    (signal) => {
      const query = { state, page, limit: SHOWN };
      return answer(api.GET('/admin/abuse-reports', { params: { query }, signal }));
    },
    { placeholderData: keepPreviousData },
  );
  const count = reports.data?.length ?? 0;
  const choose = (value: string) => {
    setState(value as State);
    setPage(1);
  };
  return (
    <AdminSection
      title="Abuse reports"
      isAsideLabeled
      aside={
        <SelectField
          label="State"
          value={state}
          onChange={(event) => choose(event.target.value)}
          options={Object.entries(STATES)}
        />
      }
    >
      <Loaded
        query={reports}
        skeleton="mx-6 h-24"
        empty={
          page === 1 && (
            <Empty
              icon={ShieldCheck}
              title={state === 'open' ? 'No open reports' : 'No such reports'}
            >
              Visitors can report a link at /_/report on each of your short domains.
            </Empty>
          )
        }
      >
        {(rows) => <ReportTable reports={rows} onOpen={setOpened} />}
      </Loaded>
      {(page > 1 || count === SHOWN) && (
        <p className="flex gap-2 px-4 pt-2 md:px-6">
          <Button disabled={page === 1} onClick={() => setPage(page - 1)}>
            Newer
          </Button>
          <Button disabled={count < SHOWN} onClick={() => setPage(page + 1)}>
            Older
          </Button>
        </p>
      )}
      {opened !== undefined && (
        <AnswerDialog report={opened} onClose={() => setOpened(undefined)} />
      )}
    </AdminSection>
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
            <RowButton onClick={() => onOpen(report)}>{bare(report.link.shortLink)}</RowButton>
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
  const send = useAdminWrite('Report answered', onClose, {
    send: (body: { decision: Decision; note: string; host?: string }) => {
      const params = { path: { id: report.id } };
      return answer(api.PUT('/admin/abuse-reports/{id}/answer', { params, body }));
    },
  });
  const { values, text } = useFields(
    {
      decision: earlier?.decision ?? ('block-link' as Decision),
      host: earlier?.host ?? hostOf(link.url ?? link.reportedUrl),
      note: earlier?.note ?? '',
    },
    send.error,
  );
  const { decision, host, note } = values;
  const isHost = decision === 'block-host';
  return (
    <FormDialog
      title={`Report about ${bare(link.shortLink)}`}
      action="Answer"
      size="medium"
      isDanger={decision !== 'dismiss'}
      onSubmit={() => send.write({ decision, note, ...(isHost && { host: host.trim() }) })}
      onClose={onClose}
      busy={send.isPending}
      error={send.error}
    >
      <ReportDetails report={report} />
      <SelectField
        label="Decision"
        hint={
          decision === 'dismiss'
            ? 'The link keeps working.'
            : 'Visitors see a page that says the link is blocked. Other open reports about it get the same answer.'
        }
        {...text('decision')}
        options={Object.entries(DECISIONS)}
      />
      {isHost && (
        <TextField
          label="Host"
          hint="Blocks the host and its subdomains in every workspace."
          required
          {...text('host')}
        />
      )}
      <TextArea label="Note" hint="Visible to operators only." {...text('note')} />
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
