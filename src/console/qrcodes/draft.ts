import type { Schemas } from '../api/client.ts';
import { scanLinkOf } from '../links/kind.ts';
import * as shared from '../short-links/draft.ts';
import { ALL_FIELDS, type ShortLinkDraft } from '../short-links/fields.ts';
import { type ContentName, type Draft, fromValue, toValue } from './content.ts';
import { emptyDraft } from './content-fields.ts';
import { scanLinkIn } from './drawn.ts';
import { changedFields, fieldsOf, type Look, lookOf, PLAIN_LOOK, type QrCode } from './look.ts';

/** The draft of a code in the designer. */
export interface CodeDraft {
  type: ContentName;
  /** Content by type, so that switching back to a type restores its input. */
  contents: Partial<Record<ContentName, Draft>>;
  /** URL in the code of the existing link that was chosen; `undefined` without one. */
  scanLink: string | undefined;
  /** The person's choice; `undefined` before a choice, when the type's default applies. */
  isStatic: boolean | undefined;
  useDisplayPage: boolean;
  /** The fields shared with links. */
  shortLink: ShortLinkDraft;
  look: Look;
  /** True when the style is also saved as a template. */
  isTemplate: boolean;
  /** Name of that template; empty for none. */
  templateName: string;
}

/** The draft of a new code. */
export const NEW_DRAFT: CodeDraft = {
  type: 'url',
  contents: {},
  scanLink: undefined,
  isStatic: undefined,
  useDisplayPage: true,
  shortLink: shared.EMPTY,
  look: PLAIN_LOOK,
  isTemplate: false,
  templateName: '',
};

type Link = Schemas['Link'];

/**
 * Returns a draft of the code of an existing link: a static code with its short link, in its folder,
 * where images of the link have its design.
 */
export const withLink = (draft: CodeDraft, link: Link): CodeDraft => ({
  ...draft,
  type: 'url',
  contents: { ...draft.contents, url: scanLinkOf(link) },
  scanLink: scanLinkOf(link),
  isStatic: true,
  shortLink: {
    ...draft.shortLink,
    title: link.title ?? `${link.domain}/${link.key}`,
    folderId: link.folderId ?? '',
  },
});

/** True for the code of an existing link. */
export const isOfLink = (draft: CodeDraft): boolean =>
  draft.type === 'url' && draft.scanLink !== undefined && draft.scanLink === contentOf(draft);

/** Returns the draft of a stored code. */
export function draftOf(record: QrCode): CodeDraft {
  const type = record.type as ContentName;
  return {
    type,
    contents: { [type]: fromValue(type, record[type]) },
    scanLink: scanLinkIn(record),
    isStatic: record.static,
    useDisplayPage: record.useDisplayPage,
    shortLink: shared.draftOf(record),
    look: lookOf(record),
    isTemplate: false,
    templateName: '',
  };
}

/** Content types that are often scanned offline, or by apps of banks, which do not open links. */
const STATIC_TYPES = new Set<ContentName>(['wifi', 'vcard', 'text', 'epc', 'swissqr']);

/** Content types that lead by the visitor or to a page, which a static code cannot do. */
const DYNAMIC_TYPES = new Set<ContentName>(['app', 'links', 'social', 'file']);

/** True when a code of the type cannot be static. */
export const isAlwaysDynamic = (type: ContentName): boolean => DYNAMIC_TYPES.has(type);

/** True when codes of the type are static by default. */
export const hasStaticDefault = ({ type }: CodeDraft): boolean => STATIC_TYPES.has(type);

/** True when the code itself holds the content. */
export const isStaticOf = (draft: CodeDraft): boolean =>
  !isAlwaysDynamic(draft.type) && (draft.isStatic ?? hasStaticDefault(draft));

/** Returns the content of the chosen type. */
export const contentOf = ({ type, contents }: CodeDraft): Draft =>
  contents[type] ?? emptyDraft(type);

/**
 * The shared fields of static codes: only those that organize records, because scans of a static
 * code do not reach the service. The form of a static code shows the section `more`.
 */
const OF_STATIC_CODES = new Set<string>([
  'title',
  'folderId',
  'tagIds',
  ...ALL_FIELDS.filter(
    ({ control }) => control?.section === 'more' && control.isOnlyNew !== true,
  ).map(({ name }) => name),
]);

function sharedChanges(draft: CodeDraft, before: CodeDraft): Record<string, unknown> {
  const changes = Object.entries(shared.changesOf(draft.shortLink, before.shortLink));
  return Object.fromEntries(
    changes.filter(([name]) => !isStaticOf(draft) || OF_STATIC_CODES.has(name)),
  );
}

function template({ isTemplate, templateName }: CodeDraft) {
  if (!isTemplate) return {};
  const name = templateName.trim();
  return { useAsTemplate: true, ...(name !== '' && { templateName: name }) };
}

/** Builds the body that creates the code. */
export function creationOf(draft: CodeDraft): Schemas['NewQrCode'] {
  const { type, useDisplayPage, look } = draft;
  return {
    type,
    [type]: toValue(type, contentOf(draft)),
    static: isStaticOf(draft),
    useDisplayPage,
    ...sharedChanges(draft, NEW_DRAFT),
    ...fieldsOf(look),
    ...template(draft),
  } as Schemas['NewQrCode'];
}

/** True when two drafts have different content. */
export const hasOtherContent = (before: CodeDraft, after: CodeDraft): boolean =>
  after.type !== before.type ||
  JSON.stringify(contentOf(before)) !== JSON.stringify(contentOf(after));

/** Builds the body with the differences between two drafts; empty without differences. */
export function changesOf(before: CodeDraft, after: CodeDraft): Schemas['QrCodeUpdate'] {
  const { type } = after;
  return {
    ...(hasOtherContent(before, after) && { type, [type]: toValue(type, contentOf(after)) }),
    ...(after.useDisplayPage !== before.useDisplayPage && {
      useDisplayPage: after.useDisplayPage,
    }),
    ...sharedChanges(after, before),
    ...changedFields(before.look, after.look),
    ...template(after),
  } as Schemas['QrCodeUpdate'];
}
