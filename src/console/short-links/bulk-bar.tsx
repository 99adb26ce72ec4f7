import { useQuery } from '@tanstack/react-query';
import { Archive, ArchiveRestore, Folder, Tags, Trash2, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import type { Schemas } from '../api/client.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { Button, IconButton } from '../ui/button.tsx';
import { Menu, Popover } from '../ui/menu.tsx';
import { raiseToasts } from '../ui/toasts.tsx';
import { BarLabel } from './bar-label.tsx';
import type { EditedKind } from './bulk-edit/changes.ts';
import { MoreActions } from './bulk-edit/menu.tsx';
import { archiving, type BulkEdit, type Listed } from './listed.ts';
import { TagChoice, type TagState } from './tag-choice.tsx';

interface BulkBarProps {
  kind: EditedKind;
  records: readonly Listed[];
  clear(): void;
  /** Absent when the person cannot change the records. */
  onChange: ((edit: BulkEdit) => void) | undefined;
  onDelete(): void;
  /** Additional actions for one kind of record. */
  children?: ReactNode;
}

/** The bar of bulk actions on the selected records. */
export function BulkBar({ kind, records, clear, onChange, onDelete, children }: BulkBarProps) {
  return (
    <div
      role="toolbar"
      ref={raiseToasts}
      aria-label={`Selected ${kind.noun.many}`}
      className="flex flex-wrap items-center justify-end gap-2 border-t border-line bg-raised px-4 py-2 md:px-6"
    >
      <span role="status" className="font-medium tabular-nums">
        {records.length.toLocaleString()} selected
      </span>
      <IconButton icon={X} label="Clear the selection" onClick={clear} />
      <span className="flex-1" />
      {children}
      <MoreActions
        kind={kind}
        ids={records.map(({ id }) => id)}
        mayWrite={onChange !== undefined}
      />
      {onChange && <Changes records={records} onChange={onChange} onDelete={onDelete} />}
    </div>
  );
}

interface ChangesProps {
  records: readonly Listed[];
  onChange(edit: BulkEdit): void;
  onDelete(): void;
}

function Changes({ records, onChange, onDelete }: ChangesProps) {
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const move = (folderId: string | null, name: string) =>
    onChange({
      data: { folderId },
      shown: () => ({ folderId }),
      say: (moved) =>
        folderId === null ? `${moved} taken out of folders` : `${moved} moved to ${name}`,
    });
  return (
    <>
      <Popover
        label="Tags"
        className="w-72 p-2"
        button={{ icon: Tags, children: <BarLabel>Tags</BarLabel> }}
      >
        {(close) => (
          <TagsForm
            records={records}
            onChange={(edit) => {
              close();
              onChange(edit);
            }}
          />
        )}
      </Popover>
      <Menu
        label="Move to folder"
        button={{ icon: Folder, children: <BarLabel>Folder</BarLabel> }}
        items={[
          { label: 'No folder', onSelect: () => move(null, '') },
          ...folders.map(({ id, name }) => ({ label: name, onSelect: () => move(id, name) })),
        ]}
      />
      {records.some(({ archived }) => !archived) && (
        <Button icon={Archive} onClick={() => onChange(archiving(true))}>
          <BarLabel>Archive</BarLabel>
        </Button>
      )}
      {records.some(({ archived }) => archived) && (
        <Button icon={ArchiveRestore} onClick={() => onChange(archiving(false))}>
          <BarLabel>Restore</BarLabel>
        </Button>
      )}
      <Button look="danger" icon={Trash2} onClick={onDelete}>
        <BarLabel>Delete</BarLabel>
      </Button>
    </>
  );
}

/** Next state of a tag's checkbox on each click; three clicks return to the first state. */
const NEXT: Record<TagState, TagState> = { some: 'all', all: 'none', none: 'some' };

/** Adds tags to the selected records and removes tags from them. */
function TagsForm({ records, onChange }: Pick<ChangesProps, 'records' | 'onChange'>) {
  const { api } = useWorkspace();
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const [chosen, setChosen] = useState<Readonly<Record<string, TagState>>>({});
  const before = statesOf(records);
  const stateOf = (id: string): TagState => chosen[id] ?? before.get(id) ?? 'none';
  const changed = Object.keys(chosen).filter((id) => chosen[id] !== (before.get(id) ?? 'none'));
  const namesOf = (state: TagState) => {
    const ids = changed.filter((id) => chosen[id] === state);
    return tags.filter(({ id }) => ids.includes(id));
  };
  const choose = (id: string) => {
    const next = NEXT[stateOf(id)];
    // A tag that is on all or none of the records cannot become a tag on some of them.
    const isImpossible = next === 'some' && before.get(id) !== 'some';
    setChosen({ ...chosen, [id]: isImpossible ? NEXT[next] : next });
  };
  return (
    <form
      className="flex flex-col gap-1"
      onSubmit={(event) => {
        event.preventDefault();
        if (changed.length > 0) onChange(tagging(namesOf('all'), namesOf('none')));
      }}
    >
      <TagChoice
        stateOf={stateOf}
        onToggle={choose}
        onCreated={(id) => setChosen({ ...chosen, [id]: 'all' })}
      />
      <Button type="submit" look="primary" disabled={changed.length === 0} className="mt-1">
        Apply
      </Button>
    </form>
  );
}

/** Returns the state of each tag that at least one record has: on all records or on some. */
function statesOf(records: readonly Listed[]): ReadonlyMap<string, TagState> {
  const counts = new Map<string, number>();
  for (const { tags } of records) {
    for (const { id } of tags ?? []) counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return new Map(
    [...counts].map(([id, count]) => [id, count === records.length ? 'all' : 'some'] as const),
  );
}

type Tag = Schemas['Tag'];

/** Builds the bulk change that adds and removes tags. */
function tagging(added: readonly Tag[], removed: readonly Tag[]): BulkEdit {
  const idsOf = (tags: readonly Tag[]) => tags.map(({ id }) => id);
  const namesOf = (tags: readonly Tag[]) => tags.map(({ name }) => name).join(', ');
  return {
    data: {
      ...(added.length > 0 && { addTagIds: idsOf(added) }),
      ...(removed.length > 0 && { removeTagIds: idsOf(removed) }),
    },
    shown({ tags }) {
      const others = [...added, ...removed];
      const kept = (tags ?? []).filter(({ id }) => !others.some((other) => other.id === id));
      return { tags: [...kept, ...added] };
    },
    say(records) {
      if (removed.length === 0) return `Added ${namesOf(added)} to ${records}`;
      if (added.length === 0) return `Removed ${namesOf(removed)} from ${records}`;
      return `Changed the tags of ${records}`;
    },
  };
}
