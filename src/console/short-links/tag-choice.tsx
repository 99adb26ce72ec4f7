import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { useResource } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { type Color, TagMark } from '../labels/colors.tsx';
import { tagsQuery } from '../labels/queries.ts';
import { Button } from '../ui/button.tsx';
import { inputLook } from '../ui/field.tsx';
import { toastError } from '../ui/toast-error.ts';

/** Share of the selected records that have a tag. */
export type TagState = 'all' | 'some' | 'none';

interface TagChoiceProps {
  stateOf(tagId: string): TagState;
  onToggle(tagId: string): void;
  /** Called with a newly created tag, which all records are to get. */
  onCreated(tagId: string): void;
}

/** Maximum number of tags on display; the field finds the others. */
const SHOWN = 50;

/** Checkboxes for the workspace's tags, and a field that finds or creates a tag. */
export function TagChoice({ stateOf, onToggle, onCreated }: TagChoiceProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = tags.filter(({ name }) => name.toLowerCase().includes(wanted));
  const exact = tags.find(({ name }) => name.toLowerCase() === wanted);
  const isNew = wanted !== '' && exact === undefined && may('tags.write');
  const { create } = useResource('tags', {
    onCreated(tag) {
      client.setQueryData(tagsQuery(api).queryKey, (now) => now && [...now, tag]);
      onCreated(tag.id);
      setText('');
    },
    onFailed: toastError,
  });
  return (
    <>
      <input
        aria-label={may('tags.write') ? 'Find or create a tag' : 'Find a tag'}
        placeholder={may('tags.write') ? 'Find or create a tag' : 'Find a tag'}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return;
          // Enter would submit the surrounding form.
          event.preventDefault();
          if (isNew) create.write({ name: text.trim() });
          else if (exact !== undefined) onToggle(exact.id);
        }}
        className={inputLook}
      />
      <div className="max-h-72 overflow-y-auto">
        {shown.slice(0, SHOWN).map((tag) => (
          <TagRow
            key={tag.id}
            tag={tag}
            state={stateOf(tag.id)}
            onToggle={() => onToggle(tag.id)}
          />
        ))}
      </div>
      {tags.length === 0 && wanted === '' && <p className="px-1 py-2">No tags yet.</p>}
      {isNew && (
        <Button
          icon={Plus}
          busy={create.isPending}
          onClick={() => create.write({ name: text.trim() })}
        >
          Create “{text.trim()}”
        </Button>
      )}
    </>
  );
}

interface TagRowProps {
  tag: { name: string; color: Color };
  state: TagState;
  onToggle(): void;
}

function TagRow({ tag: { name, color }, state, onToggle }: TagRowProps) {
  return (
    <label className="flex h-8 items-center gap-2 rounded-md px-1 hover:bg-hover max-md:h-11">
      <input
        // `indeterminate` exists only as a DOM property, not as an HTML attribute.
        ref={(box) => {
          if (box !== null) box.indeterminate = state === 'some';
        }}
        type="checkbox"
        checked={state === 'all'}
        onChange={onToggle}
        className="size-4 accent-accent"
      />
      <TagMark name={name} color={color} />
    </label>
  );
}
