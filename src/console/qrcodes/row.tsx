import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Copy, Pencil, ScanLine, Trash2 } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { RowTags } from '../short-links/row-tags.tsx';
import { copy } from '../ui/button.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Badge } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import type { ContentName } from './content.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { addressOf, drawRecord, payloadOf } from './drawn.ts';
import type { QrCode } from './look.ts';
import { changeCodes } from './pending.ts';

interface CodeCellsProps {
  record: QrCode;
  onOpen(record: QrCode): void;
  onDelete(record: QrCode): void;
}

/** The name of a code: its title, else its short link. */
export const nameOf = ({ title, domain, key }: QrCode): string => title ?? `${domain}/${key}`;

/** The content of a code, in a line. */
export function summaryOf(record: QrCode): string {
  const content = record[record.type as ContentName] as unknown;
  if (typeof content === 'string') return content;
  const fields = (content ?? {}) as Record<string, string | number | undefined>;
  const { ssid, email, number, target, address, query, key, latitude, longitude } = fields;
  const name = [fields['firstName'], fields['lastName']].filter(Boolean).join(' ');
  const place = latitude === undefined ? undefined : `${latitude}, ${longitude}`;
  const [first] = [
    name || undefined,
    query,
    place,
    ssid,
    email,
    number,
    target,
    address,
    key,
  ].filter((one) => one !== undefined);
  return String(first ?? '');
}

/** One code: its picture, what it holds, how often it is scanned. */
export function CodeCells(props: CodeCellsProps) {
  const { record } = props;
  const { label, icon: Icon } = CONTENT_FORMS[record.type as ContentName];
  return (
    <>
      <div role="gridcell">
        <Picture record={record} />
      </div>
      <div role="gridcell" className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5">
          {record.title === null && !record.static ? (
            <ShortLinkName domain={record.domain} slug={record.key} />
          ) : (
            <span className="truncate font-medium">{nameOf(record)}</span>
          )}
          {record.archived && <Badge>Archived</Badge>}
        </p>
        <p className="flex items-center gap-1.5 text-muted">
          <Icon size={13} aria-hidden className="shrink-0" />
          <span className="sr-only">{label}:</span>
          <span className="truncate">{summaryOf(record)}</span>
        </p>
      </div>
      <RowTags tags={record.tags} />
      <div role="gridcell" className="hidden w-20 shrink-0 md:block">
        <Badge>{record.static ? 'Static' : 'Dynamic'}</Badge>
      </div>
      <div
        role="gridcell"
        className="flex w-14 shrink-0 items-center justify-end gap-1 tabular-nums"
      >
        <ScanLine size={14} aria-hidden className="text-muted" />
        <span className="sr-only">Scans:</span>
        {record.static ? '–' : record.scans.toLocaleString()}
      </div>
      <div role="gridcell" className="hidden w-24 shrink-0 text-right text-muted lg:block">
        <Time at={record.createdAt} />
      </div>
      <div role="gridcell">
        <CodeMenu {...props} />
      </div>
    </>
  );
}

/** Pause in scrolling after which pictures are drawn, in ms. */
const STILL_MS = 100;

/** Calls a function when the browser has nothing better to do; Safari doesn't say when. */
const whenIdle = (run: () => void): unknown =>
  'requestIdleCallback' in window ? requestIdleCallback(run) : setTimeout(run);

/** Resolves when nothing is scrolled; fails when the signal says that nobody waits any more. */
const untilStill = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const ended = new AbortController();
    let movedAt = performance.now();
    const look = () => {
      if (ended.signal.aborted) return;
      const restMs = movedAt + STILL_MS - performance.now();
      if (restMs > 0) {
        setTimeout(whenIdle, restMs, look);
        return;
      }
      ended.abort();
      resolve();
    };
    addEventListener('scroll', () => (movedAt = performance.now()), {
      capture: true,
      passive: true,
      signal: ended.signal,
    });
    signal.addEventListener(
      'abort',
      () => {
        ended.abort();
        reject(signal.reason as Error);
      },
      { signal: ended.signal },
    );
    look();
  });

function Picture({ record }: { record: QrCode }) {
  const { data } = useQuery({
    queryKey: ['qrcode-picture', record.id, record.updatedAt],
    // Drawing takes longer than a frame; rows that are scrolled past are not drawn at all.
    async queryFn({ signal }) {
      await untilStill(signal);
      return addressOf((await drawRecord(record)).svg);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    networkMode: 'always',
  });
  return (
    <span className="block size-14 rounded-md border border-line bg-white p-0.5">
      {data && <img src={data} alt="" className="size-full object-contain" />}
    </span>
  );
}

function CodeMenu({ record, onOpen, onDelete }: CodeCellsProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const { archived } = record;
  return (
    <RowMenu
      label={`Actions for ${nameOf(record)}`}
      tabIndex={-1}
      items={[
        {
          label: record.static ? 'Copy content' : 'Copy short link',
          icon: Copy,
          onSelect: () => void copy(payloadOf(record)),
        },
        { label: 'Open', icon: Pencil, hotkey: 'e', onSelect: () => onOpen(record) },
        ...(may('qrcodes.write')
          ? [
              {
                label: archived ? 'Restore from archive' : 'Archive',
                icon: archived ? ArchiveRestore : Archive,
                onSelect: () =>
                  changeCodes({ api, client }, [record.id], {
                    data: { archived: !archived },
                    shown: { archived: !archived },
                    text: archived ? 'restored' : 'archived',
                  }),
              },
              { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => onDelete(record) },
            ]
          : []),
      ]}
    />
  );
}
