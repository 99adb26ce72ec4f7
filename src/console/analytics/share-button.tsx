import { Share2 } from 'lucide-react';
import { Suspense, useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { lazyPart, usePreload } from '../ui/lazy-part.tsx';
import { FILTER_LIST } from './event-query.ts';
import { nameOfPeriod } from './period-picker.tsx';
import { FilterLine } from './print.tsx';
import { isFixed, reportQueryOf } from './report-question.ts';
import { useEventQuery } from './use-event-query.ts';

const ReportDialog = lazyPart(() => import('./report-dialog.tsx'), 'ReportDialog');
const PARTS = [ReportDialog];

/** Opens the form that shares the period and filters of the page as a report. */
export function ShareButton() {
  const { may } = useWorkspace();
  const { query } = useEventQuery();
  const [isOpen, setOpen] = useState(false);
  usePreload(PARTS);
  if (!may('analytics.write')) return null;
  const used = FILTER_LIST.filter((filter) => query[filter] !== undefined);
  return (
    <>
      <Button icon={Share2} onClick={() => setOpen(true)}>
        Share
      </Button>
      {isOpen && (
        <Suspense>
          <ReportDialog
            query={reportQueryOf(query)}
            summary={
              <>
                <p>
                  <span className="text-muted">Period</span> {nameOfPeriod(query)}
                </p>
                {isFixed(query) && (
                  <p className="text-xs text-muted">
                    The report stays at these dates. Choose a period such as “Last 30 days” for one
                    that moves on.
                  </p>
                )}
                {used.map((filter) => (
                  <FilterLine key={filter} filter={filter} value={query[filter]!} />
                ))}
              </>
            }
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
