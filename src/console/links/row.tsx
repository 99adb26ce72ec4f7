import {
  Clock,
  Copy,
  ExternalLink,
  Info,
  Lock,
  MessageSquare,
  MousePointerClick,
  Pencil,
  QrCode,
  Split,
} from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { DestinationIcon } from '../short-links/destination-icon.tsx';
import { RecordLink } from '../short-links/record-link.tsx';
import type { RecordActions } from '../short-links/record-page.tsx';
import { FolderMark, RowLabels } from '../short-links/row-labels.tsx';
import { RecordMenu, VisitCount } from '../short-links/row-parts.tsx';
import { shownHost } from '../short-links/shown-host.ts';
import { CopyButton, copy } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import type { MenuItem } from '../ui/menu.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Badge } from '../ui/states.tsx';
import { isPast, Time } from '../ui/time.tsx';
import { type Link, nameOf } from './kind.ts';

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
      <div role="gridcell">
        <DestinationIcon list="links" id={link.id} url={link.url} size="large" />
      </div>
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-center gap-1.5">
          <RecordLink list="links" id={link.id} className="contents">
            {title === null ? (
              <ShortLinkName domain={shownHost(link)} slug={link.key} />
            ) : (
              <span className="truncate font-medium">{title}</span>
            )}
          </RecordLink>
          {title === null && copyInline}
          <LinkStates link={link} />
        </div>
        <div className="flex items-center gap-1.5 text-muted">
          {title !== null && (
            <>
              <ShortLinkName
                domain={shownHost(link)}
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
      <VisitCount
        list="links"
        id={link.id}
        icon={MousePointerClick}
        label="Clicks"
        className="md:min-w-16"
      >
        {link.clicks.toLocaleString()}
        {link.importedClicks > 0 && (
          <span className="text-xs text-muted max-md:hidden">
            <span className="sr-only">Before the import:</span>+
            {compact.format(link.importedClicks)}
          </span>
        )}
      </VisitCount>
      <div role="gridcell" className="hidden w-24 shrink-0 text-right text-muted md:block">
        <Time at={link.createdAt} />
      </div>
      <div role="gridcell" className="md:hidden">
        <CopyButton text={link.shortLink} label={copyLabel} tabIndex={-1} />
      </div>
      <LinkMenu link={link} actions={actions} />
    </>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** The states of a link that need attention, as badges. */
export function LinkBadges({ link }: { link: Link }) {
  return (
    <>
      {link.archived && <Badge>Archived</Badge>}
      {link.destinationCheck?.state === 'broken' && <Badge tone="danger">Broken</Badge>}
      {isExpired(link) && <Badge tone="warning">Expired</Badge>}
    </>
  );
}

const isExpired = ({ expiresAt }: Link): boolean => expiresAt !== null && isPast(expiresAt);

function LinkStates({ link }: { link: Link }) {
  const isTargeted = link.ios ?? link.android ?? link.geo ?? link.rules ?? link.testVariants;
  return (
    <span className="flex shrink-0 items-center gap-1 text-muted">
      <LinkBadges link={link} />
      {link.expiresAt !== null && !isExpired(link) && (
        <Clock size={13} aria-label="Expires" role="img" />
      )}
      {link.hasPassword && <Lock size={13} aria-label="Has a password" role="img" />}
      {isTargeted !== null && <Split size={13} aria-label="Has targets" role="img" />}
      {link.comments !== null && <MessageSquare size={13} aria-label="Has comments" role="img" />}
    </span>
  );
}

function LinkMenu({ link, actions }: LinkCellsProps) {
  const { may } = useWorkspace();
  const mayWrite = may('links.write');
  return (
    <RecordMenu
      list="links"
      record={link}
      name={nameOf(link)}
      title={link.title ?? nameOf(link)}
      shortLink={link.shortLink}
      actions={actions}
      items={[
        {
          label: 'Copy short link',
          icon: Copy,
          hotkey: 'y',
          onSelect: () => void copy(link.shortLink),
        },
        openDestination(link),
        {
          label: mayWrite ? 'Edit' : 'Details',
          icon: mayWrite ? Pencil : Info,
          hotkey: 'e',
          onSelect: () => (mayWrite ? actions.edit(link) : actions.open(link)),
        },
        { label: 'QR code', icon: QrCode, onSelect: () => actions.showQrCode(link) },
      ]}
      duplicate={() => actions.duplicate(link)}
    />
  );
}

/**
 * Creates the menu item that opens the destination; false for a scheme that could start an app or a
 * script.
 */
export const openDestination = ({ url }: Link): MenuItem | false =>
  /^https?:/i.test(url) && {
    label: 'Open destination',
    icon: ExternalLink,
    onSelect: () => void window.open(url, '_blank', 'noopener,noreferrer'),
  };
