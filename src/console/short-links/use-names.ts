import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { nameOfCountry } from '../analytics/names.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { foldersQuery } from '../labels/queries.ts';
import { pagesQuery } from '../pages/queries.ts';
import { webhooksQuery } from '../webhooks/queries.ts';
import type { ChangeNames } from './change-words.ts';
import { ALL_FIELDS, type ShortLinkRecord } from './fields.ts';
import type { RecordKind } from './list-kind.ts';
import { DEVICES } from './traits.ts';

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

/** Names a type of device within a sentence: "a phone", "an embedded device", "a TV". */
function nameOfDevice(type: string): string {
  const label = DEVICES.find(([value]) => value === type)?.[1] ?? type;
  const name = label === label.toUpperCase() ? label : label.toLowerCase();
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`;
}

/** Returns the names for sentences about a record: of its values, and of the records it refers to. */
export function useNames(
  { visit }: Pick<RecordKind<never>, 'visit'>,
  { pageId }: Pick<ShortLinkRecord, 'pageId'>,
): ChangeNames {
  const { api, may } = useWorkspace();
  const folders = useQuery(foldersQuery(api)).data;
  const pages = useQuery({ ...pagesQuery(api), enabled: may('pages.read') }).data;
  const webhooks = useQuery({ ...webhooksQuery(api), enabled: may('webhooks.read') }).data;
  const [now] = useState(() => Date.now());
  return useMemo(() => {
    const records = new Map<string, string>([
      ...(folders ?? []).map(({ id, name }) => [id, name] as const),
      ...(pages ?? []).map(({ id, title }) => [id, title] as const),
      ...(webhooks ?? []).map(({ id, url }) => [id, url] as const),
    ]);
    return {
      country: nameOfCountry,
      device: nameOfDevice,
      language: nameOfLanguage,
      label: (field) => LABELS.get(field),
      record: (id) => records.get(id),
      page: pageId == null ? undefined : records.get(pageId),
      visit,
      now,
    };
  }, [folders, pages, webhooks, pageId, visit, now]);
}
