import { Link } from '@tanstack/react-router';
import { ChartNoAxesColumn, Download, FileArchive, Printer } from 'lucide-react';
import { download } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook } from '../ui/button.tsx';
import { Menu } from '../ui/menu.tsx';
import { Panel } from '../ui/panel.tsx';
import { saveFile } from '../ui/save-file.ts';
import { inSentence } from '../ui/sentence.ts';
import { Empty } from '../ui/states.tsx';
import { useAction } from '../ui/use-action.ts';
import { BreakdownCard, TopRows } from './breakdown-card.tsx';
import { BreakdownDialog } from './breakdown-dialog.tsx';
import { CARDS, EVENTS_TAB, tabNamed } from './cards.ts';
import { saveCsv } from './csv.ts';
import { filtersOf, nameOfMetric } from './event-query.ts';
import { EventsView } from './events-view.tsx';
import { fileNameOf } from './file-name.ts';
import { Funnel } from './funnel.tsx';
import { LeftOut } from './left-out.tsx';
import { PeriodPicker } from './period-picker.tsx';
import { PrintHeader } from './print.tsx';
import {
  measureOf,
  parametersOf,
  searchOf,
  useAnalytics,
  useTimeline,
  useTotals,
} from './queries.ts';
import { ShareButton } from './share-button.tsx';
import { TimelinePanel } from './timeline-panel.tsx';
import { Totals } from './totals.tsx';
import { useEventQuery } from './use-event-query.ts';
import { useComparisonName } from './value-names.ts';
import { WorldMap } from './world-map.tsx';

/** The analytics page of a period: totals, time series and breakdowns. */
export function AnalyticsPage() {
  const totals = useTotals();
  return (
    <EventsView
      title="Analytics"
      actions={
        <>
          <ShareButton />
          <ExportMenu />
          <PeriodPicker isCompared />
        </>
      }
      error={totals.error}
      retry={() => void totals.refetch()}
    >
      <Contents />
    </EventsView>
  );
}

function Contents() {
  const { query } = useEventQuery();
  const opened = tabNamed(query.group);
  const { data } = useTotals();
  const isEmpty = data !== undefined && isZero(data.now);
  const wasEmpty = data?.before === undefined || isZero(data.before);
  return (
    <>
      <PrintHeader />
      <section
        aria-label="Overview"
        className="break-inside-avoid rounded-lg border border-line bg-panel"
      >
        {!(isEmpty && wasEmpty) && <Totals />}
        {isEmpty ? <NoEvents /> : <TimelinePanel />}
      </section>
      {!isEmpty && (
        <div className="grid gap-4 lg:grid-cols-2 print:grid-cols-2">
          {CARDS.map((card) => (
            <BreakdownCard key={card.id} card={card}>
              {card.id === 'locations' ? <Countries /> : undefined}
            </BreakdownCard>
          ))}
          <Panel title="Conversions" isWide>
            <div className="grid lg:grid-cols-[3fr_2fr] print:grid-cols-[3fr_2fr]">
              <Funnel />
              <div className="flex min-w-0 flex-col p-2">
                <TopRows tab={EVENTS_TAB} />
              </div>
            </div>
          </Panel>
        </div>
      )}
      <LeftOut />
      {opened && <BreakdownDialog tab={opened} />}
    </>
  );
}

const isZero = (totals: object): boolean => Object.values(totals).every((count) => count === 0);

function Countries() {
  const { query, addFilters } = useEventQuery();
  const { event = 'clicks' } = query;
  const rows = useAnalytics('countries', query);
  const counts = new Map(
    (rows.data ?? []).map((row) => [String(row['country']), Number(row[measureOf(event)] ?? 0)]),
  );
  return (
    <div className="self-center p-3">
      <WorldMap
        counts={counts}
        metric={event}
        label={`${nameOfMetric(event)} by country, as a map. The list has the numbers.`}
        onChoose={(country) => addFilters({ country })}
      />
    </div>
  );
}

function NoEvents() {
  const { slug } = useWorkspace();
  const { query, change, clearFilters } = useEventQuery();
  const isFiltered = Object.keys(filtersOf({ ...query })).length > 0;
  return (
    <Empty
      icon={ChartNoAxesColumn}
      title={isFiltered ? 'No events match the filters' : 'No events in this period'}
      action={
        <div className="flex flex-wrap justify-center gap-2">
          {isFiltered && <Button onClick={clearFilters}>Clear filters</Button>}
          {query.interval !== 'all' && (
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
              Go to links
            </Link>
          )}
        </div>
      }
    >
      {isFiltered
        ? 'Remove a filter or choose a longer period.'
        : 'Share a short link or QR code. Clicks and scans appear here within seconds. Bots and link previews aren’t counted.'}
    </Empty>
  );
}

/** Saves the page: the time series, all numbers, or what it looks like. */
function ExportMenu() {
  const { query } = useEventQuery();
  const { slug } = useWorkspace();
  const timeline = useTimeline();
  const comparison = useComparisonName();
  const [isBusy, run] = useAction();
  const saveTimeline = () => {
    const { rows, before } = timeline.data!;
    const measure = measureOf(query.event);
    const name = nameOfMetric(query.event);
    const compared = before && [
      [`${comparison}: start`, `${comparison}: ${inSentence(name)}`],
      ...rows.map((_, index) => [before[index]?.start ?? '', before[index]?.[measure] ?? '']),
    ];
    const shown = [['Start', name], ...rows.map((row) => [row.start, row[measure] ?? 0])];
    saveCsv(
      fileNameOf(slug, query.event ?? 'clicks', query, Date.now()),
      shown.map((cells, index) => [...cells, ...(compared?.[index] ?? [])]),
    );
  };
  const saveAll = async () => {
    const { event, ...others } = parametersOf(query);
    // Without an event, the files of QR codes and pages have scans and views.
    const parameters = query.event === undefined ? others : { ...others, event: event! };
    const file = await download(slug, `/analytics/export?${searchOf(parameters)}`);
    saveFile(file, `${fileNameOf(slug, 'analytics', query, Date.now())}.zip`);
  };
  return (
    <Menu
      label="Export"
      button={{ icon: Download, children: 'Export', disabled: isBusy }}
      items={[
        timeline.data !== undefined && {
          label: 'Chart as CSV',
          icon: ChartNoAxesColumn,
          onSelect: saveTimeline,
        },
        { label: 'All numbers as ZIP', icon: FileArchive, onSelect: () => run(saveAll) },
        { label: 'Print or save as PDF', icon: Printer, onSelect: () => print() },
      ]}
    />
  );
}
