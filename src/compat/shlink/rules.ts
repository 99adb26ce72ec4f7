import { ok } from '../../http/answer.ts';
import { type Fields, fieldsOf, type LinkRecord, type PeerRoute } from '../peer.ts';
import { invalid, Problem } from './problem.ts';
import { findShortUrl } from './short-url.ts';

/** A condition of Shlink. */
interface Condition {
  type: string;
  matchKey: string | null;
  matchValue: string | null;
}

/** Conditions of a rule of ours, as far as Shlink has them. */
type When = Record<string, unknown>;

/** Systems and browsers as Shlink names them, with the names that they have here. */
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

/** Lists of texts of our conditions, and the type that each has at Shlink. */
const TEXTS = {
  country: 'geolocation-country-code',
  city: 'geolocation-city-name',
  language: 'language',
} as const;

/** Lists of names of our conditions, and the names that each has at Shlink. */
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
    async answer(request, ask) {
      return ok(answerOf((await findShortUrl(request, ask)).link));
    },
  },
  {
    method: 'post',
    path: '/short-urls/{shortCode}/redirect-rules',
    operation: 'updateLink',
    takes: 'json',
    async answer(request, ask) {
      const { link } = await findShortUrl(request, ask);
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
      const { body } = await ask<LinkRecord>('updateLink', {
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

/** The conditions of a rule of ours, once for each combination of its values; `undefined` where Shlink has no such. */
function toConditions(value: unknown): Condition[][] | undefined {
  if (typeof value === 'string') return undefined;
  const choices: Condition[][] = [];
  for (const [name, values] of Object.entries(fieldsOf(value))) {
    const conditions = toCondition(name, values);
    if (conditions === undefined) return undefined;
    choices.push(...conditions);
  }
  const all = choices.reduce((count, { length }) => count * length, 1);
  if (all > MOST_RULES) return undefined;
  return choices.reduce<Condition[][]>(
    (rules, choice) => rules.flatMap((rule) => choice.map((condition) => [...rule, condition])),
    [[]],
  );
}

/** Most rules of Shlink that one of ours is shown as. */
const MOST_RULES = 100;

/** The choices that a condition of ours leaves: all must be met, each by one of its conditions. */
function toCondition(name: string, values: unknown): Condition[][] | undefined {
  if (name === 'from' || name === 'until') {
    const type = name === 'from' ? 'after-date' : 'before-date';
    return [[{ type, matchKey: null, matchValue: String(values) }]];
  }
  if (name === 'query') {
    return Object.entries(fieldsOf(values)).map(([matchKey, wanted]) =>
      wanted === true
        ? [{ type: 'any-value-query-param', matchKey, matchValue: null }]
        : (wanted as string[]).map((matchValue) => ({ type: 'query-param', matchKey, matchValue })),
    );
  }
  const texts = Array.isArray(values) ? (values as string[]) : [];
  const type = TEXTS[name as keyof typeof TEXTS];
  if (type !== undefined) {
    return [texts.map((matchValue) => ({ type, matchKey: null, matchValue }))];
  }
  const named = NAMES[name as keyof typeof NAMES];
  if (named === undefined) return undefined;
  const found = texts.map((text) => {
    const own = text.toLowerCase();
    return Object.keys(named.names).find((key) =>
      named.names[key]!.some((one) => one.toLowerCase() === own),
    );
  });
  if (found.includes(undefined)) return undefined;
  return [
    [...new Set(found)].map((matchValue) => ({
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
    for (const [name, wanted] of Object.entries(fromCondition(fieldsOf(condition)))) {
      const before = value[name];
      if (name === 'query' && before !== undefined) {
        value[name] = { ...(before as object), ...(wanted as object) };
      } else if (before === undefined) value[name] = wanted;
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
    const own = type === shlink && Object.hasOwn(names, value) ? names[value] : undefined;
    if (own !== undefined) return { [name]: own };
  }
  throw invalid('conditions', `must not be of the type ${JSON.stringify(type)} with "${value}"`);
}
