import type { Schemas } from '../../api/client.ts';
import * as shortLink from '../../short-links/draft.ts';
import type { ShortLinkDraft } from '../../short-links/fields.ts';
import type { Link } from '../kind.ts';

/** A link in the form. */
export interface Draft extends ShortLinkDraft {
  url: string;
  video: string;
}

/** The form of a new link. */
export const EMPTY: Draft = { ...shortLink.EMPTY, url: '', video: '' };

/** Returns the form of a stored link. */
export const draftOf = (link: Link): Draft => ({
  ...shortLink.draftOf(link),
  url: link.url,
  video: link.video ?? '',
});

/** Returns the fields that changed, in the format of the API. */
export const changesOf = (draft: Draft, before: Draft): Partial<Schemas['NewLink']> =>
  shortLink.changesOf(draft, before) as Partial<Schemas['NewLink']>;
