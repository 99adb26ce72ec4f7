import { useQueryClient } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ChartNoAxesColumn } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Panel } from '../ui/panel.tsx';
import { Failure } from '../ui/states.tsx';
import { useScrollTo } from '../ui/use-scroll-to.ts';
import { BreakdownCard } from './breakdown-card.tsx';
import { CARDS } from './cards.ts';
import type { EventQuery, Metric } from './event-query.ts';
import { LocationsNotice } from './events-view.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { PlanNeeded, planNeeded } from './plan-needed.tsx';
import { useTotals } from './queries.ts';
import { TimelinePanel } from './timeline-panel.tsx';
import { Totals } from './totals.tsx';
import { RecordQuery, useEventQuery } from './use-event-query.ts';

interface RecordAnalyticsProps {
  of: { linkId: string } | { qrcodeId: string };
  /** Number of visits of the record; the numbers here are read again when it changes. */
  visits: number;
  /** True when the URL asks for the chart, to which the page then scrolls. */
  isTarget: boolean;
}

/** Cards of a record; analytics has the others too. */
const SHOWN_CARDS = CARDS.filter(({ id }) => ['referrers', 'locations', 'devices'].includes(id));
/** Number of rows of a card. */
const ROWS = 5;

/** Clicks or scans of one record over time, and where they come from. */
export default function RecordAnalytics({ of, visits, isTarget }: RecordAnalyticsProps) {
  const client = useQueryClient();
  const shown = useRef(visits);
  useEffect(() => {
    if (shown.current === visits) return;
    shown.current = visits;
    void client.invalidateQueries({ queryKey: keys.analytics.all });
  }, [client, visits]);
  const id = 'linkId' in of ? of.linkId : of.qrcodeId;
  const isLink = 'linkId' in of;
  const query = useMemo<EventQuery>(
    () => (isLink ? { linkId: id } : { qrcodeId: id, event: 'scans' }),
    [id, isLink],
  );
  return (
    <RecordQuery value={query}>
      <Contents visits={isLink ? 'clicks' : 'scans'} isTarget={isTarget} />
    </RecordQuery>
  );
}

function Contents({ visits, isTarget }: { visits: Metric; isTarget: boolean }) {
  const { slug } = useWorkspace();
  const { query } = useEventQuery();
  const totals = useTotals();
  const section = useScrollTo<HTMLDivElement>(isTarget);
  const plan = planNeeded(totals.error);
  const isEmpty =
    totals.data !== undefined && Object.values(totals.data.now).every((count) => count === 0);
  return (
    <div ref={section} className="flex scroll-mt-3 flex-col gap-4">
      <Panel
        title="Analytics"
        aside={
          plan === undefined && (
            <span className="flex min-w-0 items-center gap-1">
              <PeriodPicker isCompared />
              <Link
                to="/$workspace/analytics"
                params={{ workspace: slug }}
                search={query}
                className={classes(buttonLook('quiet'), 'max-md:min-w-11')}
                aria-label="Open in Analytics"
              >
                <ChartNoAxesColumn size={15} aria-hidden />
                <span className="max-xl:sr-only">Open in Analytics</span>
              </Link>
            </span>
          )
        }
      >
        {plan !== undefined ? (
          <PlanNeeded plan={plan} what="Analytics" />
        ) : totals.error !== null && totals.data === undefined ? (
          <Failure error={totals.error} retry={() => void totals.refetch()} />
        ) : (
          <>
            <Totals metrics={[visits, 'leads', 'sales', 'revenue']} />
            {isEmpty ? (
              <p className="grid min-h-40 place-items-center px-4 text-center text-muted">
                {`No ${visits} in this period. They appear here within seconds.`}
              </p>
            ) : (
              <TimelinePanel />
            )}
          </>
        )}
      </Panel>
      {plan === undefined && totals.data !== undefined && !isEmpty && (
        <div className="grid gap-4 md:grid-cols-2 md:*:last:col-span-2 2xl:grid-cols-3 2xl:*:last:col-span-1">
          {SHOWN_CARDS.map((card) => (
            <BreakdownCard key={card.title} card={card} rows={ROWS} />
          ))}
        </div>
      )}
      {plan === undefined && !isEmpty && <LocationsNotice />}
    </div>
  );
}
