import { ExternalLink, Mail } from 'lucide-react';
import { type ReactNode, Suspense, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useResource } from '../app/resource.ts';
import { OriginsField, originsIn } from '../settings/keys/origins-field.tsx';
import { Button, buttonLook, CopyButton } from '../ui/button.tsx';
import { DoneDialog } from '../ui/done-dialog.tsx';
import { DateTimeField, Field, inputLook, SelectField, Switch, TextField } from '../ui/field.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { fromLocal, toLocal } from '../ui/time.tsx';
import { useFields } from '../ui/use-fields.ts';
import { MAX_GROUPS, REPORT_GROUPS, type ReportGroup } from './report-groups.ts';

const ReportMailDialog = lazyPart(
  () => import('../settings/report-mail-dialog.tsx'),
  'ReportMailDialog',
);
const PARTS = [ReportMailDialog];

type Report = Schemas['SharedReport'];

const CLICKS = 'clicks';
/** Numbers that a report can count, by the API's parameter `event`. */
const EVENTS = [
  [CLICKS, 'Clicks'],
  ['scans', 'Scans of QR codes'],
  ['composite', 'Clicks, leads and sales'],
  ['leads', 'Leads'],
  ['sales', 'Sales'],
  ['refunds', 'Refunds'],
  ['views', 'Page views'],
] as const;

const FIRST_GROUPS: ReportGroup[] = ['countries', 'sources', 'devices', 'browsers'];

interface ReportDialogProps {
  /** Report to edit; absent for a new one. */
  report?: Report;
  /** Query of a new report. */
  query?: string;
  /** The period and filters of a new report in words. */
  summary?: ReactNode;
  onClose(): void;
}

/** The form of a shared report; after it is created, its URL. */
export function ReportDialog({ report, query = '', summary, onClose }: ReportDialogProps) {
  const [made, setMade] = useState<Report>();
  if (made !== undefined) return <ReportUrl report={made} onClose={onClose} />;
  return (
    <ReportForm
      report={report}
      query={report?.query ?? query}
      summary={summary}
      onCreated={setMade}
      onClose={onClose}
    />
  );
}

const eventIn = (query: string): string => new URLSearchParams(query).get('event') ?? CLICKS;

/** Sets the event of a query. Clicks are left out, so that each list counts its default events. */
function queryWith(query: string, event: string): string {
  const parameters = new URLSearchParams(query);
  if (event === CLICKS) parameters.delete('event');
  else parameters.set('event', event);
  return parameters.toString();
}

interface ReportFormProps {
  report: Report | undefined;
  query: string;
  summary: ReactNode;
  onCreated(report: Report): void;
  onClose(): void;
}

function ReportForm({ report, query, summary, onCreated, onClose }: ReportFormProps) {
  const [groups, setGroups] = useState<ReportGroup[]>(report?.groups ?? FIRST_GROUPS);
  const { create, update } = useResource('sharedReports', { onCreated, onUpdated: onClose });
  const save = report === undefined ? create : update;
  const initial = {
    name: report?.name ?? '',
    event: eventIn(query),
    password: '',
    removesPassword: false,
    expiresAt: toLocal(report?.expiresAt ?? null),
    isEmbedded: (report?.embedOrigins.length ?? 0) > 0,
    embedOrigins: report?.embedOrigins.join('\n') ?? '',
  };
  const { values, messages, text, set } = useFields(initial, save.error);
  const submit = () => {
    const body = {
      name: values.name,
      groups,
      embedOrigins: values.isEmbedded ? originsIn(values.embedOrigins) : [],
      ...(values.password !== '' && { password: values.password }),
      ...(values.removesPassword && { password: null }),
    };
    const question = queryWith(query, values.event);
    const expiresAt = fromLocal(values.expiresAt);
    if (report === undefined) create.write({ ...body, query: question, expiresAt });
    else {
      update.write({
        seen: report,
        body: {
          ...body,
          ...(values.event !== initial.event && { query: question }),
          // The field shows no seconds, and the API refuses a time that has passed.
          ...(values.expiresAt !== initial.expiresAt && { expiresAt }),
        },
      });
    }
  };
  return (
    <FormDialog
      title={report === undefined ? 'Share this report' : `Edit “${report.name}”`}
      action={report === undefined ? 'Create URL' : 'Save'}
      size="medium"
      onClose={onClose}
      busy={save.isPending}
      error={save.error}
      onSubmit={submit}
    >
      {summary !== undefined && (
        <div className="rounded-md bg-hover px-3 py-2 wrap-anywhere">
          {summary}
          <p className="mt-1 text-xs text-muted">
            Everyone who has the URL sees these numbers, and nobody can ask for others there.
          </p>
        </div>
      )}
      <TextField
        label="Name"
        hint="The heading of the report."
        data-autofocus
        required
        maxLength={190}
        {...text('name')}
      />
      <SelectField label="Numbers" {...text('event')} options={EVENTS} />
      <GroupFields groups={groups} error={messages['groups']} onChange={setGroups} />
      <div className="grid gap-4 md:grid-cols-2">
        <TextField
          label="Password"
          hint={
            report?.hasPassword === true
              ? 'Leave empty to keep the current one.'
              : 'Optional. Readers enter it once an hour.'
          }
          maxLength={200}
          autoComplete="off"
          disabled={values.removesPassword}
          {...text('password')}
        />
        <DateTimeField label="Expires" hint="Optional." {...text('expiresAt')} />
      </div>
      {report?.hasPassword === true && (
        <Switch
          label="Remove the password"
          checked={values.removesPassword}
          onChange={(removesPassword) => set({ removesPassword, password: '' })}
        />
      )}
      <Switch
        label="Allow embedding"
        hint="Pages of your sites can show the report in a frame."
        checked={values.isEmbedded}
        onChange={(isEmbedded) => set({ isEmbedded })}
      />
      {values.isEmbedded && (
        <OriginsField
          field="embedOrigins"
          hint="Sites that may embed it, one per line, such as https://www.example.com."
          value={values.embedOrigins}
          messages={messages}
          onChange={(embedOrigins) => set({ embedOrigins })}
        />
      )}
    </FormDialog>
  );
}

interface GroupFieldsProps {
  groups: readonly ReportGroup[];
  error: string | undefined;
  onChange(groups: ReportGroup[]): void;
}

/** Chooses the lists of a report. */
function GroupFields({ groups, error, onChange }: GroupFieldsProps) {
  const isFull = groups.length >= MAX_GROUPS;
  return (
    <fieldset className="flex flex-col gap-1">
      <legend className="font-medium">Lists</legend>
      <p className="text-xs text-muted">
        Readers see the names in them. “Destinations” shows the URLs that your links open.
      </p>
      {REPORT_GROUPS.map(({ title, groups: offered }) => (
        <div
          key={title}
          role="group"
          aria-label={title}
          className="flex gap-x-4 border-b border-line py-1 max-md:flex-col"
        >
          <span aria-hidden className="w-20 shrink-0 py-1.5 text-muted max-md:w-full max-md:pb-0">
            {title}
          </span>
          <div className="flex flex-wrap gap-x-4">
            {offered.map(({ group, label }) => {
              const isChosen = groups.includes(group);
              return (
                <label key={group} className="flex h-8 items-center gap-2 max-md:h-11">
                  <input
                    type="checkbox"
                    checked={isChosen}
                    disabled={isFull && !isChosen}
                    onChange={() =>
                      onChange(
                        isChosen ? groups.filter((one) => one !== group) : [...groups, group],
                      )
                    }
                  />
                  {label}
                </label>
              );
            })}
          </div>
        </div>
      ))}
      {isFull && <p className="text-xs text-muted">A report has at most {MAX_GROUPS} lists.</p>}
      {error !== undefined && <p className="text-xs text-danger">{error}</p>}
    </fieldset>
  );
}

function ReportUrl({ report, onClose }: { report: Report; onClose(): void }) {
  const { name, url, embedOrigins } = report;
  const [isMailed, setMailed] = useState(false);
  usePreload(PARTS);
  const frame = `<iframe src="${url}" title="${name.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}" width="100%" height="900"></iframe>`;
  if (isMailed) {
    return (
      <Suspense>
        <ReportMailDialog report={report} onClose={onClose} />
      </Suspense>
    );
  }
  return (
    <DoneDialog title={name} onClose={onClose}>
      <p>
        Send this URL to the people who should see the report. Its numbers stay current. You can
        change it or revoke it in the settings, under Shared reports.
      </p>
      <Copyable label="URL" text={url} />
      {embedOrigins.length > 0 && <Copyable label="HTML to embed it" text={frame} />}
      <p className="flex flex-wrap gap-2">
        <a href={url} target="_blank" rel="noreferrer" className={buttonLook('plain')}>
          <ExternalLink size={15} aria-hidden />
          Open the report
        </a>
        <Button icon={Mail} onClick={() => setMailed(true)}>
          Send by email
        </Button>
      </p>
    </DoneDialog>
  );
}

function Copyable({ label, text }: { label: string; text: string }) {
  return (
    <Field label={label}>
      {(control) => (
        <div className="flex items-center gap-1">
          <input
            {...control}
            readOnly
            value={text}
            spellCheck={false}
            onFocus={(event) => event.currentTarget.select()}
            className={`${inputLook} font-mono text-xs`}
          />
          <CopyButton text={text} label={`Copy ${label}`} />
        </div>
      )}
    </Field>
  );
}
