import { useQuery } from '@tanstack/react-query';
import { Folder } from 'lucide-react';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { classes } from '../ui/classes.ts';
import { Badge } from '../ui/states.tsx';

/** Number of tags that a row shows. */
const SHOWN = 2;

interface RowLabelsProps {
  folderId: string | null;
  tags: readonly Schemas['TagReference'][] | null;
}

/** The cell with the folder and tags of a record, on wide screens. */
export function RowLabels({ folderId, tags }: RowLabelsProps) {
  const { api } = useWorkspace();
  const known = useQuery(tagsQuery(api)).data;
  const more = (tags?.length ?? 0) - SHOWN;
  return (
    <div
      role="gridcell"
      className="hidden max-w-96 shrink-0 items-center gap-1 overflow-hidden lg:flex"
    >
      <FolderMark folderId={folderId} className="mr-1 min-w-0" />
      {tags?.slice(0, SHOWN).map((tag) => (
        <TagMark
          key={tag.id}
          name={tag.name}
          color={known?.find(({ id }) => id === tag.id)?.color}
        />
      ))}
      {more > 0 && (
        <span className="shrink-0">
          <Badge>+{more}</Badge>
        </span>
      )}
    </div>
  );
}

/** The folder and all tags of a record; renders nothing without any. */
export function RecordLabels({ folderId, tags }: RowLabelsProps) {
  const { api } = useWorkspace();
  const known = useQuery(tagsQuery(api)).data;
  if (folderId === null && (tags ?? []).length === 0) return null;
  return (
    <div className="flex flex-wrap items-center gap-1.5">
      <FolderMark folderId={folderId} className="mr-1 min-w-0" />
      {tags?.map(({ id, name }) => (
        <TagMark key={id} name={name} color={known?.find((tag) => tag.id === id)?.color} />
      ))}
    </div>
  );
}

interface FolderMarkProps {
  folderId: string | null;
  className: string;
}

/** The folder of a record; renders nothing without one. */
export function FolderMark({ folderId, className }: FolderMarkProps) {
  const { api } = useWorkspace();
  const name = useQuery(foldersQuery(api)).data?.find(({ id }) => id === folderId)?.name;
  if (name === undefined) return null;
  return (
    <span className={classes('flex items-center gap-1 text-xs text-muted', className)}>
      <Folder size={13} aria-hidden className="shrink-0" />
      <span className="sr-only">Folder:</span>
      <span className="truncate">{name}</span>
    </span>
  );
}
