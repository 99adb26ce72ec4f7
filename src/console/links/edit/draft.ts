import type { Schemas } from '../../api/client.ts';
import * as shortLink from '../../short-links/draft.ts';
import type { ShortLinkDraft } from '../../short-links/fields.ts';
import type { Link } from '../queries.ts';

/** A link as the form holds it. */
export interface Draft extends ShortLinkDraft {
  url: string;
  video: string;
}

/** A new link. */
export const EMPTY: Draft = { ...shortLink.EMPTY, url: '', video: '' };

/** The form of a link that exists. */
export const draftOf = (link: Link): Draft => ({
  ...shortLink.draftOf(link),
  url: link.url,
  video: link.video ?? '',
});

/** The fields of the form that differ from those before, as the API takes them. */
export const changesOf = (draft: Draft, before: Draft): Partial<Schemas['NewLink']> =>
  shortLink.changesOf(draft, before) as Partial<Schemas['NewLink']>;
