import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Copy, Ellipsis, Pencil, ScanLine, Trash2 } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { copy } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Menu } from '../ui/menu.tsx';
import { Badge, Skeleton } from '../ui/states.tsx';
import type { ContentName } from './content.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { addressOf, drawRecord, payloadOf } from './drawn.ts';
import type { QrCode } from './look.ts';
import { archive } from './pending.ts';

/** Height of a row, in pixels. */
export const ROW_HEIGHT = 76;

interface RowProps {
  index: number;
  top: number;
  record: QrCode;
  isActive: boolean;
  /** Deleted, which can still be undone. */
  isHidden: boolean;
  isSelected: boolean;
  mayWrite: boolean;
  onFocus(): void;
  onToggle(): void;
  onOpen(): void;
  onDelete(): void;
}

const place = (top: number) => ({ transform: `translateY(${top}px)`, height: ROW_HEIGHT });
const rowLook =
  'absolute inset-x-0 top-0 flex items-center gap-3 border-b border-line px-4 md:px-6';

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
export function QrCodeRow(props: RowProps) {
  const { index, top, record, isActive, isHidden, isSelected, onFocus, onToggle, onOpen } = props;
  const name = nameOf(record);
  const { label, icon: Icon } = CONTENT_FORMS[record.type as ContentName];
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      onFocus={onFocus}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a, button, input, label, [popover]')) onOpen();
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) onOpen();
      }}
      style={place(top)}
      className={classes(
        rowLook,
        'cursor-pointer focus-visible:-outline-offset-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
        isHidden && 'pointer-events-none line-through opacity-60',
      )}
    >
      <div role="gridcell">
        <label className="grid size-6 place-items-center max-md:size-8">
          <span className="sr-only">Select {name}</span>
          <input
            type="checkbox"
            tabIndex={-1}
            checked={isSelected}
            onChange={onToggle}
            className="size-4 accent-accent"
          />
        </label>
      </div>
      <div role="gridcell">
        <Picture record={record} />
      </div>
      <div role="gridcell" className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5">
          <span className="truncate font-medium">{name}</span>
          {record.archived && <Badge>Archived</Badge>}
        </p>
        <p className="flex items-center gap-1.5 text-muted">
          <Icon size={13} aria-hidden className="shrink-0" />
          <span className="sr-only">{label}:</span>
          <span className="truncate">{summaryOf(record)}</span>
        </p>
      </div>
      <div role="gridcell" className="hidden shrink-0 gap-1 lg:flex">
        {record.tags?.slice(0, 2).map(({ id, name: tag }) => (
          <Badge key={id}>{tag}</Badge>
        ))}
      </div>
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
      <div role="gridcell">
        <RowMenu {...props} name={name} />
      </div>
    </div>
  );
}

function Picture({ record }: { record: QrCode }) {
  const { data } = useQuery({
    queryKey: ['qrcode-picture', record.id, record.updatedAt],
    queryFn: async () => addressOf((await drawRecord(record)).svg),
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

function RowMenu({ record, name, mayWrite, onOpen, onDelete }: RowProps & { name: string }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { archived } = record;
  return (
    <Menu
      label={`Actions for ${name}`}
      button={{
        'aria-label': `Actions for ${name}`,
        className:
          'inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover max-md:size-10',
        children: <Ellipsis size={16} aria-hidden />,
      }}
      items={[
        { label: 'Open', icon: Pencil, hotkey: 'e', onSelect: onOpen },
        {
          label: record.static ? 'Copy content' : 'Copy short link',
          icon: Copy,
          onSelect: () => void copy(payloadOf(record)),
        },
        ...(mayWrite
          ? [
              {
                label: archived ? 'Restore from archive' : 'Archive',
                icon: archived ? ArchiveRestore : Archive,
                onSelect: () => void archive({ api, client }, [record], !archived),
              },
              { label: 'Delete', icon: Trash2, isDanger: true, onSelect: onDelete },
            ]
          : []),
      ]}
    />
  );
}

/** A row whose page is under way. */
export function LoadingRow({ index, top }: { index: number; top: number }) {
  return (
    <div role="row" aria-rowindex={index + 1} style={place(top)} className={rowLook}>
      <div role="gridcell" className="flex flex-1 items-center gap-3">
        <span className="sr-only">Loading</span>
        <Skeleton className="size-14" />
        <Skeleton className="h-3.5 w-48" />
      </div>
    </div>
  );
}
