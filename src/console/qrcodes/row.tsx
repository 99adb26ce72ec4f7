import { useQuery } from '@tanstack/react-query';
import { Copy, Info, Pencil, QrCode as QrCodeIcon, ScanLine } from 'lucide-react';
import { keys } from '../api/keys.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DestinationIcon } from '../short-links/destination-icon.tsx';
import { RecordLink } from '../short-links/record-link.tsx';
import type { RecordActions } from '../short-links/record-page.tsx';
import { FolderMark, RowLabels } from '../short-links/row-labels.tsx';
import { RecordMenu, VisitCount } from '../short-links/row-parts.tsx';
import { shownHost } from '../short-links/shown-host.ts';
import { copy } from '../ui/button.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Badge } from '../ui/states.tsx';
import { Time } from '../ui/time.tsx';
import { untilStill } from '../ui/until-still.ts';
import type { ContentName } from './content.ts';
import { CONTENT_FORMS } from './content-fields.ts';
import { drawRecord, payloadOf, scanLinkIn } from './drawn.ts';
import { addressOf } from './image.ts';
import type { QrCode } from './look.ts';

/** Actions that only QR codes have. */
export interface CodeActions {
  showPicture(record: QrCode): void;
  duplicate(record: QrCode): void;
}

interface CodeCellsProps {
  record: QrCode;
  actions: RecordActions<QrCode> & CodeActions;
}

/** Returns the name of a code: its title, or else its short link. */
export const nameOf = (record: QrCode): string =>
  record.title ?? `${shownHost(record)}/${record.key}`;

/** Summarizes the content of a code in one line. */
export function summaryOf(record: QrCode): string {
  const content = record[record.type as ContentName] as unknown;
  if (typeof content === 'string') return content;
  const fields = (content ?? {}) as Record<string, string | number | undefined>;
  const { ssid, email, number, target, address, query, key, latitude, longitude } = fields;
  const name = [fields['firstName'], fields['lastName']].filter(Boolean).join(' ');
  const place = latitude === undefined ? undefined : `${latitude}, ${longitude}`;
  return String(
    (name || undefined) ??
      query ??
      place ??
      ssid ??
      email ??
      number ??
      target ??
      address ??
      key ??
      '',
  );
}

/** The cells of a code: image, name, content and number of scans. */
export function CodeCells({ record, actions }: CodeCellsProps) {
  const { label, icon: Icon } = CONTENT_FORMS[record.type as ContentName];
  const isNamed = record.title !== null || record.static;
  return (
    <>
      <div role="gridcell">
        <Picture record={record} />
      </div>
      <div role="gridcell" className="min-w-0 flex-1">
        <p className="flex items-center gap-1.5">
          <RecordLink list="qrcodes" id={record.id} className="contents">
            {isNamed ? (
              <span className="truncate font-medium">{nameOf(record)}</span>
            ) : (
              <ShortLinkName domain={shownHost(record)} slug={record.key} />
            )}
          </RecordLink>
          {record.archived && <Badge>Archived</Badge>}
        </p>
        <div className="flex items-center gap-1.5 text-muted">
          {isNamed && !record.static && (
            <ShortLinkName
              domain={shownHost(record)}
              slug={record.key}
              className="max-w-[50%] shrink-0 text-ink max-lg:hidden"
            />
          )}
          {record.type === 'url' ? (
            <DestinationIcon list="qrcodes" id={record.id} url={summaryOf(record)} />
          ) : (
            <Icon size={13} aria-hidden className="shrink-0" />
          )}
          <span className="sr-only">{label}:</span>
          <span className="truncate">{summaryOf(record)}</span>
          <FolderMark folderId={record.folderId} className="shrink-0 max-w-[40%] lg:hidden" />
        </div>
      </div>
      <RowLabels folderId={record.folderId} tags={record.tags} />
      <div role="gridcell" className="hidden w-20 shrink-0 md:block">
        <Badge>{kindOf(record)}</Badge>
      </div>
      <VisitCount
        list="qrcodes"
        id={record.id}
        isCounted={!record.static}
        icon={ScanLine}
        label="Scans"
        className="md:min-w-14"
      >
        {record.static ? '–' : record.scans.toLocaleString()}
      </VisitCount>
      <div role="gridcell" className="hidden w-24 shrink-0 text-right text-muted lg:block">
        <Time at={record.createdAt} />
      </div>
      <CodeMenu record={record} actions={actions} />
    </>
  );
}

/** Names the kind of a code: visits of one for an existing link are counted for that. */
function kindOf(record: QrCode): string {
  if (!record.static) return 'Dynamic';
  return scanLinkIn(record) === undefined ? 'Static' : 'Link';
}

function CodeMenu({ record, actions }: CodeCellsProps) {
  const { may } = useWorkspace();
  const mayWrite = may('qrcodes.write');
  return (
    <RecordMenu
      list="qrcodes"
      record={record}
      name={nameOf(record)}
      title={nameOf(record)}
      shortLink={record.static ? undefined : payloadOf(record)}
      actions={actions}
      isCounted={!record.static}
      items={[
        {
          label: record.static ? 'Copy content' : 'Copy short link',
          icon: Copy,
          hotkey: 'y',
          onSelect: () => void copy(payloadOf(record)),
        },
        {
          label: mayWrite ? 'Edit' : 'Details',
          icon: mayWrite ? Pencil : Info,
          hotkey: 'e',
          onSelect: () => (mayWrite ? actions.edit(record) : actions.open(record)),
        },
        { label: 'QR code', icon: QrCodeIcon, onSelect: () => actions.showPicture(record) },
      ]}
      duplicate={() => actions.duplicate(record)}
    />
  );
}

/** Draws the image of a code, and returns its `data:` URI. */
export function usePicture(record: QrCode) {
  const { slug } = useWorkspace();
  return useQuery({
    queryKey: keys.pictures.one(record.id, record.updatedAt),
    // Drawing takes longer than a frame, so rows that scroll past are not drawn.
    async queryFn({ signal }) {
      await untilStill(signal);
      return addressOf((await drawRecord(record, slug)).svg);
    },
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 60_000,
    retry: false,
    networkMode: 'always',
  });
}

function Picture({ record }: { record: QrCode }) {
  const { data } = usePicture(record);
  return (
    <span className="block size-14 rounded-md border border-line bg-white p-0.5">
      {data && <img src={data} alt="" className="size-full object-contain" />}
    </span>
  );
}
