import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import type { Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { Field, inputLook, Options } from '../ui/field.tsx';
import { slugFrom } from '../ui/slug.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { slugQuery } from './queries.ts';
import type { PartProps } from './section.tsx';
import { useShortDomains } from './use-short-domains.ts';

/** The fields for domain and slug, with a live availability check and the resulting short link. */
export function ShortLinkField({
  draft,
  errors,
  change,
  record,
  hint,
}: PartProps & { hint?: string }) {
  const input = useRef<HTMLInputElement>(null);
  const { main, others } = useShortDomains(draft.domain);
  const domain = draft.domain === '' ? main : draft.domain;
  const check = useSlugCheck({ draft, record }, main);
  const offer = offerFor(draft, record === undefined, check.isRefused);
  const preview = domain === undefined ? undefined : `${domain}/${pathOf(draft)}`;
  return (
    <div className="flex flex-col gap-1">
      <Field
        label="Short link"
        error={errors['key'] ?? errors['domain'] ?? check.error}
        hint={
          <>
            {record === undefined && preview !== undefined && (
              <span className="block wrap-anywhere">{preview}</span>
            )}
            {check.hint ?? hint}
          </>
        }
      >
        {(control) => (
          <div className="flex">
            <select
              aria-label="Domain"
              value={draft.domain}
              onChange={(event) => change({ domain: event.target.value })}
              className={`${inputLook} w-auto max-w-[45%] shrink-0 rounded-r-none border-r-0`}
            >
              <option value="">{main ?? 'Domain'}</option>
              <Options of={others} />
            </select>
            <input
              {...control}
              ref={input}
              placeholder="random"
              autoComplete="off"
              autoCapitalize="off"
              spellCheck={false}
              value={draft.key}
              onChange={(event) => change({ key: pathIn(event.target.value) })}
              onBlur={() => draft.key !== draft.key.trim() && change({ key: draft.key.trim() })}
              className={`${inputLook} rounded-l-none`}
            />
          </div>
        )}
      </Field>
      {offer !== undefined && (
        <div>
          <Button
            size="small"
            onClick={() => {
              change({ key: offer });
              // The button disappears; with the focus in the input, the form's keys keep working.
              input.current?.focus();
            }}
          >
            Use {offer}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Returns the path of the short link; a random part is not known before the link is created. */
function pathOf({ key, prefix }: PartProps['draft']): string {
  if (key.trim() !== '') return key.trim();
  return prefix === '' ? '(7 random characters)' : `${prefix}/(7 random characters)`;
}

/** Extracts the slug from input that can be a whole short link. */
const pathIn = (text: string): string => text.replace(/^\s*(?:https?:\/\/[^/\s]+)?\/*/, '');

/** Suggests a slug that is easier to type, or one made from the title, if there is one. */
function offerFor(
  { key, title }: PartProps['draft'],
  isNew: boolean,
  isRefused: boolean,
): string | undefined {
  const text = key.trim();
  const offer = slugFrom(text === '' ? title : text);
  if (offer === '' || offer === text) return undefined;
  if (text === '') return isNew ? offer : undefined;
  return isRefused || /\p{L}/u.test(text.replaceAll(/[a-z]/gi, '')) ? offer : undefined;
}

/** Delay after typing before a slug is looked up, in ms. */
export const TYPING_MS = 200;

interface SlugCheck {
  hint?: string;
  error?: string;
  /** True when no record can use the slug. */
  isRefused: boolean;
}

/**
 * Checks the availability of a slug during typing; the API checks again when the record is saved.
 *
 * @param main domain of records without an explicit domain
 */
function useSlugCheck(
  { draft, record }: Pick<PartProps, 'draft' | 'record'>,
  main: string | undefined,
): SlugCheck {
  const { api } = useWorkspace();
  const key = useDebounced(draft.key.trim(), TYPING_MS);
  const { domain } = draft;
  const isOwn =
    record !== undefined && record.key === key && record.domain === (domain === '' ? main : domain);
  const found = useQuery({ ...slugQuery(api, { domain, key }), enabled: key !== '' && !isOwn });
  if (key === '' || isOwn || key !== draft.key.trim()) return { isRefused: false };
  if (found.error instanceof ApiError && found.error.fields['key'] !== undefined) {
    return { error: found.error.fields['key'], isRefused: true };
  }
  if (found.data === undefined) return { isRefused: false };
  const { available, reason, holder } = found.data;
  if (!available) {
    return { error: takenBy(reason, holder), isRefused: false };
  }
  const hint = key.endsWith('/*')
    ? 'This slug is free. The link answers every path below it.'
    : 'This slug is free.';
  return { hint, isRefused: false };
}

/** Explains why a slug is not available. */
function takenBy(
  reason: 'taken' | 'kept' | 'blocked' | null,
  holder: Schemas['SlugAvailability']['holder'],
): string {
  if (reason === 'blocked') return 'Your administrator has blocked this slug.';
  if (reason === 'kept') return 'This slug was in use until recently. It is free again in a day.';
  if (holder === null) return 'The slug is taken by another workspace.';
  if (holder.kind === 'qrcode') return 'The slug is taken by another QR code.';
  return `The slug is taken by another link. It redirects to ${holder.url}.`;
}
