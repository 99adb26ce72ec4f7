import type { ReactNode } from 'react';
import { useMe } from '../app/session.ts';
import { Page } from '../ui/page.tsx';
import { Failure } from '../ui/states.tsx';
import { FilterBar } from './filter-bar.tsx';
import { useRefusedFilters } from './ignored-notice.tsx';
import { PlanNeeded, planNeeded } from './plan-needed.tsx';

interface EventsViewProps {
  title: string;
  actions: ReactNode;
  /** Controls above the content; the filters by default. */
  controls?: ReactNode;
  /** Error of the request that the view consists of. */
  error: Error | null | undefined;
  retry(): void;
  /** True when there is content that an error stands above, instead of replacing it. */
  isLoaded?: boolean;
  children: ReactNode;
}

/** A view of events, with its filters and what it shows when the API refuses the request. */
export function EventsView(props: EventsViewProps) {
  const { title, actions, controls = <FilterBar />, error, retry, isLoaded, children } = props;
  const isRefused = useRefusedFilters(error);
  const plan = planNeeded(error);
  if (plan !== undefined) {
    return (
      <Page title={title}>
        <PlanNeeded plan={plan} what={title} />
      </Page>
    );
  }
  const isFailed = error != null && !isRefused;
  return (
    <Page title={title} actions={actions}>
      <div className="flex flex-col gap-4 px-4 pb-8 md:px-6">
        {controls}
        {isFailed && <Failure error={error} retry={retry} />}
        {(!isFailed || isLoaded === true) && children}
        <LocationsNotice />
      </div>
    </Page>
  );
}

/** The link that the license of the location database requires beside its data. */
export function LocationsNotice() {
  const { locationsBy } = useMe();
  if (locationsBy !== 'DB-IP') return null;
  return (
    <p className="text-xs text-muted">
      <a
        href="https://db-ip.com"
        target="_blank"
        rel="noreferrer"
        className="underline underline-offset-2"
      >
        IP Geolocation by DB-IP
      </a>
    </p>
  );
}
