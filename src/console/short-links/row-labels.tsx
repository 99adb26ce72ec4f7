import { useQuery } from '@tanstack/react-query';
import { Folder } from 'lucide-react';
import { createContext, type ReactNode, useContext, useMemo } from 'react';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { classes } from '../ui/classes.ts';
import { Badge } from '../ui/states.tsx';

/** Number of tags that a row shows. */
const SHOWN = 2;

interface Labels {
  tags?: readonly Schemas['Tag'][] | undefined;
  folders?: readonly Schemas['Folder'][] | undefined;
}

const LabelsContext = createContext<Labels>({});

/** Reads the tags and folders once for all rows within, as queries of each row slow scrolling down. */
export function LabelsProvider({ children }: { children: ReactNode }) {
  const { api } = useWorkspace();
  const tags = useQuery(tagsQuery(api)).data;
  const folders = useQuery(foldersQuery(api)).data;
  const labels = useMemo(() => ({ tags, folders }), [tags, folders]);
  return <LabelsContext value={labels}>{children}</LabelsContext>;
}

interface RowLabelsProps {
  folderId: string | null;
  tags: readonly Schemas['TagReference'][] | null;
}

/** The cell with the folder and tags of a record, on wide screens, within a `LabelsProvider`. */
export function RowLabels({ folderId, tags }: RowLabelsProps) {
  const more = (tags?.length ?? 0) - SHOWN;
  return (
    <div
      role="gridcell"
      className="hidden max-w-96 shrink-0 items-center gap-1 overflow-hidden lg:flex"
    >
      <FolderMark folderId={folderId} className="mr-1 min-w-0" />
      {tags && <TagMarks tags={tags.slice(0, SHOWN)} />}
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
  if (folderId === null && (tags ?? []).length === 0) return null;
  return (
    <LabelsProvider>
      <div className="flex flex-wrap items-center gap-1.5">
        <FolderMark folderId={folderId} className="mr-1 min-w-0" />
        {tags && <TagMarks tags={tags} />}
      </div>
    </LabelsProvider>
  );
}

function TagMarks({ tags }: { tags: readonly Schemas['TagReference'][] }) {
  const known = useContext(LabelsContext).tags;
  return tags.map(({ id, name }) => (
    <TagMark key={id} name={name} color={known?.find((tag) => tag.id === id)?.color} />
  ));
}

interface FolderMarkProps {
  folderId: string | null;
  className: string;
}

/** The folder of a record, within a `LabelsProvider`; renders nothing without one. */
export function FolderMark({ folderId, className }: FolderMarkProps) {
  const name = useContext(LabelsContext).folders?.find(({ id }) => id === folderId)?.name;
  if (name === undefined) return null;
  return (
    <span className={classes('flex items-center gap-1 text-xs text-muted', className)}>
      <Folder size={13} aria-hidden className="shrink-0" />
      <span className="sr-only">Folder:</span>
      <span className="truncate">{name}</span>
    </span>
  );
}
