import type { Schemas } from '../api/client.ts';
import { type ContentName, type Draft, toValue } from './content.ts';
import { emptyDraft } from './content-fields.ts';
import { changedFields, fieldsOf, type Look, lookOf, PLAIN_LOOK, type QrCode } from './look.ts';

/** A code that is being designed. */
export interface CodeDraft {
  type: ContentName;
  /** By type: going back to a type finds what was filled in. */
  contents: Partial<Record<ContentName, Draft>>;
  isStatic: boolean;
  useDisplayPage: boolean;
  title: string;
  domain: string;
  key: string;
  folderId: string;
  tagIds: readonly string[];
  look: Look;
}

/** The draft of a new code. */
export const NEW_DRAFT: CodeDraft = {
  type: 'url',
  contents: {},
  isStatic: false,
  useDisplayPage: true,
  title: '',
  domain: '',
  key: '',
  folderId: '',
  tagIds: [],
  look: PLAIN_LOOK,
};

/** The draft of a stored code. */
export function draftOf(record: QrCode): CodeDraft {
  const type = record.type as ContentName;
  return {
    type,
    contents: { [type]: record[type] as Draft },
    isStatic: record.static,
    useDisplayPage: record.useDisplayPage,
    title: record.title ?? '',
    domain: record.domain,
    key: record.key,
    folderId: record.folderId ?? '',
    tagIds: record.tags?.map(({ id }) => id) ?? [],
    look: lookOf(record),
  };
}

/** The content of the chosen type. */
export const contentOf = ({ type, contents }: CodeDraft): Draft =>
  contents[type] ?? emptyDraft(type);

/** The body that creates a draft. */
export function creationOf(draft: CodeDraft): Schemas['NewQrCode'] {
  const { type, isStatic, useDisplayPage, title, domain, key, folderId, tagIds, look } = draft;
  return {
    type,
    [type]: toValue(type, contentOf(draft)),
    static: isStatic,
    useDisplayPage,
    ...(title !== '' && { title }),
    ...(domain !== '' && { domain }),
    ...(key !== '' && { key }),
    ...(folderId !== '' && { folderId }),
    ...(tagIds.length > 0 && { tagIds: [...tagIds] }),
    ...fieldsOf(look),
  } as Schemas['NewQrCode'];
}

/** The body that changes what differs between two drafts; empty when nothing does. */
export function changesOf(before: CodeDraft, after: CodeDraft): Schemas['QrCodeUpdate'] {
  const differs = (one: unknown, other: unknown) => JSON.stringify(one) !== JSON.stringify(other);
  const { type } = after;
  const hasContent = type !== before.type || differs(contentOf(before), contentOf(after));
  return {
    ...(hasContent && { type, [type]: toValue(type, contentOf(after)) }),
    ...(after.useDisplayPage !== before.useDisplayPage && {
      useDisplayPage: after.useDisplayPage,
    }),
    ...(after.title !== before.title && { title: after.title === '' ? null : after.title }),
    ...(after.folderId !== before.folderId && {
      folderId: after.folderId === '' ? null : after.folderId,
    }),
    ...(differs(before.tagIds, after.tagIds) && { tagIds: [...after.tagIds] }),
    ...changedFields(before.look, after.look),
  } as Schemas['QrCodeUpdate'];
}
