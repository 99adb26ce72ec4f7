import { useQuery } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { useWorkspace } from '../app/workspace.tsx';
import { TagMark } from '../labels/colors.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { inputLook, SelectField } from '../ui/field.tsx';
import { Popover } from '../ui/menu.tsx';
import { toggled } from './draft.ts';
import type { PartProps } from './section.tsx';
import { TagChoice } from './tag-choice.tsx';

/** The fields for the tags and the folder of a record. */
export const LabelFields = (part: PartProps) => (
  <div className="grid gap-4 md:grid-cols-2">
    <TagsField {...part} />
    <FolderField {...part} />
  </div>
);

function TagsField({ draft, errors, change }: PartProps) {
  const { api } = useWorkspace();
  const tags = useQuery(tagsQuery(api)).data ?? [];
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
            <TagChoice
              stateOf={(id) => (draft.tagIds.includes(id) ? 'all' : 'none')}
              onToggle={(id) => change({ tagIds: toggled(draft.tagIds, id) })}
              onCreated={(id) => change({ tagIds: [...draft.tagIds, id] })}
            />
          </div>
        )}
      </Popover>
      {errors['tagIds'] && <p className="text-xs text-danger">{errors['tagIds']}</p>}
    </div>
  );
}

function FolderField({ draft, errors, change }: PartProps) {
  const { api, limits } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const required = limits?.folderIds ?? [];
  // All records of a person with a single folder are in it.
  if (required.length === 1) return null;
  return (
    <SelectField
      label="Folder"
      value={draft.folderId}
      error={errors['folderId']}
      onChange={(event) => change({ folderId: event.target.value })}
      none={required.length > 0 ? 'Choose a folder' : 'None'}
      options={folders.map(({ id, name }) => [id, name])}
    />
  );
}
