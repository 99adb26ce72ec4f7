import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../app/workspace.tsx';
import { SelectField, Switch, TextField } from '../ui/field.tsx';
import type { CodeDraft } from './draft.ts';
import { domainsQuery, foldersQuery, tagsQuery } from './queries.ts';

interface PlaceProps {
  draft: CodeDraft;
  onChange(change: Partial<CodeDraft>): void;
  isStored: boolean;
  errors: Readonly<Record<string, string>>;
}

/** Types that may open a page with buttons, or the app at once. */
const WITH_PAGE = new Set(['phone', 'email', 'sms']);

/** Static or dynamic, the short link, and where the code is sorted. */
export function PlacePanel({ draft, onChange, isStored, errors }: PlaceProps) {
  const { api } = useWorkspace();
  const domains = useQuery(domainsQuery(api)).data ?? [];
  const folders = useQuery(foldersQuery(api)).data ?? [];
  const tags = useQuery(tagsQuery(api)).data ?? [];
  const { isStatic, tagIds } = draft;
  return (
    <>
      <Switch
        label="Static"
        hint={
          isStatic
            ? 'The code holds the content itself: it works without this service, can’t be changed, and scans aren’t counted.'
            : 'The code holds a short link: its content can be changed after printing, and scans are counted.'
        }
        checked={isStatic}
        disabled={isStored}
        onChange={(checked) => onChange({ isStatic: checked })}
      />
      {!isStatic && WITH_PAGE.has(draft.type) && (
        <Switch
          label="Page with buttons"
          hint="Off: a scan opens the app at once."
          checked={draft.useDisplayPage}
          onChange={(checked) => onChange({ useDisplayPage: checked })}
        />
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <TextField
          label="Title"
          placeholder="Poster at the entrance"
          value={draft.title}
          onChange={({ target }) => onChange({ title: target.value })}
          error={errors['title']}
        />
        {folders.length > 0 && (
          <SelectField
            label="Folder"
            value={draft.folderId}
            onChange={({ target }) => onChange({ folderId: target.value })}
            error={errors['folderId']}
          >
            <option value="">None</option>
            {folders.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </SelectField>
        )}
        {!isStored && domains.length > 0 && (
          <SelectField
            label="Domain"
            value={draft.domain}
            onChange={({ target }) => onChange({ domain: target.value })}
            error={errors['domain']}
          >
            <option value="">Default</option>
            {domains.map(({ id, slug }) => (
              <option key={id} value={slug}>
                {slug}
              </option>
            ))}
          </SelectField>
        )}
        {!isStored && (
          <TextField
            label="Slug"
            placeholder="7 random characters"
            hint="It can’t be changed later: it is printed."
            value={draft.key}
            onChange={({ target }) => onChange({ key: target.value })}
            error={errors['key']}
          />
        )}
      </div>
      {tags.length > 0 && (
        <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
          <legend className="mb-1 font-medium">Tags</legend>
          {tags.map(({ id, name }) => (
            <label key={id} className="flex h-7 items-center gap-1.5 max-md:h-10">
              <input
                type="checkbox"
                className="size-4 accent-accent"
                checked={tagIds.includes(id)}
                onChange={({ target: { checked } }) =>
                  onChange({
                    tagIds: checked ? [...tagIds, id] : tagIds.filter((one) => one !== id),
                  })
                }
              />
              {name}
            </label>
          ))}
        </fieldset>
      )}
    </>
  );
}
