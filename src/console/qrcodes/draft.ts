import type { Schemas } from '../api/client.ts';
import * as shared from '../short-links/draft.ts';
import type { ShortLinkDraft } from '../short-links/fields.ts';
import { type ContentName, type Draft, toValue } from './content.ts';
import { emptyDraft } from './content-fields.ts';
import { changedFields, fieldsOf, type Look, lookOf, PLAIN_LOOK, type QrCode } from './look.ts';

/** A code that is being designed. */
export interface CodeDraft {
  type: ContentName;
  /** By type: going back to a type finds what was filled in. */
  contents: Partial<Record<ContentName, Draft>>;
  /** `undefined` while nobody has chosen: then it is that of the type. */
  isStatic: boolean | undefined;
  useDisplayPage: boolean;
  /** The fields that links have too. */
  shortLink: ShortLinkDraft;
  look: Look;
  /** The look becomes a template too. */
  isTemplate: boolean;
}

/** The draft of a new code. */
export const NEW_DRAFT: CodeDraft = {
  type: 'url',
  contents: {},
  isStatic: undefined,
  useDisplayPage: true,
  shortLink: shared.EMPTY,
  look: PLAIN_LOOK,
  isTemplate: false,
};

/** The draft of a stored code. */
export function draftOf(record: QrCode): CodeDraft {
  const type = record.type as ContentName;
  return {
    type,
    contents: { [type]: record[type] as Draft },
    isStatic: record.static,
    useDisplayPage: record.useDisplayPage,
    shortLink: shared.draftOf(record),
    look: lookOf(record),
    isTemplate: false,
  };
}

/** Contents that people scan where they may have no connection: a dynamic code could not open there. */
const STATIC_TYPES = new Set<ContentName>(['wifi', 'vcard', 'text']);

/** True when codes of the type are static unless one chooses otherwise. */
export const hasStaticDefault = ({ type }: CodeDraft): boolean => STATIC_TYPES.has(type);

/** True when the code holds its content itself. */
export const isStaticOf = (draft: CodeDraft): boolean => draft.isStatic ?? hasStaticDefault(draft);

/** The content of the chosen type. */
export const contentOf = ({ type, contents }: CodeDraft): Draft =>
  contents[type] ?? emptyDraft(type);

/** A static code is read without the service: of the shared fields it has only those by which it is kept in order. */
const OF_STATIC_CODES = new Set<string>([
  'title',
  'folderId',
  'tagIds',
  'comments',
  'externalId',
  'notificationToken',
  'archived',
]);

function sharedChanges(draft: CodeDraft, before: CodeDraft): Record<string, unknown> {
  const changes = Object.entries(shared.changesOf(draft.shortLink, before.shortLink));
  return Object.fromEntries(
    changes.filter(([name]) => !isStaticOf(draft) || OF_STATIC_CODES.has(name)),
  );
}

const template = ({ isTemplate }: CodeDraft) => (isTemplate ? { useAsTemplate: true } : {});

/** The body that creates a draft. */
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

/** True when two drafts hold different contents. */
export const hasOtherContent = (before: CodeDraft, after: CodeDraft): boolean =>
  after.type !== before.type ||
  JSON.stringify(contentOf(before)) !== JSON.stringify(contentOf(after));

/** The body that changes what differs between two drafts; empty when nothing does. */
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
