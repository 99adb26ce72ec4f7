import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Folder, Tags, Trash2, X } from 'lucide-react';
import { useState } from 'react';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { foldersQuery, tagsQuery } from '../short-links/queries.ts';
import { Button, buttonLook, IconButton } from '../ui/button.tsx';
import { Menu, Popover } from '../ui/menu.tsx';
import { type BulkChange, changeLinks } from './pending.ts';
import type { Link } from './question.ts';

interface BulkBarProps {
  ids: readonly string[];
  clear(): void;
  onDelete(): void;
}

/** Actions on all selected links. */
export function BulkBar({ ids, clear, onDelete }: BulkBarProps) {
  const { api } = useWorkspace();
  const client = useQueryClient();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const change = (data: BulkChange, shown: Partial<Link>, text: string) => {
    changeLinks({ api, client }, ids, { data, shown, text });
    clear();
  };
  return (
    <div
      role="toolbar"
      aria-label="Selected links"
      className="flex flex-wrap items-center gap-2 border-t border-line bg-raised px-4 py-2 md:px-6"
    >
      <span className="font-medium tabular-nums">{ids.length} selected</span>
      <IconButton icon={X} label="Clear the selection" onClick={clear} />
      <span className="flex-1" />
      <TagsButton onChosen={change} />
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
          {
            label: 'No folder',
            onSelect: () => change({ folderId: null }, { folderId: null }, 'moved'),
          },
          ...folders.map(({ id, name }) => ({
            label: name,
            onSelect: () => change({ folderId: id }, { folderId: id }, `moved to ${name}`),
          })),
        ]}
      />
      <Button
        icon={Archive}
        onClick={() => change({ archived: true }, { archived: true }, 'archived')}
      >
        Archive
      </Button>
      <Button
        icon={ArchiveRestore}
        onClick={() => change({ archived: false }, { archived: false }, 'restored')}
      >
        Restore
      </Button>
      <Button look="danger" icon={Trash2} onClick={onDelete}>
        Delete
      </Button>
    </div>
  );
}

/** Chooses the tags that the selected links have from then on. */
function TagsButton({
  onChosen,
}: {
  onChosen(data: BulkChange, shown: Partial<Link>, text: string): void;
}) {
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
            onChosen({ tagIds: [...chosen] }, { tags: shown }, 'tagged');
          }}
        >
          <p className="px-1 text-xs text-muted">These replace the tags that the links have.</p>
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
