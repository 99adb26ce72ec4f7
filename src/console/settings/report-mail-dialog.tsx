import { useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { people } from '../api/people.ts';
import { useWrite } from '../api/queries.ts';
import { useResource } from '../app/resource.ts';
import { personClient } from '../app/session.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { type OptionList, SelectField, TextField } from '../ui/field.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { zonesWith } from '../ui/time-zones.ts';
import { toast } from '../ui/toasts.tsx';
import { useFields } from '../ui/use-fields.ts';
import { ReportRecipients } from './report-recipients.tsx';

type Report = Schemas['SharedReport'];
type Schedule = NonNullable<Report['schedule']>;
type Language = Schemas['ReportRecipient']['language'];

const FREQUENCIES: OptionList = [
  ['day', 'Every day'],
  ['week', 'Every week'],
  ['month', 'Every month'],
];
const WEEKDAYS: OptionList = [
  ['1', 'Monday'],
  ['2', 'Tuesday'],
  ['3', 'Wednesday'],
  ['4', 'Thursday'],
  ['5', 'Friday'],
  ['6', 'Saturday'],
  ['7', 'Sunday'],
];
const DAYS: OptionList = Array.from({ length: 31 }, (_, at) => [`${at + 1}`, `${at + 1}`]);
const HOURS: OptionList = Array.from({ length: 24 }, (_, at) => [`${at}`, `${at}:00`]);

/** Languages of mails, by their names in these languages. */
const LANGUAGES: OptionList = /* value */ [
  ['en', 'English'],
  ['de', 'Deutsch'],
  ['es', 'Español'],
  ['fr', 'Français'],
  ['ja', '日本語'],
  ['pt', 'Português'],
];

interface ReportMailDialogProps {
  report: Report;
  onClose(): void;
}

/** Sends a report by email: when, and to whom. */
export function ReportMailDialog({ report, onClose }: ReportMailDialogProps) {
  const query = { queryKey: keys.notifications.all, queryFn: people.notifications };
  const mail = useQuery(query, personClient);
  return (
    <Dialog title={`Send “${report.name}” by email`} onClose={onClose}>
      {mail.isPending && <Skeleton className="h-40 w-full" />}
      {mail.error && <Failure error={mail.error} retry={() => void mail.refetch()} />}
      {mail.data?.isMailSetUp === false && (
        <p>
          Email isn’t set up, so reports can’t be sent. Ask your administrator to set SMTP_URL.{' '}
          <DocsLink guide="notifications">How email is set up</DocsLink>
        </p>
      )}
      {mail.data?.isMailSetUp === true && (
        <div className="flex flex-col gap-8">
          <ScheduleForm report={report} />
          <div className="flex flex-col gap-4">
            <RecipientForm report={report} />
            <ReportRecipients reportId={report.id} />
          </div>
        </div>
      )}
    </Dialog>
  );
}

/** A form inside of the dialog, with its heading. */
function Part(props: { title: string; onSubmit(): void; children: ReactNode }) {
  const { title, onSubmit, children } = props;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    event.stopPropagation();
    onSubmit();
  };
  return (
    <form aria-label={title} onSubmit={submit} className="flex flex-col gap-4">
      <h3 className="font-semibold">{title}</h3>
      {children}
    </form>
  );
}

function ScheduleForm({ report }: { report: Report }) {
  // The version of the report that the next change replaces.
  const [seen, setSeen] = useState(report);
  const { update: save } = useResource('sharedReports', { onUpdated: setSeen });
  const [browserZone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const { values, text, set } = useFields(fieldsOf(seen.schedule, browserZone), save.error);
  const { every, day, hour, timezone } = values;
  const submit = () => {
    const schedule = {
      every: every as Schedule['every'],
      day: every === 'day' ? null : Number(day),
      hour: Number(hour),
      timezone,
    };
    save.write({ seen, body: { schedule: every === '' ? null : schedule } });
  };
  return (
    <Part title="Schedule" onSubmit={submit}>
      <Refused error={save.error} />
      <div className="grid gap-4 md:grid-cols-2">
        <SelectField
          label="Frequency"
          none="Not sent"
          options={FREQUENCIES}
          {...text('every')}
          onChange={({ target }) => set({ every: target.value, day: '1' })}
        />
        {every === 'week' && <SelectField label="Day" options={WEEKDAYS} {...text('day')} />}
        {every === 'month' && (
          <SelectField
            label="Day of the month"
            hint="In shorter months, the last day."
            options={DAYS}
            {...text('day')}
          />
        )}
        {every !== '' && (
          <>
            <SelectField label="Time" options={HOURS} {...text('hour')} />
            <SelectField label="Time zone" options={zonesWith(timezone)} {...text('timezone')} />
          </>
        )}
      </div>
      <div className="flex flex-wrap items-center gap-3">
        <Button type="submit" look="primary" busy={save.isPending}>
          Save schedule
        </Button>
        <p className="text-xs text-muted">
          {seen.nextMailAt === null ? (
            'It isn’t sent.'
          ) : (
            <>
              Next email: <Time at={seen.nextMailAt} />
            </>
          )}
        </p>
      </div>
      <p className="text-xs text-muted">
        Each email has the numbers of the days since the previous one, compared with the period
        before, and a link to the report.
      </p>
    </Part>
  );
}

const fieldsOf = (schedule: Report['schedule'], zone: string) => ({
  every: schedule?.every ?? '',
  day: `${schedule?.day ?? 1}`,
  hour: `${schedule?.hour ?? 8}`,
  timezone: schedule?.timezone ?? zone,
});

/** The language of the browser, if mails have it. */
function browserLanguage(): string {
  const [language = 'en'] = navigator.language.toLowerCase().split('-');
  return LANGUAGES.some(([value]) => value === language) ? language : 'en';
}

function RecipientForm({ report }: { report: Report }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const add = useWrite({
    send: (body: Schemas['NewReportRecipient'], key) =>
      answer(api.POST('/reports/{id}/recipients', { ...idempotent(key, { id: report.id }), body })),
    onDone: ({ email, state }) => {
      void client.invalidateQueries({ queryKey: keys.sharedReports.one(report.id) });
      set({ email: '' });
      toast(
        state === 'waiting' ? `Confirmation email sent to ${email}` : `${email} is a recipient`,
      );
    },
  });
  const { values, text, set } = useFields({ email: '', language: browserLanguage() }, add.error);
  const submit = () => add.write({ ...values, language: values.language as Language });
  return (
    <Part title="Recipients" onSubmit={submit}>
      <Refused error={add.error} />
      <p className="text-muted">
        Recipients need no account. They get one email that asks them to confirm, and the report
        only after they did.
      </p>
      <div className="grid items-start gap-4 md:grid-cols-[1fr_9rem_auto]">
        <TextField label="Email" type="email" required maxLength={254} {...text('email')} />
        <SelectField label="Language" options={LANGUAGES} {...text('language')} />
        <Button type="submit" busy={add.isPending} className="md:mt-6">
          Add recipient
        </Button>
      </div>
    </Part>
  );
}
