import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ChevronsUpDown, Plus } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { describe } from '../api/error.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { Button } from '../ui/button.tsx';
import { inputLook } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { toast } from '../ui/toasts.tsx';
import { tagsQuery } from './queries.ts';
import type { PartProps } from './section.tsx';

/** Chooses tags, and makes those that are missing. */
export function TagsField({ draft, errors, change }: PartProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const [text, setText] = useState('');
  const wanted = text.trim().toLowerCase();
  const shown = tags.filter(({ name }) => name.toLowerCase().includes(wanted));
  const isNew = wanted !== '' && !tags.some(({ name }) => name.toLowerCase() === wanted);
  const create = useWrite({
    send: (name: string, key) =>
      answer(api.POST('/tags', { params: { header: { 'Idempotency-Key': key } }, body: { name } })),
    onDone(tag) {
      void client.invalidateQueries({ queryKey: ['tags'] });
      change({ tagIds: [...draft.tagIds, tag.id] });
      setText('');
    },
    onFailed: (error) => toast(describe(error), 'danger'),
  });
  const chosen = tags.filter(({ id }) => draft.tagIds.includes(id));
  return (
    <div className="flex flex-col gap-1">
      <span className="font-medium">Tags</span>
      <Popover
        label="Choose tags"
        className="w-72 p-2"
        button={{
          className: `${inputLook} flex items-center gap-1 overflow-hidden text-left`,
          children: (
            <>
              <span className="sr-only">Tags:</span>
              <span className="flex min-w-0 flex-1 gap-1 overflow-hidden">
                {chosen.length === 0
                  ? 'None'
                  : chosen.map(({ id, name, color }) => (
                      <TagMark key={id} name={name} color={color} />
                    ))}
              </span>
              <ChevronsUpDown size={14} aria-hidden className="shrink-0 text-muted" />
            </>
          ),
        }}
      >
        {() => (
          <div className="flex flex-col gap-1">
            <input
              aria-label="Find or create a tag"
              placeholder="Find or create"
              value={text}
              onChange={(event) => setText(event.target.value)}
              onKeyDown={(event) => {
                if (event.key !== 'Enter') return;
                event.preventDefault();
                if (isNew && may('tags.write')) create.write(text.trim());
              }}
              className={inputLook}
            />
            {shown.slice(0, 50).map((tag) => (
              <label key={tag.id} className="flex h-8 items-center gap-2 px-1 max-md:h-11">
                <input
                  type="checkbox"
                  checked={draft.tagIds.includes(tag.id)}
                  onChange={({ target: { checked } }) =>
                    change({
                      tagIds: checked
                        ? [...draft.tagIds, tag.id]
                        : draft.tagIds.filter((id) => id !== tag.id),
                    })
                  }
                />
                <TagMark name={tag.name} color={tag.color} />
              </label>
            ))}
            {isNew && may('tags.write') && (
              <Button icon={Plus} busy={create.isPending} onClick={() => create.write(text.trim())}>
                Create “{text.trim()}”
              </Button>
            )}
          </div>
        )}
      </Popover>
      {errors['tagIds'] && <p className="text-xs text-danger">{errors['tagIds']}</p>}
    </div>
  );
}
