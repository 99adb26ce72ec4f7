/*
 * Types of Shlink's SDK that tests use. Its own types refer to files without extensions, which
 * Node's resolution does not find.
 */

declare module '@shlinkio/shlink-js-sdk/api-contract' {
  export const ErrorType: Record<
    | 'INVALID_ARGUMENT'
    | 'DOMAIN_NOT_FOUND'
    | 'INVALID_SLUG'
    | 'INVALID_SHORTCODE'
    | 'TAG_CONFLICT'
    | 'TAG_NOT_FOUND'
    | 'MERCURE_NOT_CONFIGURED'
    | 'INVALID_AUTHORIZATION'
    | 'INVALID_API_KEY'
    | 'NOT_FOUND',
    string
  >;
  export interface ProblemDetailsError {
    type: string;
    detail: string;
    title: string;
    status: number;
    [member: string]: unknown;
  }
}

declare module '@shlinkio/shlink-js-sdk/fetch' {
  export const FetchHttpClient: new () => object;
}

declare module '@shlinkio/shlink-js-sdk' {
  interface Identifier {
    shortCode: string;
    domain?: string | null;
  }
  interface Pagination {
    currentPage: number;
    pagesCount: number;
    totalItems: number;
  }
  interface Summary {
    total: number;
    nonBots: number;
    bots: number;
  }
  interface Meta {
    validSince: string | null;
    validUntil: string | null;
    maxVisits: number | null;
  }
  interface ShortUrl {
    shortCode: string;
    tags: string[];
    meta: Meta;
    hasRedirectRules: boolean;
  }
  interface ShortUrlData extends Partial<Meta> {
    longUrl?: string;
    title?: string | null;
    tags?: string[];
    crawlable?: boolean;
    forwardQuery?: boolean;
  }
  interface Rule {
    longUrl: string;
    conditions: { type: string; matchKey: string | null; matchValue: string | null }[];
  }
  interface Rules {
    defaultLongUrl: string;
    redirectRules: (Rule & { priority: number })[];
  }
  interface VisitsQuery {
    page?: number;
    itemsPerPage?: number;
    startDate?: string;
    endDate?: string;
    domain?: string;
    type?: string;
  }
  interface Visits {
    data: object[];
    pagination: Pagination;
  }
  interface Redirects {
    baseUrlRedirect?: string | null;
    regular404Redirect?: string | null;
    invalidShortUrlRedirect?: string | null;
  }

  export class ShlinkApiClient {
    constructor(client: object, server: { baseUrl: string; apiKey: string });
    listShortUrls(query?: {
      page?: string;
      itemsPerPage?: number;
      searchTerm?: string;
      domain?: string;
      tags?: string[];
      tagsMode?: 'all' | 'any';
      excludeTags?: string[];
      excludeTagsMode?: 'any' | 'all';
      excludeMaxVisitsReached?: boolean;
      excludePastValidUntil?: boolean;
      startDate?: string;
      orderBy?: { field: string; dir: 'ASC' | 'DESC' };
    }): Promise<{ data: ShortUrl[]; pagination: Pagination }>;
    createShortUrl(
      data: ShortUrlData & {
        longUrl: string;
        customSlug?: string;
        shortCodeLength?: number;
        findIfExists?: boolean;
      },
    ): Promise<ShortUrl>;
    getShortUrl(id: Identifier): Promise<ShortUrl>;
    deleteShortUrl(id: Identifier): Promise<void>;
    updateShortUrl(id: Identifier, data: ShortUrlData): Promise<ShortUrl>;
    getShortUrlRedirectRules(id: Identifier): Promise<Rules>;
    setShortUrlRedirectRules(id: Identifier, rules: { redirectRules: Rule[] }): Promise<Rules>;
    getVisitsOverview(): Promise<{ nonOrphanVisits: Summary; orphanVisits: Summary }>;
    getShortUrlVisits(id: Identifier, query?: VisitsQuery): Promise<Visits>;
    getTagVisits(tag: string, query?: VisitsQuery): Promise<Visits>;
    getDomainVisits(domain: string, query?: VisitsQuery): Promise<Visits>;
    getOrphanVisits(query?: VisitsQuery): Promise<Visits>;
    getNonOrphanVisits(query?: VisitsQuery): Promise<Visits>;
    deleteShortUrlVisits(id: Identifier): Promise<object>;
    deleteOrphanVisits(): Promise<object>;
    listTags(): Promise<{ data: string[] }>;
    tagsStats(): Promise<{ data: object[] }>;
    deleteTags(tags: string[]): Promise<object>;
    editTag(renaming: { oldName: string; newName: string }): Promise<object>;
    listDomains(): Promise<{ data: object[] }>;
    editDomainRedirects(redirects: Redirects & { domain: string }): Promise<Redirects>;
    health(): Promise<object>;
    mercureInfo(): Promise<object>;
  }
}
