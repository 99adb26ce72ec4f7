import { Link as RouterLink, useNavigate } from '@tanstack/react-router';
import {
  Archive,
  ArchiveRestore,
  ChartNoAxesColumn,
  Clock,
  Copy,
  CopyPlus,
  ExternalLink,
  Lock,
  MessageSquare,
  MousePointerClick,
  Pencil,
  QrCode,
  Split,
  Trash2,
} from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { archiving } from '../short-links/bulk-bar.tsx';
import type { RecordActions } from '../short-links/record-page.tsx';
import { FolderMark, RowLabels } from '../short-links/row-labels.tsx';
import { CopyButton, copy } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { RowMenu } from '../ui/menu.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Badge } from '../ui/states.tsx';
import { isPast, Time } from '../ui/time.tsx';
import type { Link } from './queries.ts';

/** Actions that only links have. */
export interface LinkActions {
  showQrCode(link: Link): void;
  duplicate(link: Link): void;
}

interface LinkCellsProps {
  link: Link;
  actions: RecordActions<Link> & LinkActions;
}

/** The cells of a link: name, short link, destination and number of clicks. */
export function LinkCells({ link, actions }: LinkCellsProps) {
  const { title } = link;
  const copyLabel = `Copy ${nameOf(link)}`;
  const copyInline = (
    <CopyButton
      text={link.shortLink}
      label={copyLabel}
      tabIndex={-1}
      className="-my-1.5 max-md:hidden"
    />
  );
  return (
    <>
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-center gap-1.5">
          {title === null ? (
            <>
              <ShortLinkName domain={link.domain} slug={link.key} />
              {copyInline}
            </>
          ) : (
            <span className="truncate font-medium">{title}</span>
          )}
          <States link={link} />
        </div>
        <div className="flex items-center gap-1.5 text-muted">
          {title !== null && (
            <>
              <ShortLinkName
                domain={link.domain}
                slug={link.key}
                className="text-ink lg:max-w-[60%] lg:shrink-0"
              />
              {copyInline}
            </>
          )}
          <span className={classes('truncate', title !== null && 'max-lg:hidden')}>{link.url}</span>
          <FolderMark folderId={link.folderId} className="shrink-0 max-w-[40%] lg:hidden" />
        </div>
      </div>
      <RowLabels folderId={link.folderId} tags={link.tags} />
      <Clicks link={link} />
      <div role="gridcell" className="hidden w-24 shrink-0 text-right text-muted md:block">
        <Time at={link.createdAt} />
      </div>
      <div role="gridcell" className="md:hidden">
        <CopyButton text={link.shortLink} label={copyLabel} tabIndex={-1} />
      </div>
      <div role="gridcell">
        <LinkMenu link={link} actions={actions} />
      </div>
    </>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** Names a link by its domain and slug. */
export const nameOf = ({ domain, key }: Link): string => `${domain}/${key}`;

/** The number of clicks, linked to the analytics. */
function Clicks({ link }: { link: Link }) {
  const { slug, may } = useWorkspace();
  const look =
    'flex items-center justify-end gap-1 rounded-md tabular-nums max-md:h-11 max-md:min-w-11 max-md:px-1 md:h-8 md:min-w-16';
  const content = (
    <>
      <MousePointerClick size={14} aria-hidden className="text-muted max-md:hidden" />
      <span className="sr-only">Clicks:</span>
      {link.clicks.toLocaleString()}
      {link.importedClicks > 0 && (
        <span className="text-xs text-muted max-md:hidden">
          <span className="sr-only">Before the import:</span>+{compact.format(link.importedClicks)}
        </span>
      )}
    </>
  );
  return (
    <div role="gridcell" className="shrink-0">
      {may('analytics.read') ? (
        <RouterLink
          to="/$workspace/analytics"
          params={{ workspace: slug }}
          search={analyticsOf(link)}
          title="Analytics"
          tabIndex={-1}
          className={classes(look, 'hover:underline')}
        >
          {content}
        </RouterLink>
      ) : (
        <span className={look}>{content}</span>
      )}
    </div>
  );
}

/** Search parameters for analytics of the same clicks. */
const analyticsOf = ({ id }: Link) => ({ linkId: id, interval: 'all' as const });

function States({ link }: { link: Link }) {
  const isExpired = link.expiresAt !== null && isPast(link.expiresAt);
  const isTargeted = link.ios ?? link.android ?? link.geo ?? link.rules ?? link.testVariants;
  return (
    <span className="flex shrink-0 items-center gap-1 text-muted">
      {link.archived && <Badge>Archived</Badge>}
      {link.destinationCheck?.state === 'broken' && <Badge tone="danger">Broken</Badge>}
      {isExpired && <Badge tone="warning">Expired</Badge>}
      {link.expiresAt !== null && !isExpired && <Clock size={13} aria-label="Expires" role="img" />}
      {link.hasPassword && <Lock size={13} aria-label="Has a password" role="img" />}
      {isTargeted !== null && <Split size={13} aria-label="Has targets" role="img" />}
      {link.comments !== null && <MessageSquare size={13} aria-label="Has comments" role="img" />}
    </span>
  );
}

function LinkMenu({ link, actions }: LinkCellsProps) {
  const { slug, may } = useWorkspace();
  const navigate = useNavigate();
  const { archived } = link;
  const mayWrite = may('links.write');
  return (
    <RowMenu
      label={`Actions for ${nameOf(link)}`}
      tabIndex={-1}
      items={[
        {
          label: 'Copy short link',
          icon: Copy,
          hotkey: 'y',
          onSelect: () => void copy(link.shortLink),
        },
        // Only http and https destinations can be opened: other schemes could start an app or a
        // script.
        ...(/^https?:/i.test(link.url)
          ? [
              {
                label: 'Open destination',
                icon: ExternalLink,
                onSelect: () => void window.open(link.url, '_blank', 'noopener,noreferrer'),
              },
            ]
          : []),
        {
          label: mayWrite ? 'Edit' : 'Details',
          icon: Pencil,
          hotkey: 'e',
          onSelect: () => actions.open(link),
        },
        { label: 'QR code', icon: QrCode, onSelect: () => actions.showQrCode(link) },
        ...(may('analytics.read')
          ? [
              {
                label: 'Analytics',
                icon: ChartNoAxesColumn,
                onSelect: () =>
                  void navigate({
                    to: '/$workspace/analytics',
                    params: { workspace: slug },
                    search: analyticsOf(link),
                  }),
              },
            ]
          : []),
        ...(mayWrite
          ? [
              { label: 'Duplicate', icon: CopyPlus, onSelect: () => actions.duplicate(link) },
              {
                label: archived ? 'Restore from archive' : 'Archive',
                icon: archived ? ArchiveRestore : Archive,
                onSelect: () => actions.change(link, archiving(!archived)),
              },
              {
                label: 'Delete',
                icon: Trash2,
                isDanger: true,
                onSelect: () => actions.remove(link),
              },
            ]
          : []),
      ]}
    />
  );
}
