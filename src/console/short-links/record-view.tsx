import { Link, useLocation } from '@tanstack/react-router';
import { ExternalLink, type LucideIcon, Share2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { loadPart } from '../api/reachability.ts';
import { useShortcuts } from '../app/shortcuts.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { buttonLook, CopyButton, copy, IconButton } from '../ui/button.tsx';
import { Page } from '../ui/page.tsx';
import { Panel } from '../ui/panel.tsx';
import { share } from '../ui/share.ts';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Skeleton } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import type { ShortLinkRecord } from './fields.ts';
import { History } from './history.tsx';
import type { RecordKind } from './list-kind.ts';
import type { Listed } from './listed.ts';
import { apiPathOf, CHART, HISTORY } from './record-route.ts';
import { type Routed, routingSentences } from './routing-sentences.ts';
import { RecordLabels } from './row-labels.tsx';
import { ScheduledChanges } from './scheduled.tsx';
import { shownHost } from './shown-host.ts';
import { useNames } from './use-names.ts';

const RecordAnalytics = lazy(loadPart(() => import('../analytics/record-analytics.tsx')));
const UncountedVisits = lazy(loadPart(() => import('../analytics/uncounted-visits.tsx')));

interface RecordViewProps<Row extends ShortLinkRecord & Listed> {
  kind: RecordKind<Row>;
  record: Row;
  /** Name of the record as the title of the page. */
  title: string;
  /** Absent for a static code. */
  shortLink: string | undefined;
  /** Badges beside the short link. */
  states: ReactNode;
  /** Destination or content in a line, with its icon. */
  summary: { icon: LucideIcon; label: string; text: string };
  /** Opens the form; absent for people who may not change the record. */
  edit: (() => void) | undefined;
  /** Buttons and menu of the header. */
  actions: ReactNode;
  /** Image of the code with its downloads. */
  picture: ReactNode;
  /** Result of the last check of the destination. */
  check?: ReactNode;
  /** Dialogs of the page. */
  children: ReactNode;
}

/** The page of a link or QR code: its visits, rules, comments and history. */
export function RecordView<Row extends ShortLinkRecord & Listed>(props: RecordViewProps<Row>) {
  const { kind, record, check } = props;
  const { may } = useWorkspace();
  const hash = useLocation({ select: (location) => location.hash });
  const names = useNames(kind, record);
  const { edit, shortLink } = props;
  const isCounted = shortLink !== undefined;
  useShortcuts({
    ...(edit && { e: edit }),
    ...(isCounted && {
      y: () => void copy(shortLink).then(() => toast(`${kind.nameOf(record)} copied`)),
    }),
  });
  const sentences = isCounted ? routingSentences(record as unknown as Routed, names) : [];
  return (
    <Page
      title={props.title}
      actions={
        <>
          <AllRecords kind={kind} />
          {props.actions}
        </>
      }
    >
      <div className="grid grid-cols-[minmax(0,1fr)] gap-4 px-4 pb-8 md:px-6 lg:grid-cols-[minmax(0,1fr)_20rem] lg:grid-rows-[auto_1fr]">
        <div className="flex min-w-0 flex-col gap-4">
          <Summary {...props} />
          {isCounted && may('analytics.read') && (
            <Suspense fallback={<Skeleton className="h-96 rounded-lg" />}>
              <RecordAnalytics
                of={apiPathOf(kind, record.id).of}
                visits={kind.visitsOf(record)}
                isTarget={hash === CHART}
              />
            </Suspense>
          )}
        </div>
        <aside
          aria-label="Details"
          className="flex min-w-0 flex-col gap-4 lg:col-start-2 lg:row-span-2 lg:row-start-1"
        >
          <Panel title="QR code">
            <div className="p-3">{props.picture}</div>
          </Panel>
          {isCounted && (
            <Panel title="Rules">
              {sentences.length === 0 ? (
                <p className="p-3 text-muted">
                  Every visitor goes to the destination: there are no targets, limits or password.
                </p>
              ) : (
                <ul className="flex list-disc flex-col gap-1.5 p-3 pl-7 marker:text-muted">
                  {sentences.map((sentence, index) => (
                    <li key={`${index} ${sentence}`} className="wrap-anywhere">
                      {sentence}
                    </li>
                  ))}
                </ul>
              )}
            </Panel>
          )}
          {check && (
            <Panel title="Destination check">
              <div className="p-3">{check}</div>
            </Panel>
          )}
          {record.comments !== null && (
            <Panel title="Comments">
              <p className="p-3 wrap-anywhere whitespace-pre-line">{record.comments}</p>
            </Panel>
          )}
        </aside>
        <div className="flex min-w-0 flex-col gap-4">
          <ScheduledChanges kind={kind} record={record} names={names} />
          <History kind={kind} record={record} names={names} isTarget={hash === HISTORY} />
        </div>
      </div>
      {props.children}
    </Page>
  );
}

function AllRecords<Row>({ kind }: { kind: RecordKind<Row> }) {
  const { slug } = useWorkspace();
  return (
    <Link
      to={kind.route}
      params={{ workspace: slug }}
      activeOptions={{ exact: true }}
      className={buttonLook('quiet')}
    >
      All {kind.noun.many}
    </Link>
  );
}

/** Short link, destination, labels and counts. */
function Summary<Row extends ShortLinkRecord & Listed>(props: RecordViewProps<Row>) {
  const { kind, record, title, shortLink, summary } = props;
  const { icon: Icon } = summary;
  const { may } = useWorkspace();
  const host = shownHost({ domain: record.domain, shortLink });
  return (
    <section
      aria-label="Summary"
      className="flex flex-col gap-2 rounded-lg border border-line bg-panel p-4"
    >
      {shortLink === undefined ? (
        <p className="flex flex-wrap items-center gap-2 empty:hidden">{props.states}</p>
      ) : (
        <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
          {title === `${host}/${record.key}` ? (
            // The heading of a record without a title is its short link already.
            <span className="font-medium">Short link</span>
          ) : (
            <ShortLinkName
              domain={host}
              slug={record.key}
              className="max-w-full text-base font-semibold"
            />
          )}
          <span className="flex items-center">
            <CopyButton text={shortLink} label="Copy the short link" />
            <IconButton icon={Share2} label="Share" onClick={() => void share(title, shortLink)} />
            <a
              href={shortLink}
              target="_blank"
              rel="noreferrer"
              title="Open the short link"
              aria-label="Open the short link"
              className="inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover hover:text-ink max-md:size-11"
            >
              <ExternalLink size={16} aria-hidden />
            </a>
          </span>
          {props.states}
        </div>
      )}
      <p className="flex items-start gap-2">
        <Icon size={15} aria-hidden className="mt-0.5 shrink-0 text-muted" />
        <span className="sr-only">{summary.label}:</span>
        <span className="min-w-0 wrap-anywhere">{summary.text}</span>
      </p>
      <RecordLabels folderId={record.folderId} tags={record.tags} />
      <p className="flex flex-wrap gap-x-4 gap-y-1 text-muted">
        {shortLink !== undefined && (
          <>
            <span>{kind.visitsInWords(kind.visitsOf(record))} in total</span>
            <span>
              {record.lastClicked === null ? (
                `No ${kind.visit} yet`
              ) : (
                <>
                  Last {kind.visit} <Time at={record.lastClicked} />
                </>
              )}
            </span>
          </>
        )}
        <span>
          Created <Time at={record.createdAt} />
        </span>
        {record.updatedAt !== record.createdAt && (
          <span>
            Changed <Time at={record.updatedAt} />
          </span>
        )}
      </p>
      {shortLink !== undefined && may('events.read') && (
        <Suspense>
          <UncountedVisits key={record.id} of={apiPathOf(kind, record.id).of} />
        </Suspense>
      )}
    </section>
  );
}
