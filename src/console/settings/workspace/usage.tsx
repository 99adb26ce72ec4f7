import type { Schemas } from '../../api/client.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Section } from '../../ui/section.tsx';
import { Badge } from '../../ui/states.tsx';

const format = new Intl.NumberFormat();
/** Records of one kind that the API counts at most. */
const MOST_COUNTED = 100_000;

/** The plan, what it allows, and what is there. */
export function Usage({ workspace: { plan, limits, usage } }: { workspace: Schemas['Workspace'] }) {
  const counts = [
    { label: 'Links', value: usage.links },
    { label: 'QR codes', value: usage.qrcodes },
    { label: 'Domains', value: usage.domains },
    { label: 'Members', value: usage.members },
    { label: 'Tags', value: usage.tags },
  ];
  return (
    <Section
      title="Plan and usage"
      description={
        <>
          This workspace is on the <Badge>{plan}</Badge> plan. Ask your operator to change it.{' '}
          <DocsLink guide="workspaces">What each plan includes</DocsLink>
        </>
      }
    >
      <dl className="grid grid-cols-2 gap-3 md:grid-cols-4">
        <Figure
          label="Requests per minute"
          value={
            limits.requestsPerMinute === null ? 'No limit' : format.format(limits.requestsPerMinute)
          }
        />
        <Figure
          label="Event retention"
          value={
            limits.retentionDays === null
              ? 'No limit'
              : `${format.format(limits.retentionDays)} days`
          }
        />
        <Figure label="Events this month" value={format.format(usage.eventsThisMonth)} />
        {counts.map(({ label, value }) => (
          <Figure
            key={label}
            label={label}
            value={`${format.format(value)}${value >= MOST_COUNTED ? ' or more' : ''}`}
          />
        ))}
      </dl>
    </Section>
  );
}

function Figure({ label, value }: { label: string; value: string }) {
  return (
    <div className="flex flex-col rounded-md border border-line px-3 py-2">
      <dt className="text-xs text-muted">{label}</dt>
      <dd className="text-base font-semibold tabular-nums">{value}</dd>
    </div>
  );
}
