import { useQuery } from '@tanstack/react-query';
import { useWorkspace } from '../../app/workspace.tsx';
import { Field, inputLook, SelectField, TextField } from '../../ui/field.tsx';
import { domainsQuery, foldersQuery, type Link } from '../question.ts';
import {
  AccessSection,
  MoreSection,
  PageSection,
  RedirectSection,
  ScheduleSection,
} from './options.tsx';
import { PreviewSection } from './preview.tsx';
import { RulesSection } from './rules.tsx';
import type { PartProps } from './section.tsx';
import { useSlugCheck } from './slug-check.ts';
import { TagsField } from './tags-field.tsx';
import { TargetsSection } from './targets.tsx';
import { UtmSection } from './utm-section.tsx';

/** Every field of a link: what each needs first, the rest in sections. */
export function LinkForm({ link, ...part }: PartProps & { link: Link | undefined }) {
  const { draft, errors, change } = part;
  const { api } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data ?? [];
  return (
    <>
      <TextField
        label="Destination"
        type="url"
        inputMode="url"
        data-autofocus={link === undefined ? true : undefined}
        placeholder="https://example.com/page"
        value={draft.url}
        error={errors['url']}
        onChange={(event) => change({ url: event.target.value })}
      />
      <ShortLinkField {...part} link={link} />
      <div className="grid gap-4 md:grid-cols-2">
        <TagsField {...part} />
        <SelectField
          label="Folder"
          value={draft.folderId}
          error={errors['folderId']}
          onChange={(event) => change({ folderId: event.target.value })}
        >
          <option value="">None</option>
          {folders.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
      </div>
      <div className="flex flex-col gap-2">
        <UtmSection {...part} />
        <PreviewSection {...part} />
        <TargetsSection {...part} />
        <RulesSection {...part} />
        <ScheduleSection {...part} />
        <AccessSection {...part} />
        <PageSection {...part} />
        <RedirectSection {...part} />
        <MoreSection {...part} />
      </div>
    </>
  );
}

/** Domain and slug, checked while it is typed. */
function ShortLinkField({ draft, errors, change, link }: PartProps & { link: Link | undefined }) {
  const { api } = useWorkspace();
  const domains = useQuery(domainsQuery(api)).data ?? [];
  const usable = domains.filter(({ verified, archived }) => verified && !archived);
  const primary = usable.find((domain) => domain.primary)?.slug;
  const check = useSlugCheck(draft, link, primary);
  return (
    <Field
      label="Short link"
      error={errors['key'] ?? errors['domain'] ?? errors['prefix'] ?? check.error}
      hint={check.hint}
    >
      {(control) => (
        <div className="flex">
          <select
            aria-label="Domain"
            value={draft.domain}
            onChange={(event) => change({ domain: event.target.value })}
            className={`${inputLook} w-auto max-w-[45%] shrink-0 rounded-r-none border-r-0`}
          >
            <option value="">{primary ?? 'Default domain'}</option>
            {draft.domain !== '' && !usable.some(({ slug }) => slug === draft.domain) && (
              <option value={draft.domain}>{draft.domain}</option>
            )}
            {usable
              .filter(({ slug }) => slug !== primary || draft.domain === slug)
              .map(({ slug }) => (
                <option key={slug} value={slug}>
                  {slug}
                </option>
              ))}
          </select>
          <input
            {...control}
            placeholder="random slug"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            value={draft.key}
            onChange={(event) => change({ key: event.target.value.trim() })}
            className={`${inputLook} rounded-l-none`}
          />
        </div>
      )}
    </Field>
  );
}
