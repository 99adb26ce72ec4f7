import { useMutation, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { people } from '../../api/people.ts';
import { personClient } from '../../app/session.ts';
import { useWorkspace } from '../../app/workspace.tsx';
import { Button } from '../../ui/button.tsx';
import { SelectField, Switch } from '../../ui/field.tsx';
import { Section } from '../../ui/section.tsx';
import { Failure, Skeleton } from '../../ui/states.tsx';
import { toastError } from '../../ui/toast-error.ts';
import { toast } from '../../ui/toasts.tsx';
import { ReportPreview } from './report-preview.tsx';

type Notifications = Schemas['Notifications'];
type Alert = Notifications['alerts'][number];

const key = keys.notifications.all;

/** Labels and hints of the alerts. */
const ALERTS: Record<Alert, { label: string; hint: string }> = {
  'limit.reached': {
    label: 'Limit reached',
    hint: 'The workspace reaches 80% or 100% of a plan limit.',
  },
  'link.expired': {
    label: 'Link expired',
    hint: 'A link reaches its expiry date or its click limit.',
  },
  'link.broken': {
    label: 'Destination broken',
    hint: 'The destination of a link stops responding.',
  },
  'webhook.disabled': {
    label: 'Webhook disabled',
    hint: 'A webhook is disabled because its deliveries keep failing.',
  },
};
const ALL = Object.keys(ALERTS) as Alert[];

/** The section for emails about the open workspace. */
export function NotificationsSection() {
  const { slug } = useWorkspace();
  const all = useQuery({ queryKey: key, queryFn: people.notifications }, personClient);
  const own = all.data?.workspaces.find((one) => one.slug === slug);
  return (
    <Section
      title="Email notifications"
      description={
        own === undefined ? undefined : (
          <>
            {all.data?.isMailSetUp === false && (
              <p className="font-medium text-ink">
                Email isn’t set up, so nothing will be sent. Ask your administrator to set SMTP_URL.
              </p>
            )}
            <p>Choose which emails you get about {own.name}.</p>
          </>
        )
      }
    >
      {all.isPending && <Skeleton className="h-40 w-full" />}
      {all.error && <Failure error={all.error} retry={() => void all.refetch()} />}
      {own && <Choices own={own} />}
    </Section>
  );
}

function Choices({ own }: { own: Notifications }) {
  const { plan } = useWorkspace();
  const [zone] = useState(() => Intl.DateTimeFormat().resolvedOptions().timeZone);
  const [isPreviewed, preview] = useState(false);
  const change = useMutation(
    {
      mutationFn: (changes: Schemas['NotificationsUpdate']) =>
        people.changeNotifications(own.projectId, changes),
      onSuccess: () => toast('Saved'),
      onError: toastError,
      onSettled: () => personClient.invalidateQueries({ queryKey: key }),
    },
    personClient,
  );
  // While the change is being saved, the new choice is already shown.
  const alerts = (change.isPending && change.variables.alerts) || own.alerts;
  return (
    <>
      {ALL.map((alert) => (
        <Switch
          key={alert}
          {...ALERTS[alert]}
          checked={alerts.includes(alert)}
          disabled={change.isPending}
          onChange={(isOn) =>
            change.mutate({ alerts: ALL.filter((a) => (a === alert ? isOn : alerts.includes(a))) })
          }
        />
      ))}
      <SelectField
        label="Report"
        hint={
          plan === 'free'
            ? 'Reports need the Pro plan.'
            : `Clicks, scans, leads and sales, compared with the previous period. Sent at 8:00, ${own.report?.timezone ?? zone}.`
        }
        disabled={plan === 'free' || change.isPending}
        value={own.report?.every ?? ''}
        onChange={({ target }) => {
          const every = target.value as 'weekly' | 'monthly' | '';
          change.mutate({ report: every === '' ? null : { every, timezone: zone } });
        }}
        none="None"
        options={[
          ['weekly', 'Every week, on Monday'],
          ['monthly', 'Every month, on the 1st'],
        ]}
      />
      {plan !== 'free' && (
        <div>
          <Button onClick={() => preview(true)}>Preview the report</Button>
        </div>
      )}
      {isPreviewed && (
        <ReportPreview
          choice={{
            every: own.report?.every ?? 'weekly',
            timezone: own.report?.timezone ?? zone,
          }}
          onClose={() => preview(false)}
        />
      )}
    </>
  );
}
