import { Maximize2 } from 'lucide-react';
import { type ReactNode, useId } from 'react';
import { Button } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Panel } from '../ui/panel.tsx';
import { inSentence } from '../ui/sentence.ts';
import { Failure, Skeleton } from '../ui/states.tsx';
import { Tabs } from '../ui/tabs.tsx';
import { BarRow, useEntries } from './breakdown-list.tsx';
import type { Card, Tab } from './cards.ts';
import { kindOf } from './event-query.ts';
import { useEventQuery } from './use-event-query.ts';

/** Number of rows in a card; a dialog shows all rows. */
const SHOWN = 8;

interface BreakdownCardProps {
  card: Card;
  /** Number of rows. */
  rows?: number;
  /** A chart beside the rows. */
  children?: ReactNode;
}

/** A card with the most frequent values of the chosen tab, and optionally a chart beside them. */
export function BreakdownCard({ card, rows = SHOWN, children }: BreakdownCardProps) {
  const { query, change } = useEventQuery();
  const panelId = useId();
  const chosen = query.tabs?.split(',') ?? [];
  const ids = card.tabs.map(({ id }) => id);
  const first = card.firstOf?.(kindOf(query.event)) ?? ids[0]!;
  const id = chosen.find((one) => ids.includes(one)) ?? first;
  const tab = card.tabs.find((one) => one.id === id)!;
  const choose = (next: string) => {
    const others = chosen.filter((one) => !ids.includes(one));
    const tabs = next === first ? others : [...others, next];
    change({ tabs: tabs.length === 0 ? undefined : tabs.join(',') }, true);
  };
  return (
    <Panel
      title={card.title}
      isWide={children !== undefined}
      aside={
        <div className="min-w-0 print:hidden">
          <Tabs
            label={card.title}
            tabs={card.tabs}
            chosen={id}
            onChoose={choose}
            panelId={panelId}
          />
        </div>
      }
    >
      <div
        className={classes(
          'flex-1',
          children === undefined ? 'flex' : 'grid lg:grid-cols-[3fr_2fr] print:grid-cols-[3fr_2fr]',
        )}
      >
        {children}
        <div
          id={panelId}
          role="tabpanel"
          aria-label={tab.label}
          className="flex min-w-0 flex-1 flex-col p-2"
        >
          <TopRows tab={tab} most={rows} />
        </div>
      </div>
    </Panel>
  );
}

/**
 * The first rows of a tab, with a button that shows all.
 *
 * @param most number of rows
 */
export function TopRows({ tab, most = SHOWN }: { tab: Tab; most?: number }) {
  const { show } = useEventQuery();
  const { rows, entries, column, bar } = useEntries(tab);
  if (rows.isPending) return <Rows count={most} />;
  if (rows.error !== null) {
    return <Failure error={rows.error} retry={() => void rows.refetch()} />;
  }
  if (entries.length === 0) {
    return (
      <p className="grid min-h-40 flex-1 place-items-center px-4 text-center text-muted">
        {emptyText(tab)}
      </p>
    );
  }
  return (
    <>
      <div className="flex justify-between px-2 pb-1 text-xs text-muted">
        <span>{tab.label}</span>
        <span>{column}</span>
      </div>
      <ol className="flex flex-1 flex-col gap-1">
        {entries.slice(0, most).map((entry) => (
          <li key={entry.key} className="flex items-center gap-2">
            <BarRow entry={entry} most={entries[0]!.value} {...bar} />
          </li>
        ))}
      </ol>
      <Button
        look="quiet"
        size="small"
        icon={Maximize2}
        className="mt-2 self-center max-md:h-11 print:hidden"
        onClick={() => show({ group: tab.id })}
      >
        {entries.length > most ? `All ${entries.length}` : 'Details'}
        <span className="sr-only"> of {inSentence(tab.label)}</span>
      </Button>
    </>
  );
}

/** Explains why a card is empty and how it gets data. */
function emptyText(tab: Tab): string {
  if (tab.id.startsWith('utm_')) {
    return `No clicks with ${tab.id} in this period. Add it in a link’s UTM section.`;
  }
  if (tab.group === 'top_tags' || tab.group === 'top_folders') {
    return `No visits to links or QR codes with ${inSentence(tab.label)} in this period.`;
  }
  if (tab.group === 'variants') return 'No visits to A/B tests in this period.';
  if (tab.group === 'top_events') {
    return 'No leads or sales in this period. Turn on conversion tracking in a link to record them.';
  }
  return 'No data in this period.';
}

function Rows({ count }: { count: number }) {
  return (
    <div className="flex flex-col gap-2 p-1">
      {Array.from({ length: count }, (_, index) => (
        <Skeleton key={index} className="h-6" />
      ))}
    </div>
  );
}
