import { ok } from '../../http/route.ts';
import { type Fields, fieldsOf, type LinkRecord, type PeerRoute } from '../peer.ts';
import { invalid, Problem } from './problem.ts';
import { findShortUrl } from './short-url.ts';

/** A condition of a Shlink rule. */
interface Condition {
  type: string;
  matchKey: string | null;
  matchValue: string | null;
}

/** Conditions of a routing rule, limited to what Shlink supports. */
type When = Record<string, unknown>;

/** Systems and browsers by Shlink's names, with their names in this API. */
const SYSTEMS: Readonly<Record<string, string[]>> = {
  android: ['Android'],
  ios: ['iOS'],
  windows: ['Windows'],
  macos: ['Mac OS'],
  linux: ['Linux'],
  chromeos: ['Chromium OS'],
};
const BROWSERS: Readonly<Record<string, string[]>> = {
  chrome: ['Chrome'],
  firefox: ['Firefox'],
  edge: ['Edge'],
  safari: ['Safari', 'Mobile Safari'],
  opera: ['Opera', 'Opera Mobi', 'Opera Mini', 'Opera Touch', 'Opera GX'],
  android_browser: ['Android Browser'],
};
const DEVICES: Readonly<Record<string, string[]>> = { mobile: ['mobile'], desktop: ['desktop'] };

/** Conditions with lists of texts, and their types at Shlink. */
const TEXTS = {
  country: 'geolocation-country-code',
  city: 'geolocation-city-name',
  language: 'language',
} as const;

/** Conditions with lists of names, and their names at Shlink. */
const NAMES = {
  os: { type: 'device', names: SYSTEMS },
  device: { type: 'device', names: DEVICES },
  browser: { type: 'browser', names: BROWSERS },
} as const;

export const ruleRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/short-urls/{shortCode}/redirect-rules',
    operation: 'findLink',
    async answer(request, call) {
      return ok(answerOf((await findShortUrl(request, call)).link));
    },
  },
  {
    method: 'post',
    path: '/short-urls/{shortCode}/redirect-rules',
    operation: 'updateLink',
    takes: 'any',
    async answer(request, call) {
      const { link } = await findShortUrl(request, call);
      if (rulesOf(link).some((rule) => toConditions(rule.value) === undefined)) {
        throw new Problem(
          'conflict',
          'conflict',
          'Conflict',
          'The short URL has rules that Shlink’s clients can’t show, and would lose: change them in the console',
        );
      }
      const { redirectRules } = fieldsOf(request.body);
      if (!Array.isArray(redirectRules)) throw invalid('redirectRules', 'must be an array');
      const rules = redirectRules.map((rule) => fromRule(fieldsOf(rule)));
      const { body } = await call<LinkRecord>('updateLink', {
        params: { linkId: link.id },
        body: { rules: rules.length === 0 ? null : rules },
      });
      return ok(answerOf(body));
    },
  },
];

const rulesOf = ({ rules }: LinkRecord) => (rules ?? []) as { value: unknown; url: string }[];

function answerOf(link: LinkRecord) {
  const redirectRules = rulesOf(link)
    .flatMap(({ value, url }) =>
      (toConditions(value) ?? []).map((conditions) => ({ longUrl: url, conditions })),
    )
    .map((rule, index) => ({ ...rule, priority: index + 1 }));
  return { defaultLongUrl: link.url, redirectRules };
}

/**
 * Converts the conditions of a routing rule, once for each combination of its values; `undefined`
 * if Shlink does not support one.
 */
function toConditions(value: unknown): Condition[][] | undefined {
  if (typeof value === 'string') return undefined;
  const choices: Condition[][] = [];
  for (const [name, values] of Object.entries(fieldsOf(value))) {
    const conditions = toCondition(name, values);
    if (conditions === undefined) return undefined;
    choices.push(...conditions);
  }
  const combinations = choices.reduce((count, { length }) => count * length, 1);
  if (combinations > MAX_RULES) return undefined;
  return choices.reduce<Condition[][]>(
    (rules, choice) => rules.flatMap((rule) => choice.map((condition) => [...rule, condition])),
    [[]],
  );
}

/** Maximum number of Shlink rules that one routing rule may become. */
const MAX_RULES = 100;

/** Converts one condition to choices: each must be met, by any of its conditions. */
function toCondition(name: string, values: unknown): Condition[][] | undefined {
  if (name === 'from' || name === 'until') {
    const type = name === 'from' ? 'after-date' : 'before-date';
    return [[{ type, matchKey: null, matchValue: String(values) }]];
  }
  if (name === 'query') {
    return Object.entries(fieldsOf(values)).map(([matchKey, accepted]) =>
      accepted === true
        ? [{ type: 'any-value-query-param', matchKey, matchValue: null }]
        : (accepted as string[]).map((matchValue) => ({
            type: 'query-param',
            matchKey,
            matchValue,
          })),
    );
  }
  const texts = Array.isArray(values) ? (values as string[]) : [];
  const type = TEXTS[name as keyof typeof TEXTS];
  if (type !== undefined) {
    return [texts.map((matchValue) => ({ type, matchKey: null, matchValue }))];
  }
  const named = NAMES[name as keyof typeof NAMES];
  if (named === undefined) return undefined;
  const keys = texts.map((text) => {
    const lowerCase = text.toLowerCase();
    return Object.keys(named.names).find((key) =>
      named.names[key]!.some((candidate) => candidate.toLowerCase() === lowerCase),
    );
  });
  if (keys.includes(undefined)) return undefined;
  return [
    [...new Set(keys)].map((matchValue) => ({
      type: named.type,
      matchKey: null,
      matchValue: matchValue!,
    })),
  ];
}

function fromRule({ longUrl, conditions }: Fields): Fields {
  if (!Array.isArray(conditions)) throw invalid('conditions', 'must be an array');
  const value: When = {};
  for (const condition of conditions) {
    for (const [name, values] of Object.entries(fromCondition(fieldsOf(condition)))) {
      const before = value[name];
      if (name === 'query' && before !== undefined) {
        value[name] = { ...(before as object), ...(values as object) };
      } else if (before === undefined) value[name] = values;
      else throw invalid('conditions', `must not name ${name} twice: no visit could match both`);
    }
  }
  return { url: longUrl, value };
}

function fromCondition({ type, matchKey, matchValue }: Fields): When {
  const key = typeof matchKey === 'string' ? matchKey : '';
  const value = typeof matchValue === 'string' ? matchValue : '';
  for (const [name, shlink] of Object.entries(TEXTS))
    if (type === shlink) return { [name]: [value] };
  if (type === 'query-param') return { query: { [key]: [value] } };
  if (type === 'any-value-query-param') return { query: { [key]: true } };
  if (type === 'after-date') return { from: value };
  if (type === 'before-date') return { until: value };
  for (const [name, { type: shlink, names }] of Object.entries(NAMES)) {
    const translated = type === shlink && Object.hasOwn(names, value) ? names[value] : undefined;
    if (translated !== undefined) return { [name]: translated };
  }
  throw invalid('conditions', `must not be of the type ${JSON.stringify(type)} with "${value}"`);
}
