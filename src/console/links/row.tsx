import { useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  Clock,
  Copy,
  ExternalLink,
  Lock,
  MessageSquare,
  MousePointerClick,
  Pencil,
  Split,
  Trash2,
} from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { RowTags } from '../short-links/row-tags.tsx';
import { CopyButton, copy } from '../ui/button.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { ShortLinkName } from '../ui/short-link-name.tsx';
import { Badge } from '../ui/states.tsx';
import { isPast, Time } from '../ui/time.tsx';
import { changeLinks } from './pending.ts';
import type { Link } from './question.ts';

interface LinkCellsProps {
  link: Link;
  onOpen(link: Link): void;
  onDelete(link: Link): void;
}

/** One link: where it is, where it leads, how it does. */
export function LinkCells({ link, onOpen, onDelete }: LinkCellsProps) {
  const name = nameOf(link);
  return (
    <>
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-center gap-1">
          <ShortLinkName domain={link.domain} slug={link.key} />
          <CopyButton
            text={link.shortLink}
            label={`Copy ${name}`}
            className="-my-1 max-md:hidden"
          />
          <States link={link} />
        </div>
        <p className="flex gap-1.5 text-muted">
          {link.title !== null && (
            <>
              <span className="max-w-[60%] shrink-0 truncate text-ink">{link.title}</span>
              <span aria-hidden>·</span>
            </>
          )}
          <span className="truncate">{link.url}</span>
        </p>
      </div>
      <RowTags tags={link.tags} />
      <div
        role="gridcell"
        className="flex min-w-16 shrink-0 items-center justify-end gap-1 tabular-nums"
      >
        <MousePointerClick size={14} aria-hidden className="text-muted" />
        <span className="sr-only">Clicks:</span>
        {link.clicks.toLocaleString()}
        {link.importedClicks > 0 && (
          <span className="text-xs text-muted max-md:hidden">
            <span className="sr-only">Before the import:</span>+
            {compact.format(link.importedClicks)}
          </span>
        )}
      </div>
      <div role="gridcell" className="hidden w-24 shrink-0 text-right text-muted md:block">
        <Time at={link.createdAt} />
      </div>
      <div role="gridcell">
        <LinkMenu link={link} onOpen={onOpen} onDelete={onDelete} />
      </div>
    </>
  );
}

const compact = new Intl.NumberFormat(undefined, { notation: 'compact' });

/** A link by its short link. */
export const nameOf = ({ domain, key }: Link): string => `${domain}/${key}`;

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

function LinkMenu({ link, onOpen, onDelete }: LinkCellsProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const { archived } = link;
  const open = { icon: Pencil, hotkey: 'e', onSelect: () => onOpen(link) };
  return (
    <RowMenu
      label={`Actions for ${nameOf(link)}`}
      tabIndex={-1}
      items={[
        { label: 'Copy short link', icon: Copy, onSelect: () => void copy(link.shortLink) },
        // Others would open an app, or run something here.
        ...(/^https?:/i.test(link.url)
          ? [
              {
                label: 'Open destination',
                icon: ExternalLink,
                onSelect: () => void window.open(link.url, '_blank', 'noopener,noreferrer'),
              },
            ]
          : []),
        ...(may('links.write')
          ? [
              { label: 'Edit', ...open },
              {
                label: archived ? 'Restore from archive' : 'Archive',
                icon: archived ? ArchiveRestore : Archive,
                onSelect: () =>
                  changeLinks({ api, client }, [link.id], {
                    data: { archived: !archived },
                    shown: { archived: !archived },
                    text: archived ? 'restored' : 'archived',
                  }),
              },
              { label: 'Delete', icon: Trash2, isDanger: true, onSelect: () => onDelete(link) },
            ]
          : [{ label: 'Details', ...open }]),
      ]}
    />
  );
}
