import type { Schemas } from '../../api/client.ts';
import { countOf } from '../../ui/count-of.ts';
import { DocsLink } from '../../ui/docs-link.tsx';
import { Section } from '../../ui/section.tsx';
import { sentenceCase } from '../../ui/sentence.ts';

const format = new Intl.NumberFormat();
/** Number up to which the API counts the records of a kind. */
const MOST_COUNTED = 100_000;

/** The plan with its limits and the current usage. */
export function Usage({ workspace: { plan, limits, usage } }: { workspace: Schemas['Workspace'] }) {
  return (
    <Section
      title="Plan and usage"
      description={
        <>
          This workspace is on the {sentenceCase(plan)} plan. Ask your administrator to change it.{' '}
          <DocsLink guide="workspaces">What each plan includes</DocsLink>
        </>
      }
    >
      <div className="grid gap-x-10 gap-y-5 md:grid-cols-2">
        <Figures
          title="Limits"
          figures={[
            ['Requests per minute', limited(limits.requestsPerMinute, format.format)],
            ['Event retention', limited(limits.retentionDays, (days) => countOf(days, 'day'))],
          ]}
        />
        <Figures
          title="Usage"
          figures={[
            ['Events this month', format.format(usage.eventsThisMonth)],
            ['Links', counted(usage.links)],
            ['QR codes', counted(usage.qrcodes)],
            ['Domains', counted(usage.domains)],
            ['Members', counted(usage.members)],
            ['Tags', counted(usage.tags)],
          ]}
        />
      </div>
    </Section>
  );
}

const limited = (limit: number | null, inWords: (limit: number) => string): string =>
  limit === null ? 'No limit' : inWords(limit);

const counted = (count: number): string =>
  count >= MOST_COUNTED ? `${format.format(count)} or more` : format.format(count);

interface FiguresProps {
  title: string;
  figures: readonly [label: string, value: string][];
}

function Figures({ title, figures }: FiguresProps) {
  return (
    <div>
      <h3 className="pb-1 font-medium">{title}</h3>
      <dl>
        {figures.map(([label, value]) => (
          <div key={label} className="flex justify-between gap-4 border-t border-line py-1.5">
            <dt className="text-muted">{label}</dt>
            <dd className="font-medium tabular-nums">{value}</dd>
          </div>
        ))}
      </dl>
    </div>
  );
}
