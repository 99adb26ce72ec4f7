import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { nameOfCountry } from '../analytics/names.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery, tagsQuery } from '../labels/queries.ts';
import { pagesQuery } from '../pages/queries.ts';
import { nameOfTemplate, templatesQuery } from '../qrcodes/templates.ts';
import { webhooksQuery } from '../webhooks/queries.ts';
import type { ChangeNames, Reference } from './change-words.ts';
import { ALL_FIELDS, type ShortLinkRecord } from './fields.ts';
import type { RecordKind } from './list-kind.ts';

const LABELS = new Map(
  ALL_FIELDS.flatMap(({ name, control }): [string, string][] =>
    control !== undefined && 'label' in control ? [[name, control.label]] : [],
  ),
);

const languages = new Intl.DisplayNames('en', { type: 'language' });

/** Returns a language's name; texts that are no BCP 47 tags stay unchanged. */
function nameOfLanguage(tag: string): string {
  try {
    return languages.of(tag) ?? tag;
  } catch {
    return tag;
  }
}

/** Types of devices within a sentence: "Visitors on a phone go to …". */
const DEVICE_NAMES: Readonly<Record<string, string>> = {
  desktop: 'a desktop',
  mobile: 'a phone',
  tablet: 'a tablet',
  smarttv: 'a TV',
  console: 'a game console',
  wearable: 'a watch or wearable',
  embedded: 'an embedded device',
};
const nameOfDevice = (type: string): string => DEVICE_NAMES[type] ?? type;

/** Names by id of the records of a list, and whether the list has all of them. */
interface NamedList {
  names: ReadonlyMap<string, string>;
  isWhole: boolean;
}

/** Records in the first page of a list, the default of the API. */
const FIRST_RECORDS = 100;

/**
 * Collects the names of a list.
 *
 * @param records absent while they load, and for people who may not read them
 * @param most records of a full page, after which others can follow; absent for lists loaded wholly
 */
const namedList = <Row extends { id: string }>(
  records: readonly Row[] | undefined,
  nameOf: (record: Row, index: number) => string,
  most = Number.POSITIVE_INFINITY,
): NamedList => ({
  names: new Map((records ?? []).map((record, index) => [record.id, nameOf(record, index)])),
  isWhole: records !== undefined && records.length < most,
});

/** Returns the names for sentences about a record: of its values, and of the records it refers to. */
export function useNames(
  { list, visitsInWords }: Pick<RecordKind<never>, 'list' | 'visitsInWords'>,
  { pageId }: Pick<ShortLinkRecord, 'pageId'>,
): ChangeNames {
  const { api, may } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data;
  const tags = useQuery(tagsQuery(api)).data;
  const templates = useQuery({
    ...templatesQuery(api),
    enabled: list === 'qrcodes' && may('qrcodes.read'),
  }).data;
  const pages = useQuery({ ...pagesQuery(api), enabled: may('pages.read') }).data;
  const webhooks = useQuery({ ...webhooksQuery(api), enabled: may('webhooks.read') }).data;
  const [now] = useState(() => Date.now());
  return useMemo(() => {
    const tagList = namedList(tags, ({ name }) => name);
    const lists: Readonly<Record<Reference, NamedList>> = {
      addTagIds: tagList,
      removeTagIds: tagList,
      tagIds: tagList,
      folderId: namedList(folders, ({ name }) => name),
      pageId: namedList(pages, ({ title }) => title, FIRST_RECORDS),
      webhookIds: namedList(webhooks, ({ url }) => url, FIRST_RECORDS),
      templateId: namedList(templates, (_, index) => nameOfTemplate(templates!, index)),
    };
    return {
      country: nameOfCountry,
      device: nameOfDevice,
      language: nameOfLanguage,
      label: (field) => LABELS.get(field),
      record: (field, id) =>
        lists[field].names.get(id) ?? (lists[field].isWhole ? null : undefined),
      page: pageId == null ? undefined : lists.pageId.names.get(pageId),
      visitsInWords,
      now,
    };
  }, [folders, tags, pages, webhooks, templates, pageId, visitsInWords, now]);
}
