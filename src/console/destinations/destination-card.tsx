import { FastForward, Pause, Play, Send } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { RemoveDialog } from '../app/remove-dialog.tsx';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem, editItem } from '../ui/menu-items.ts';
import { sentence } from '../ui/sentence.ts';
import { Time } from '../ui/time.tsx';
import { toastError } from '../ui/toast-error.ts';
import { filterInWords } from '../webhooks/filter-fields.tsx';
import { BackfillDialog } from './backfill-dialog.tsx';
import { DestinationDialog } from './destination-dialog.tsx';
import { KINDS } from './kinds.ts';
import { useLatest } from './queries.ts';
import { DestinationState } from './state.tsx';
import { TestDialog } from './test-dialog.tsx';

type Destination = Schemas['Destination'];
type Opened = 'edit' | 'test' | 'backfill' | 'delete';

/** A destination with its state and its actions. */
export function DestinationCard({ listed }: { listed: Destination }) {
  const { may } = useWorkspace();
  const destination = useLatest(listed);
  const [opened, setOpened] = useState<Opened>();
  const close = () => setOpened(undefined);
  const { update } = useResource('destinations', { onFailed: toastError });
  const setStatus = (status: 'active' | 'paused') =>
    update.write({ seen: destination, body: { status } });
  const { id, type, name, status } = destination;
  const isDisabled = status === 'disabled';
  return (
    <li
      aria-labelledby={`${id}-name`}
      className="flex flex-col gap-3 rounded-xl border border-line bg-panel p-4 md:p-5"
    >
      <div className="flex items-start justify-between gap-2">
        <div className="flex min-w-0 flex-col gap-1">
          <h2 id={`${id}-name`} className="flex flex-wrap items-center gap-2 font-semibold">
            <span className="wrap-anywhere">{name}</span>
            <DestinationState destination={destination} />
          </h2>
          <p className="text-muted wrap-anywhere">{placeOf(destination)}</p>
        </div>
        {may('webhooks.write') && (
          <div className="flex shrink-0 items-center gap-1">
            {!isDisabled && (
              <span className="max-md:hidden">
                <Button icon={Send} onClick={() => setOpened('test')}>
                  Send test event
                </Button>
              </span>
            )}
            <RowMenu
              label={`Actions for ${name}`}
              items={[
                !isDisabled && {
                  label: 'Send test event',
                  icon: Send,
                  onSelect: () => setOpened('test'),
                },
                KINDS[type].backfill !== false &&
                  !isDisabled && {
                    label: 'Send earlier events',
                    icon: FastForward,
                    onSelect: () => setOpened('backfill'),
                  },
                editItem(() => setOpened('edit')),
                status === 'active'
                  ? { label: 'Pause', icon: Pause, onSelect: () => setStatus('paused') }
                  : { label: 'Activate', icon: Play, onSelect: () => setStatus('active') },
                deleteItem(() => setOpened('delete')),
              ]}
            />
          </div>
        )}
      </div>
      <Trouble destination={destination} />
      <Facts destination={destination} />
      {opened === 'edit' && <DestinationDialog destination={destination} onClose={close} />}
      {opened === 'test' && <TestDialog destination={destination} onClose={close} />}
      {opened === 'backfill' && <BackfillDialog destination={destination} onClose={close} />}
      {opened === 'delete' && (
        <RemoveDialog
          noun="destinations"
          record={destination}
          title={`Delete the destination “${name}”?`}
          action="Delete destination"
          onClose={close}
        >
          {KINDS[type].label} gets no further events, and those that wait are deleted. What it
          already has remains there. You can’t undo this.
        </RemoveDialog>
      )}
    </li>
  );
}

/** Names the receiver: its kind, server and site. */
function placeOf({ type, settings }: Destination): string {
  const { url, ...others } = settings as Record<string, unknown>;
  const [site] = Object.values(others);
  const named = type === 'matomo' ? `site ${String(site)}` : site;
  return [KINDS[type].label, url, named].join(' · ');
}

/** Says why events wait, and what to do. */
function Trouble({ destination }: { destination: Destination }) {
  const { status, failingSince, lastError } = destination;
  if (lastError === null || failingSince === null) return null;
  const isDisabled = status === 'disabled';
  return (
    <p className={isDisabled ? 'text-danger' : 'text-warning'}>
      {isDisabled ? 'Disabled: the receiver refuses events since ' : 'Attempts fail since '}
      <Time at={failingSince} />. {sentence(lastError)}{' '}
      {isDisabled
        ? 'Events wait for at most seven days: change the settings or activate the destination.'
        : 'We try again by ourselves.'}
    </p>
  );
}

function Facts({ destination }: { destination: Destination }) {
  const { lastSentAt, pendingSince, refusedEvents, lastRefusal, filter } = destination;
  const filtered = filterInWords(filter);
  return (
    <dl className="grid gap-x-6 gap-y-2 sm:grid-cols-[max-content_1fr]">
      <Fact name="Last accepted">
        {lastSentAt === null ? 'No event yet' : <Time at={lastSentAt} />}
      </Fact>
      <Fact name="Waiting">
        {pendingSince === null ? (
          'Nothing'
        ) : (
          <>
            Since <Time at={pendingSince} />
          </>
        )}
      </Fact>
      {refusedEvents > 0 && (
        <Fact name="Refused">
          {refusedEvents.toLocaleString('en')} {refusedEvents === 1 ? 'event' : 'events'}
          {lastRefusal !== null && `; the last one: ${sentence(lastRefusal)}`}
        </Fact>
      )}
      {filtered !== '' && <Fact name="Filter">{filtered}</Fact>}
      <BackfillFact destination={destination} />
      <TestFact destination={destination} />
    </dl>
  );
}

function BackfillFact({ destination: { backfill, status } }: { destination: Destination }) {
  if (backfill === null) return null;
  const sent = `${backfill.sent.toLocaleString('en')} sent`;
  return (
    <Fact name="Earlier events">
      <span role="status">
        {backfill.finishedAt !== null ? (
          <>
            {sent}, finished <Time at={backfill.finishedAt} />
          </>
        ) : status === 'active' ? (
          `${sent} so far…`
        ) : (
          `${sent}, waiting until the destination is active`
        )}
      </span>
      {backfill.unsentBefore !== null && (
        <>
          . None from before <Time at={backfill.unsentBefore} />
        </>
      )}
    </Fact>
  );
}

const TESTS = {
  pending: 'Being sent',
  succeeded: 'Accepted',
  failed: 'Not accepted',
} satisfies Record<NonNullable<Destination['lastTest']>['state'], string>;

function TestFact({ destination: { lastTest } }: { destination: Destination }) {
  if (lastTest === null) return null;
  const { state, createdAt, error } = lastTest;
  return (
    <Fact name="Last test">
      {TESTS[state]}, <Time at={createdAt} />
      {error !== null && `. ${sentence(error)}`}
    </Fact>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div className="contents max-sm:block">
      <dt className="text-muted">{name}</dt>
      <dd className="wrap-anywhere">{children}</dd>
    </div>
  );
}
