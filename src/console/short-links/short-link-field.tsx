import { useQuery } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Field, inputLook } from '../ui/field.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { domainsQuery } from './queries.ts';
import type { PartProps } from './section.tsx';

/** Domain and slug, checked while it is typed. */
export function ShortLinkField({
  draft,
  errors,
  change,
  record,
  hint,
}: PartProps & { hint?: string }) {
  const { api } = useWorkspace();
  const domains = useQuery(domainsQuery(api)).data ?? [];
  const usable = domains.filter(({ verified, archived }) => verified && !archived);
  const primary = usable.find((domain) => domain.primary)?.slug;
  const check = useSlugCheck({ draft, record }, primary);
  return (
    <Field
      label="Short link"
      error={errors['key'] ?? errors['domain'] ?? check.error}
      hint={check.hint ?? hint}
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

/** Shortest pause in typing after which a slug is looked up, in ms. */
const TYPING_MS = 200;

/**
 * Looks up a slug while it is typed, among the links and QR codes of the workspace; the API has the last word when the
 * record is saved.
 *
 * @param primary domain of records that name none
 */
function useSlugCheck(
  { draft, record }: Pick<PartProps, 'draft' | 'record'>,
  primary: string | undefined,
): { hint?: string; error?: string } {
  const { api } = useWorkspace();
  const key = useDebounced(draft.key, TYPING_MS);
  const domain = draft.domain === '' ? primary : draft.domain;
  const isOwn = record !== undefined && record.key === key && record.domain === domain;
  const found = useQuery({
    queryKey: ['slug', domain, key],
    queryFn: ({ signal }) => holderOf(api, { domain: domain!, key }, signal),
    enabled: key !== '' && domain !== undefined && !isOwn,
    staleTime: 5_000,
  });
  if (key === '' || isOwn || key !== draft.key) return {};
  if (found.error instanceof ApiError && found.error.fields['key'] !== undefined) {
    return { error: found.error.fields['key'] };
  }
  if (found.data === undefined) return {};
  const { holder } = found.data;
  return holder === undefined
    ? {
        hint: key.endsWith('/*')
          ? 'This slug is free. The link answers every path below it.'
          : 'This slug is free.',
      }
    : { error: `The slug is taken: ${holder}` };
}

/** What has a slug, in words; nothing where it is free. */
async function holderOf(
  api: Api,
  query: { domain: string; key: string },
  signal: AbortSignal,
): Promise<{ holder: string | undefined }> {
  const holders = await Promise.all([
    answer(api.GET('/links/info', { params: { query }, signal })).then(
      ({ url }) => `it leads to ${url}`,
      unlessFree,
    ),
    answer(api.GET('/qrcodes/info', { params: { query }, signal })).then(
      ({ title }) => (title === null ? 'a QR code has it' : `the QR code “${title}” has it`),
      unlessFree,
    ),
  ]);
  return { holder: holders.find((holder) => holder !== undefined) };
}

function unlessFree(error: unknown): undefined {
  if (error instanceof ApiError && error.status === 404) return undefined;
  throw error;
}
