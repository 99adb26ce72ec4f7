import { useQuery } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Folder, Tags, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { Menu, Popover } from '../ui/menu.tsx';
import { foldersQuery, tagsQuery } from './queries.ts';

/** A change of many records, and how it is shown before it is sent. */
export interface BulkEdit {
  data: { tagIds?: string[]; folderId?: string | null; archived?: boolean };
  /** The fields of the records that the change will have changed. */
  shown: { tags?: Schemas['Tag'][]; folderId?: string | null; archived?: boolean };
  /** What was done: "archived". */
  text: string;
}

interface BulkBarProps {
  /** What is selected: "links". */
  label: string;
  count: number;
  clear(): void;
  /** Absent where the records may not be changed. */
  onChange?: ((edit: BulkEdit) => void) | undefined;
  onDelete(): void;
  /** Actions of one kind of record alone. */
  children?: ReactNode;
}

/** Actions on all selected records of a list. */
export function BulkBar({ label, count, clear, onChange, onDelete, children }: BulkBarProps) {
  return (
    <div
      role="toolbar"
      aria-label={`Selected ${label}`}
      className="flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 md:px-6"
    >
      <span className="font-medium tabular-nums">{count} selected</span>
      <IconButton icon={X} label="Clear the selection" onClick={clear} />
      <span className="flex-1" />
      {children}
      {onChange && <Changes label={label} onChange={onChange} onDelete={onDelete} />}
    </div>
  );
}

function Changes({
  label,
  onChange,
  onDelete,
}: {
  label: string;
  onChange(edit: BulkEdit): void;
  onDelete(): void;
}) {
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const move = (folderId: string | null, text: string) =>
    onChange({ data: { folderId }, shown: { folderId }, text });
  const archive = (archived: boolean, text: string) =>
    onChange({ data: { archived }, shown: { archived }, text });
  return (
    <>
      <TagsButton label={label} onChange={onChange} />
      <Menu
        label="Move to folder"
        button={{
          className: buttonLook(),
          children: (
            <>
              <Folder size={15} aria-hidden />
              Folder
            </>
          ),
        }}
        items={[
          { label: 'No folder', onSelect: () => move(null, 'moved') },
          ...folders.map(({ id, name }) => ({
            label: name,
            onSelect: () => move(id, `moved to ${name}`),
          })),
        ]}
      />
      <Button icon={Archive} onClick={() => archive(true, 'archived')}>
        Archive
      </Button>
      <Button icon={ArchiveRestore} onClick={() => archive(false, 'restored')}>
        Restore
      </Button>
      <Button look="danger" icon={Trash2} onClick={onDelete}>
        Delete
      </Button>
    </>
  );
}

/** Chooses the tags that the selected records have from then on. */
function TagsButton({ label, onChange }: { label: string; onChange(edit: BulkEdit): void }) {
  const { api } = useWorkspace();
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const [chosen, setChosen] = useState<readonly string[]>([]);
  return (
    <Popover
      label="Set tags"
      className="w-64 p-2"
      button={{
        className: buttonLook(),
        children: (
          <>
            <Tags size={15} aria-hidden />
            Tags
          </>
        ),
      }}
    >
      {(close) => (
        <form
          className="flex flex-col gap-1"
          onSubmit={(event) => {
            event.preventDefault();
            close();
            const shown = tags.filter(({ id }) => chosen.includes(id));
            onChange({ data: { tagIds: [...chosen] }, shown: { tags: shown }, text: 'tagged' });
          }}
        >
          <p className="px-1 text-xs text-muted">These replace the tags that the {label} have.</p>
          {tags.map((tag) => (
            <label key={tag.id} className="flex h-8 items-center gap-2 max-md:h-11 px-1">
              <input
                type="checkbox"
                checked={chosen.includes(tag.id)}
                onChange={({ target: { checked } }) =>
                  setChosen(checked ? [...chosen, tag.id] : chosen.filter((id) => id !== tag.id))
                }
              />
              <TagMark name={tag.name} color={tag.color} />
            </label>
          ))}
          {tags.length === 0 && <p className="px-1 py-2">There are no tags yet.</p>}
          <Button type="submit" look="primary">
            {chosen.length === 0 ? 'Remove all tags' : 'Set tags'}
          </Button>
        </form>
      )}
    </Popover>
  );
}
