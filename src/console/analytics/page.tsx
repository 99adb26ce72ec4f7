import { Link } from '@tanstack/react-router';
import { ChartNoAxesColumn, Download } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Empty, Failure } from '../ui/states.tsx';
import { measureOf, useAnalytics, useTimeline } from './ask.ts';
import { BreakdownCard, Panel, TopRows } from './breakdown-card.tsx';
import { BreakdownDialog } from './breakdown-dialog.tsx';
import { CARDS, EVENTS_TAB, tabNamed } from './cards.ts';
import { saveCsv } from './csv.ts';
import { FilterBar } from './filter-bar.tsx';
import { Funnel } from './funnel.tsx';
import { IntervalPicker } from './interval-picker.tsx';
import { LocationsNotice } from './locations-notice.tsx';
import { nameOfMetric } from './names.ts';
import { PlanNeeded, planNeeded } from './plan-needed.tsx';
import { filtersOf } from './question.ts';
import { TimelinePanel } from './timeline-panel.tsx';
import { Totals } from './totals.tsx';
import { useQuestion } from './use-question.ts';
import { WorldMap } from './world-map.tsx';

/** Analytics of an interval: totals, their time series, and their groups. */
export function AnalyticsPage() {
  const { question } = useQuestion();
  const kpis = useAnalytics('kpis', question);
  const plan = planNeeded(kpis.error);
  if (plan !== undefined) {
    return (
      <Page title="Analytics">
        <PlanNeeded plan={plan} what="Analytics come" />
      </Page>
    );
  }
  return (
    <Page
      title="Analytics"
      actions={
        <>
          <SaveTimeline />
          <IntervalPicker />
        </>
      }
    >
      <div className="flex flex-col gap-4 px-4 pb-8 md:px-6">
        <FilterBar />
        {kpis.error ? (
          <Failure error={kpis.error} retry={() => void kpis.refetch()} />
        ) : (
          <Contents />
        )}
        <LocationsNotice />
      </div>
    </Page>
  );
}

function Contents() {
  const { question } = useQuestion();
  const opened = tabNamed(question.group);
  const kpis = useAnalytics('kpis', question);
  const isEmpty =
    kpis.data !== undefined && Object.values(kpis.data).every(({ value }) => value === 0);
  return (
    <>
      <section aria-label="Overview" className="rounded-lg border border-line bg-panel">
        <Totals />
        {isEmpty ? <NoEvents /> : <TimelinePanel />}
      </section>
      {!isEmpty && (
        <div className="grid gap-4 lg:grid-cols-2">
          {CARDS.map((card) => (
            <BreakdownCard key={card.title} card={card}>
              {card.title === 'Locations' ? <Countries /> : undefined}
            </BreakdownCard>
          ))}
          <Panel title="Conversions" isWide>
            <div className="grid lg:grid-cols-[3fr_2fr]">
              <Funnel question={question} />
              <div className="flex min-w-0 flex-col p-2">
                <TopRows tab={EVENTS_TAB} question={question} />
              </div>
            </div>
          </Panel>
        </div>
      )}
      {opened && <BreakdownDialog tab={opened} question={question} />}
    </>
  );
}

function Countries() {
  const { question, addFilters } = useQuestion();
  const { event = 'clicks' } = question;
  const rows = useAnalytics('countries', question);
  const counts = new Map(
    (rows.data ?? []).map((row) => [String(row['country']), Number(row[measureOf(event)] ?? 0)]),
  );
  return (
    <div className="self-center p-3">
      <WorldMap
        counts={counts}
        metric={event}
        label={`${nameOfMetric(event)} on a map of countries; the list below has the numbers`}
        onChoose={(country) => addFilters({ country })}
      />
    </div>
  );
}

function NoEvents() {
  const { slug } = useWorkspace();
  const { question, change, clearFilters } = useQuestion();
  const isFiltered = Object.keys(filtersOf({ ...question })).length > 0;
  return (
    <Empty
      icon={ChartNoAxesColumn}
      title={isFiltered ? 'No events match the filters' : 'No events in this span'}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {isFiltered && <Button onClick={clearFilters}>Clear the filters</Button>}
          {question.interval !== 'all' && (
            <Button onClick={() => change({ interval: 'all', start: undefined, end: undefined })}>
              Show all time
            </Button>
          )}
          {!isFiltered && (
            <Link
              to="/$workspace/links"
              params={{ workspace: slug }}
              className={buttonLook('primary')}
            >
              Go to the links
            </Link>
          )}
        </div>
      }
    >
      {isFiltered
        ? 'Take a filter away, or look at a longer span.'
        : 'Each visit of a short link counts as a click, and each scan of a QR code as a scan, within seconds. Bots and previews don’t count. Share a link, and its visits appear here.'}
    </Empty>
  );
}

/** Downloads the time series that is shown. */
function SaveTimeline() {
  const { question } = useQuestion();
  const timeline = useTimeline(question);
  const save = () => {
    const { rows, before } = timeline.data!;
    const measure = measureOf(question.event);
    const name = nameOfMetric(question.event);
    saveCsv('timeseries', [
      ['Start', name, 'Start before', `${name} before`],
      ...rows.map((row, index) => [
        row.start,
        row[measure] ?? 0,
        before?.[index]?.start ?? '',
        before?.[index]?.[measure] ?? '',
      ]),
    ]);
  };
  return (
    <Button icon={Download} onClick={save} disabled={timeline.data === undefined}>
      CSV
    </Button>
  );
}
