import {
  type FetchJson,
  isTrue,
  listOf,
  MAX_RECORDS,
  numberOf,
  type ProviderRecord,
  type ProviderWithApi,
  pageOf,
  remainingVisits,
  tags,
  text,
} from './provider.ts';

/** Short URLs of Shlink, as listed by its API or exported by its web client. */
export const shlink: ProviderWithApi = {
  title: 'Shlink',
  marks: [['shortcode', 'shorturl', 'longurl']],
  fields: [
    'shortLink',
    'url',
    'title',
    'tagNames',
    'createdAt',
    'startsAt',
    'expiresAt',
    'maxVisits',
    'forwardQuery',
    'doIndex',
    'rules',
    'importedClicks',
  ],
  links(record) {
    const meta = (record['meta'] ?? {}) as ProviderRecord;
    const summary = (record['visitssummary'] ?? {}) as ProviderRecord;
    const clicks = text(summary, 'total') ?? text(record, 'visits', 'visitscount');
    const createdAt = text(record, 'datecreated', 'createdat');
    const limited = remainingVisits(text(meta, 'maxVisits'), clicks, createdAt);
    return [
      {
        shortLink: text(record, 'shorturl'),
        url: text(record, 'longurl'),
        title: text(record, 'title'),
        tagNames: tags(record['tags']),
        createdAt,
        startsAt: limited.expiresAt === undefined ? text(meta, 'validSince') : undefined,
        expiresAt: text(meta, 'validUntil'),
        ...limited,
        forwardQuery: 'forwardquery' in record ? isTrue(record, 'forwardquery') : undefined,
        doIndex: 'crawlable' in record ? isTrue(record, 'crawlable') : undefined,
        rules: rulesOf(record['redirectrules']),
        importedClicks: clicks,
      },
    ];
  },
  api: {
    headers: (token) => ({ 'x-api-key': token }),
    async page(fetchJson, cursor) {
      const page = Number(cursor?.['page'] ?? 1);
      const answer = await fetchJson('/rest/v3/short-urls', {
        query: {
          page: String(page),
          itemsPerPage: String(MAX_RECORDS),
          orderBy: 'dateCreated-ASC',
        },
      });
      const { shortUrls } = answer as { shortUrls?: unknown };
      const records = await Promise.all(
        pageOf('Shlink', shortUrls, 'data').map(async (shortUrl) =>
          shortUrl['hasRedirectRules'] === true
            ? { ...shortUrl, redirectRules: await rulesFrom(fetchJson, shortUrl) }
            : shortUrl,
        ),
      );
      const pages = numberOf(shortUrls, 'pagination', 'pagesCount') ?? 0;
      return {
        records,
        next: records.length > 0 && page < pages ? { page: page + 1 } : null,
        total: numberOf(shortUrls, 'pagination', 'totalItems'),
      };
    },
  },
};

async function rulesFrom(
  fetchJson: FetchJson,
  { shortCode, domain }: ProviderRecord,
): Promise<unknown> {
  const code = String(shortCode).split('/').map(encodeURIComponent).join('/');
  const answer = await fetchJson(`/rest/v3/short-urls/${code}/redirect-rules`, {
    query: typeof domain === 'string' ? { domain } : {},
    isOptional: true,
  });
  return listOf(answer ?? null, 'redirectRules');
}

interface Condition {
  type?: string;
  matchKey?: string | null;
  matchValue?: string | null;
}

const SYSTEMS: Readonly<Record<string, string>> = {
  ios: 'iOS',
  android: 'Android',
  windows: 'Windows',
  macos: 'Mac OS',
  linux: 'Linux',
  chromeos: 'Chromium OS',
};
/** Routing conditions by the condition types of Shlink. */
const TRAITS: Readonly<Record<string, string>> = {
  language: 'language',
  'geolocation-country-code': 'country',
  'geolocation-city-name': 'city',
  browser: 'browser',
};

/**
 * Converts redirect rules to routing rules, in order. Rules with an unsupported condition are left
 * out.
 */
function rulesOf(rules: unknown): unknown {
  if (!Array.isArray(rules)) return undefined;
  const supported = rules.flatMap(
    ({ longUrl, conditions }: { longUrl?: string; conditions?: Condition[] }) => {
      const parts = (conditions ?? []).map(conditionOf);
      const names = parts.flatMap((part) => Object.keys(part ?? {}));
      if (parts.length === 0 || parts.includes(undefined) || new Set(names).size < names.length)
        return [];
      return [{ value: Object.assign({}, ...parts) as object, url: longUrl }];
    },
  );
  return supported.length === 0 ? undefined : supported;
}

function conditionOf({ type = '', matchKey, matchValue }: Condition): object | undefined {
  const value = matchValue ?? '';
  const trait = TRAITS[type];
  if (trait !== undefined) return { [trait]: [value] };
  if (type === 'device') {
    const system = SYSTEMS[value];
    if (system !== undefined) return { os: [system] };
    return { device: value === 'mobile' ? ['mobile', 'tablet'] : [value] };
  }
  if (type === 'query-param') return { query: { [matchKey ?? '']: [value] } };
  if (type === 'any-value-query-param') return { query: { [matchKey ?? '']: true } };
  if (type === 'after-date') return { from: value };
  return type === 'before-date' ? { until: value } : undefined;
}
