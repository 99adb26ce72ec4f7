import { useQueryClient } from '@tanstack/react-query';
import {
  Archive,
  ArchiveRestore,
  Clock,
  Copy,
  Ellipsis,
  ExternalLink,
  Lock,
  MessageSquare,
  MousePointerClick,
  Pencil,
  Split,
  Trash2,
} from 'lucide-react';
import { memo } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { CopyButton, copy } from '../ui/button.tsx';
import { classes } from '../ui/classes.ts';
import { Menu } from '../ui/menu.tsx';
import { Badge, Skeleton } from '../ui/states.tsx';
import { changeLinks } from './pending.ts';
import type { Link } from './question.ts';
import { TagMark } from './tag-mark.tsx';
import { ago, isPast } from './time.ts';

/** Height of a row, in pixels. */
export const ROW_HEIGHT = 60;

interface LinkRowProps {
  index: number;
  top: number;
  link: Link;
  /** Colors of tags by their ids. */
  colors: ReadonlyMap<string, string>;
  isActive: boolean;
  isSelected: boolean;
  actions: RowActions;
}

/** Actions of a row; the same object for all rows, so that only rows that changed are rendered again. */
export interface RowActions {
  toggle(index: number, isRange: boolean): void;
  open(id: string): void;
  remove(id: string): void;
  focus(index: number): void;
}

const place = (top: number) => ({ transform: `translateY(${top}px)`, height: ROW_HEIGHT });
const rowLook =
  'absolute inset-x-0 top-0 flex items-center gap-3 border-b border-line px-4 md:px-6';

/** One link: where it is, where it leads, how it does. */
export const LinkRow = memo(function LinkRow(props: LinkRowProps) {
  const { index, top, link, colors, isActive, isSelected, actions } = props;
  const { may } = useWorkspace();
  const name = `${link.domain}/${link.key}`;
  const mayWrite = may('links.write');
  return (
    <div
      role="row"
      aria-rowindex={index + 1}
      aria-selected={isSelected}
      data-index={index}
      tabIndex={isActive ? 0 : -1}
      onFocus={() => actions.focus(index)}
      onClick={(event) => {
        if (!(event.target as HTMLElement).closest('a, button, input, label, [popover]')) {
          actions.open(link.id);
        }
      }}
      onKeyDown={(event) => {
        if (event.key === 'Enter' && event.target === event.currentTarget) actions.open(link.id);
      }}
      style={place(top)}
      className={classes(
        rowLook,
        'cursor-pointer focus-visible:-outline-offset-2',
        isSelected ? 'bg-accent-soft' : 'hover:bg-hover',
      )}
    >
      {mayWrite && (
        <div role="gridcell">
          <label className="grid size-6 place-items-center max-md:size-8">
            <span className="sr-only">Select {name}</span>
            <input
              type="checkbox"
              tabIndex={-1}
              checked={isSelected}
              onChange={() => undefined}
              onClick={(event) => actions.toggle(index, event.shiftKey)}
              className="size-4 accent-accent"
            />
          </label>
        </div>
      )}
      <div role="gridcell" className="min-w-0 flex-1">
        <div className="flex items-center gap-1">
          <span className="flex min-w-0 font-medium">
            <span className="truncate">{link.domain}</span>
            <span className="max-w-48 shrink-0 truncate md:max-w-96">/{link.key}</span>
          </span>
          <CopyButton text={link.shortLink} label={`Copy ${name}`} />
          <States link={link} />
        </div>
        <p className="truncate text-muted">{link.url}</p>
      </div>
      <div role="gridcell" className="hidden max-w-56 shrink-0 gap-1 overflow-hidden lg:flex">
        {link.tags?.slice(0, 2).map((tag) => (
          <TagMark key={tag.id} name={tag.name} color={colors.get(tag.id)} />
        ))}
        {(link.tags?.length ?? 0) > 2 && <Badge>+{link.tags!.length - 2}</Badge>}
      </div>
      <div
        role="gridcell"
        className="flex w-16 shrink-0 items-center justify-end gap-1 tabular-nums"
      >
        <MousePointerClick size={14} aria-hidden className="text-muted" />
        <span className="sr-only">Clicks:</span>
        {link.clicks.toLocaleString()}
      </div>
      <div role="gridcell" className="hidden w-20 shrink-0 text-right text-muted md:block">
        <time dateTime={link.createdAt} title={new Date(link.createdAt).toLocaleString()}>
          {ago(link.createdAt)}
        </time>
      </div>
      <div role="gridcell">
        <RowMenu {...props} name={name} mayWrite={mayWrite} />
      </div>
    </div>
  );
});

function States({ link }: { link: Link }) {
  const isExpired = link.expiresAt !== null && isPast(link.expiresAt);
  const isTargeted = link.ios ?? link.android ?? link.geo ?? link.rules;
  return (
    <span className="flex shrink-0 items-center gap-1 text-muted">
      {link.archived && <Badge>Archived</Badge>}
      {isExpired && <Badge tone="warning">Expired</Badge>}
      {link.expiresAt !== null && !isExpired && <Clock size={13} aria-label="Expires" role="img" />}
      {link.password !== null && <Lock size={13} aria-label="Has a password" role="img" />}
      {isTargeted !== null && <Split size={13} aria-label="Has targets" role="img" />}
      {link.comments !== null && <MessageSquare size={13} aria-label="Has comments" role="img" />}
    </span>
  );
}

function RowMenu({
  link,
  name,
  mayWrite,
  actions,
}: LinkRowProps & { name: string; mayWrite: boolean }) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { archived } = link;
  return (
    <Menu
      label={`Actions for ${name}`}
      button={{
        'aria-label': `Actions for ${name}`,
        tabIndex: -1,
        className:
          'inline-flex size-8 items-center justify-center rounded-md text-muted hover:bg-hover max-md:size-10',
        children: <Ellipsis size={16} aria-hidden />,
      }}
      items={[
        { label: 'Copy short link', icon: Copy, onSelect: () => void copy(link.shortLink) },
        {
          label: 'Open destination',
          icon: ExternalLink,
          onSelect: () => void window.open(link.url, '_blank', 'noopener,noreferrer'),
        },
        ...(mayWrite
          ? [
              { label: 'Edit', icon: Pencil, hotkey: 'e', onSelect: () => actions.open(link.id) },
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
              {
                label: 'Delete',
                icon: Trash2,
                isDanger: true,
                onSelect: () => actions.remove(link.id),
              },
            ]
          : [
              {
                label: 'Details',
                icon: Pencil,
                hotkey: 'e',
                onSelect: () => actions.open(link.id),
              },
            ]),
      ]}
    />
  );
}

/** A row whose page is under way. */
export function LoadingRow({ index, top }: { index: number; top: number }) {
  return (
    <div role="row" aria-rowindex={index + 1} style={place(top)} className={rowLook}>
      <div role="gridcell" className="flex-1">
        <span className="sr-only">Loading</span>
        <Skeleton className="mb-2 h-3.5 w-40" />
        <Skeleton className="h-3 w-72 max-w-full" />
      </div>
    </div>
  );
}
