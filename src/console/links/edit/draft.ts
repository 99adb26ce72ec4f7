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

/** Builds the body that creates the link. */
export const creationOf = (draft: Draft): Schemas['NewLink'] =>
  shortLink.changesOf(draft, EMPTY) as Schemas['NewLink'];

/** Builds the body with the fields that changed. */
export const changesOf = (draft: Draft, before: Draft): Schemas['LinkUpdate'] =>
  shortLink.changesOf(draft, before) as Schemas['LinkUpdate'];
