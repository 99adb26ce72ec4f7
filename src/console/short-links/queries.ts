import { queryOptions } from '@tanstack/react-query';
import { type Api, answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';

/** Records of a page of the lists below, as the API has them by default. */
const PAGE_RECORDS = { tags: 100, folders: 100, domains: 50 };

/** All records of a list, page after page: one that is not full is the last. */
async function everyPage<Record>(
  pageRecords: number,
  load: (page: number) => Promise<Record[]>,
): Promise<Record[]> {
  const records: Record[] = [];
  for (let page = 1; ; page += 1) {
    const found = await load(page);
    records.push(...found);
    if (found.length < pageRecords) return records;
  }
}

/** Everything that links and QR codes are sorted into. */
export const tagsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.tags.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS.tags, (page) =>
        answer(api.GET('/tags', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });

export const foldersQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.folders.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS.folders, (page) =>
        answer(api.GET('/folders', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });

export const domainsQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.domains.list(),
    queryFn: ({ signal }) =>
      everyPage(PAGE_RECORDS.domains, (page) =>
        answer(api.GET('/domains', { params: { query: { page } }, signal })),
      ),
    staleTime: 60_000,
  });

/** Most templates of a workspace. */
const MOST_TEMPLATES = 100;

/** The UTM templates of the workspace, by name. */
export const utmTemplatesQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.utmTemplates.list(),
    queryFn: ({ signal }) =>
      answer(
        api.GET('/utm-templates', { params: { query: { pageSize: MOST_TEMPLATES } }, signal }),
      ),
  });

/** Availability of a slug, with the short link that it makes. @param domain empty: the default domain of the workspace */
export const slugQuery = (api: Api, { domain, key }: { domain: string; key: string }) =>
  queryOptions({
    queryKey: keys.slugs.one(key, domain),
    queryFn: ({ signal }) => {
      const query = { key, ...(domain !== '' && { domain }) };
      return answer(api.GET('/links/availability', { params: { query }, signal }));
    },
    staleTime: 5_000,
  });

/** The settings of the workspace, such as its brand and the domain of links that name none. */
export const workspaceQuery = (api: Api) =>
  queryOptions({
    queryKey: keys.workspace.all,
    queryFn: ({ signal }) => answer(api.GET('/workspace', { signal })),
    staleTime: 60_000,
  });
