import {
  A,
  AGENTS,
  B,
  BRAZIL,
  by,
  C,
  FRANCE,
  FUTURE,
  from,
  GERMANY,
  JAPAN,
  link,
  PAST,
  rule,
  speaking,
  type Topic,
  to,
} from './row.ts';

const ruled = (...values: unknown[]) => link({ rules: values.map((value) => rule(value)) });

/**
 * Finds a time zone in which it is this hour now, and its weekdays, so that a window of hours stays
 * true during the tests.
 */
function zoneAtHour(hour: number) {
  const now = Date.now();
  const behind = (((hour - new Date(now).getUTCHours()) % 24) + 24) % 24;
  const offset = behind > 14 ? behind - 24 : behind;
  const dayAt = (ms: number) =>
    ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'][new Date(ms).getUTCDay()]!;
  const local = now + offset * 3_600_000;
  return {
    // The signs of these zones are inverted: Etc/GMT-2 is ahead of UTC.
    timezone: `Etc/GMT${offset > 0 ? '-' : '+'}${Math.abs(offset)}`,
    yesterday: dayAt(local - 86_400_000),
    today: dayAt(local),
    tomorrow: dayAt(local + 86_400_000),
  };
}

const NOON = zoneAtHour(12);
const LATE = zoneAtHour(22);
const NIGHT = zoneAtHour(1);

const utcClock = (hoursFromNow: number) =>
  new Date(Date.now() + hoursFromNow * 3_600_000).toISOString().slice(11, 16);

export const rules: Topic[] = [
  {
    topic: 'a rule',
    rows: [
      ['matches its country', ruled({ country: ['DE'] }), GERMANY, to(B)],
      ['matches one of its countries', ruled({ country: ['JP', 'DE'] }), GERMANY, to(B)],
      ['matches its countries in one text', ruled({ country: 'jp,de' }), GERMANY, to(B)],
      ['does not match another country', ruled({ country: ['DE'] }), JAPAN, to(A)],
      ['matches its country by IPv6', ruled({ country: ['FR'] }), FRANCE, to(B)],
      [
        'of a country does not match an unknown place',
        ruled({ country: ['DE'] }),
        from('100.64.0.1'),
        to(A),
      ],
      ['matches its city', ruled({ city: ['Berlin'] }), GERMANY, to(B)],
      ['matches its city in any case', ruled({ city: ['SÃO PAULO'] }), BRAZIL, to(B)],
      ['matches its city without accents', ruled({ city: ['sao paulo'] }), BRAZIL, to(B)],
      ['matches its city with other accents', ruled({ city: ['Bérlin'] }), GERMANY, to(B)],
      ['matches its city in a district', ruled({ city: ['berlin'] }), from('198.19.0.1'), to(B)],
      ['of a district matches the city', ruled({ city: ['Berlin (Moabit)'] }), GERMANY, to(B)],
      ['does not match another city', ruled({ city: ['Berlin'] }), JAPAN, to(A)],
      ['matches mobiles', ruled({ device: ['mobile'] }), by(AGENTS.iPhone), to(B)],
      ['matches tablets', ruled({ device: ['tablet'] }), by(AGENTS.androidTablet), to(B)],
      ['matches desktops', ruled({ device: ['desktop'] }), by(AGENTS.windowsEdge), to(B)],
      ['matches televisions', ruled({ device: ['smarttv'] }), by(AGENTS.television), to(B)],
      ['of mobiles does not match tablets', ruled({ device: ['mobile'] }), by(AGENTS.iPad), to(A)],
      [
        'of tablets does not match desktops',
        ruled({ device: ['tablet'] }),
        by(AGENTS.macChrome),
        to(A),
      ],
      ['matches iOS', ruled({ os: ['iOS'] }), by(AGENTS.iPad), to(B)],
      ['matches Android', ruled({ os: ['android'] }), by(AGENTS.androidTablet), to(B)],
      ['matches Windows', ruled({ os: ['Windows'] }), by(AGENTS.windowsFirefox), to(B)],
      ['matches macOS', ruled({ os: ['Mac OS'] }), by(AGENTS.macSafari), to(B)],
      ['matches Linux', ruled({ os: ['Linux'] }), {}, to(B)],
      ['of Windows does not match Linux', ruled({ os: ['Windows'] }), {}, to(A)],
      ['matches Firefox', ruled({ browser: ['firefox'] }), by(AGENTS.linuxFirefox), to(B)],
      ['matches Edge', ruled({ browser: ['Edge'] }), by(AGENTS.windowsEdge), to(B)],
      [
        'of Chrome does not match Edge',
        ruled({ browser: ['Chrome'] }),
        by(AGENTS.windowsEdge),
        to(A),
      ],
      [
        'of Safari does not match Chrome',
        ruled({ browser: ['Safari', 'Mobile Safari'] }),
        by(AGENTS.macChrome),
        to(A),
      ],
      ['matches its language', ruled({ language: ['de'] }), speaking('de'), to(B)],
      [
        'of a language matches its dialects',
        ruled({ language: ['de'] }),
        speaking('de-AT,en;q=0.8'),
        to(B),
      ],
      [
        'of a dialect does not match the language',
        ruled({ language: ['de-AT'] }),
        speaking('de,de-AT;q=0.9'),
        to(A),
      ],
      [
        'of a dialect does not match another',
        ruled({ language: ['de-AT'] }),
        speaking('de-CH'),
        to(A),
      ],
      [
        'of a dialect matches it in any case',
        ruled({ language: ['PT-br'] }),
        speaking('pt-BR'),
        to(B),
      ],
      [
        'of a language does not match one with the same beginning',
        ruled({ language: ['de'] }),
        speaking('del'),
        to(A),
      ],
      [
        'looks at the preferred language only',
        ruled({ language: ['de'] }),
        speaking('en,de;q=0.9'),
        to(A),
      ],
      [
        'finds the preferred language by its weight',
        ruled({ language: ['de'] }),
        speaking('en;q=0.5,de;q=0.9'),
        to(B),
      ],
      [
        'of a language does not match without Accept-Language',
        ruled({ language: ['de'] }),
        {},
        to(A),
      ],
      ['of a language does not match *', ruled({ language: ['de'] }), speaking('*'), to(A)],
      ['matches several languages', ruled({ language: 'fr,ja' }), speaking('ja'), to(B)],
    ],
  },
  {
    topic: 'a rule of query or time',
    rows: [
      [
        'matches its value',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=mail' },
        to(`${B}?src=mail`),
      ],
      [
        'matches a value of its own, not a list',
        ruled({ query: { src: 'mail' } }),
        { path: '/{key}?src=mail' },
        to(`${B}?src=mail`),
      ],
      [
        'matches one of its values',
        ruled({ query: { src: ['mail', 'ad'] } }),
        { path: '/{key}?src=ad' },
        to(`${B}?src=ad`),
      ],
      [
        'does not match another value',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=ad' },
        to(`${A}?src=ad`),
      ],
      [
        'does not match its value in another case',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=Mail' },
        to(`${A}?src=Mail`),
      ],
      ['does not match without the parameter', ruled({ query: { src: ['mail'] } }), {}, to(A)],
      [
        'matches any value',
        ruled({ query: { ref: true } }),
        { path: '/{key}?ref=7' },
        to(`${B}?ref=7`),
      ],
      [
        'matches any value, even an empty one',
        ruled({ query: { ref: true } }),
        { path: '/{key}?ref' },
        to(`${B}?ref`),
      ],
      [
        'of any value does not match without the parameter',
        ruled({ query: { ref: true } }),
        { path: '/{key}?href=7' },
        to(`${A}?href=7`),
      ],
      [
        'matches all its parameters',
        ruled({ query: { a: ['1'], b: true } }),
        { path: '/{key}?b=2&a=1' },
        to(`${B}?b=2&a=1`),
      ],
      [
        'does not match one of two parameters',
        ruled({ query: { a: ['1'], b: true } }),
        { path: '/{key}?a=1' },
        to(`${A}?a=1`),
      ],
      [
        'reads encoded values',
        ruled({ query: { src: ['café au lait'] } }),
        { path: '/{key}?src=caf%C3%A9+au%20lait' },
        to(`${B}?src=caf%C3%A9+au%20lait`),
      ],
      [
        'reads every value of a parameter',
        ruled({ query: { src: ['mail'] } }),
        { path: '/{key}?src=ad&src=mail' },
        to(`${B}?src=ad&src=mail`),
      ],
      [
        'matches a query that is not passed on',
        link({ forwardQuery: false, rules: [rule({ query: { src: ['mail'] } })] }),
        { path: '/{key}?src=mail' },
        to(B),
      ],
      ['matches after it began', ruled({ from: PAST }), {}, to(B)],
      ['does not match before it begins', ruled({ from: FUTURE }), {}, to(A)],
      ['matches until it ends', ruled({ until: FUTURE }), {}, to(B)],
      ['does not match after it ended', ruled({ until: PAST }), {}, to(A)],
      ['matches between beginning and end', ruled({ from: PAST, until: FUTURE }), {}, to(B)],
      [
        'matches within its hours, in UTC without a zone',
        ruled({ time: { from: utcClock(-2), to: utcClock(2) } }),
        {},
        to(B),
      ],
      [
        'does not match outside its hours',
        ruled({ time: { from: utcClock(2), to: utcClock(4) } }),
        {},
        to(A),
      ],
      [
        'matches within its hours in its zone',
        ruled({ time: { from: '09:00', to: '17:00', timezone: NOON.timezone } }),
        {},
        to(B),
      ],
      [
        'does not match outside its hours in its zone',
        ruled({ time: { from: '14:00', to: '17:00', timezone: NOON.timezone } }),
        {},
        to(A),
      ],
      [
        'matches on its day',
        ruled({
          time: { from: '09:00', to: '17:00', days: [NOON.today], timezone: NOON.timezone },
        }),
        {},
        to(B),
      ],
      [
        'does not match on other days',
        ruled({
          time: {
            from: '09:00',
            to: '17:00',
            days: [NOON.yesterday, NOON.tomorrow],
            timezone: NOON.timezone,
          },
        }),
        {},
        to(A),
      ],
      [
        'across midnight matches in the evening',
        ruled({ time: { from: '20:00', to: '03:00', timezone: LATE.timezone } }),
        {},
        to(B),
      ],
      [
        'across midnight matches in the night',
        ruled({ time: { from: '20:00', to: '03:00', timezone: NIGHT.timezone } }),
        {},
        to(B),
      ],
      [
        'across midnight does not match at noon',
        ruled({ time: { from: '20:00', to: '03:00', timezone: NOON.timezone } }),
        {},
        to(A),
      ],
      [
        'across midnight matches in the evening of its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [LATE.today], timezone: LATE.timezone },
        }),
        {},
        to(B),
      ],
      [
        'across midnight does not match in the evening before its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [LATE.tomorrow], timezone: LATE.timezone },
        }),
        {},
        to(A),
      ],
      [
        'across midnight matches in the night after its day',
        ruled({
          time: { from: '20:00', to: '03:00', days: [NIGHT.yesterday], timezone: NIGHT.timezone },
        }),
        {},
        to(B),
      ],
      [
        'across midnight does not match in the night before its evening',
        ruled({
          time: { from: '20:00', to: '03:00', days: [NIGHT.today], timezone: NIGHT.timezone },
        }),
        {},
        to(A),
      ],
      [
        'from a time to the same time matches all day',
        ruled({ time: { from: '12:00', to: '12:00', timezone: LATE.timezone } }),
        {},
        to(B),
      ],
    ],
  },
  {
    topic: 'rules together',
    rows: [
      [
        'conditions that all match redirect',
        ruled({ country: ['DE'], os: ['iOS'], language: ['de'] }),
        { userAgent: AGENTS.iPhone, headers: { ...GERMANY.headers, 'accept-language': 'de' } },
        to(B),
      ],
      [
        'conditions of which one does not match are ignored',
        ruled({ country: ['DE'], os: ['iOS'] }),
        GERMANY,
        to(A),
      ],
      [
        'conditions of which the time does not match are ignored',
        ruled({ country: ['DE'], until: PAST }),
        GERMANY,
        to(A),
      ],
      [
        'conditions of which the query does not match are ignored',
        ruled({ country: ['DE'], query: { x: true } }),
        GERMANY,
        to(A),
      ],
      [
        'the first match is used',
        link({ rules: [rule({ country: ['DE'] }, B), rule({ os: ['Linux'] }, C)] }),
        GERMANY,
        to(B),
      ],
      [
        'another order gives another match',
        link({ rules: [rule({ os: ['Linux'] }, C), rule({ country: ['DE'] }, B)] }),
        GERMANY,
        to(C),
      ],
      [
        'those that do not match are skipped',
        link({ rules: [rule({ country: ['JP'] }, B), rule({ os: ['Linux'] }, C)] }),
        GERMANY,
        to(C),
      ],
      [
        'without a match the target of the country is used',
        link({ rules: [rule({ os: ['iOS'] })], geo: { DE: C } }),
        GERMANY,
        to(C),
      ],
      ['an empty list equals none', link({ rules: [] }), {}, to(A)],
      ['a text matches the country', ruled('DE'), GERMANY, to(B)],
      ['a text matches the country in any case', ruled(' de '), GERMANY, to(B)],
      [
        'a text of two letters matches the language too',
        ruled('de'),
        { headers: { ...JAPAN.headers, 'accept-language': 'de-AT' } },
        to(B),
      ],
      ['a text matches the dialect', ruled('pt-BR'), speaking('pt-BR'), to(B)],
      ['a text of a dialect does not match the language', ruled('pt-BR'), speaking('pt'), to(A)],
      ['a text matches the system', ruled('ios'), by(AGENTS.iPhone), to(B)],
      ['a text of another system matches nothing', ruled('android'), by(AGENTS.iPhone), to(A)],
      ['a text matches the city', ruled('Berlin'), GERMANY, to(B)],
      ['a text matches the city without accents', ruled('Sao Paulo'), BRAZIL, to(B)],
      ['a text of a district matches the city', ruled('Berlin (Moabit)'), GERMANY, to(B)],
      ['a text matches the browser', ruled('Chrome'), {}, to(B)],
      ['a text matches the device', ruled('tablet'), by(AGENTS.iPad), to(B)],
      ['a text that is only part of a trait matches nothing', ruled('Berl'), GERMANY, to(A)],
      [
        'a rule redirects to an app',
        link({ rules: [rule('ios', 'myapp://open')] }),
        by(AGENTS.iPhone),
        to('myapp://open'),
      ],
      [
        'a rule redirects with its fragment',
        link({ rules: [rule('DE', `${B}#part`)] }),
        { path: '/{key}?x=1', ...GERMANY },
        to(`${B}?x=1#part`),
      ],
    ],
  },
];
