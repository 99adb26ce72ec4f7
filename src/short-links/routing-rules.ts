import { COUNTRY_CODES } from '../infra/countries.ts';
import { dateTime, Joi, list, text, timezone } from '../infra/fields.ts';
import { destination } from '../links/destination.ts';
import type { Conditions, RuleEntry } from '../lookup/entry.ts';

/** Most rules of one record. */
const MOST_RULES = 100;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DEVICES = ['desktop', 'mobile', 'tablet', 'smarttv', 'console', 'wearable', 'embedded'];

/** What must hold of a visitor, all of it; of several values of one trait, one must fit. */
export interface RuleConditions {
  country?: string[];
  city?: string[];
  device?: string[];
  os?: string[];
  browser?: string[];
  language?: string[];
  query?: Record<string, string[] | true>;
  from?: string;
  until?: string;
  time?: { from: string; to: string; days?: string[]; timezone: string };
}

/** Where visitors are led for whom something holds. */
export interface Rule {
  /** Conditions, or a text that one trait of the visitor must be: a country, a city, a device, … */
  value: string | RuleConditions;
  url: string;
}

const traits = () => list(text(200)).min(1).max(300);
const clock = () =>
  Joi.string().pattern(/^([01]\d|2[0-3]):[0-5]\d$/, { name: 'a time of day such as 09:30' });

const conditions = Joi.object<RuleConditions>({
  country: list(
    Joi.string()
      .uppercase()
      .valid(...COUNTRY_CODES),
  )
    .min(1)
    .description('ISO 3166-1 alpha-2, or XK: an array or `DE,AT`.'),
  city: traits(),
  device: list(
    Joi.string()
      .lowercase()
      .valid(...DEVICES),
  ).min(1),
  os: traits(),
  browser: traits(),
  language: list(
    text(35).pattern(/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i, { name: 'a language such as pt-BR' }),
  )
    .min(1)
    .description('What the visitor likes best to read; `de` also fits `de-AT`.'),
  query: Joi.object()
    .pattern(
      text(200),
      Joi.alternatives(
        Joi.valid(true),
        Joi.array().items(Joi.string().allow('').max(1_000)).min(1).max(100).single(),
      ),
    )
    .min(1)
    .description('Parameters of the visitor’s query: a value, several, or true for any.'),
  from: dateTime(),
  until: dateTime().description('The first moment that does not fit.'),
  time: Joi.object({
    from: clock().required(),
    to: clock()
      .required()
      .description('Where it is not after `from`, the window goes on into the next day.'),
    days: list(
      Joi.string()
        .lowercase()
        .valid(...DAYS),
    )
      .min(1)
      .description('Days on which it begins.'),
    timezone: timezone(),
  }),
})
  .min(1)
  .custom((value: RuleConditions, { error }) =>
    value.from !== undefined && value.until !== undefined && value.from >= value.until
      ? error('rule', { rule: 'must have a from that is before its until' })
      : value,
  );

/** The rules of a link or QR code, as a body has them. */
export const rulesField = () =>
  Joi.array()
    .items(
      Joi.object<Rule>({
        value: Joi.alternatives()
          .conditional(Joi.string(), { then: text(1_000), otherwise: conditions })
          .required(),
        url: destination().required(),
      }),
    )
    .max(MOST_RULES)
    .allow(null)
    .description(
      'Where visitors are led for whom something holds; the first rule that does decides. `value` has conditions ' +
        'that must all hold, or is a text that one trait of the visitor must be: their country, city, device, ' +
        'operating system, browser or language.',
    );

/**
 * A rule as the redirect process reads it.
 *
 * @param url its destination as visitors are led there
 */
export function ruleEntry({ value }: Rule, url: string): RuleEntry {
  if (typeof value === 'string') return { when: value.trim().toLowerCase(), url };
  const { query, from, until, time, ...texts } = value;
  const when: Conditions = Object.fromEntries(
    Object.entries(texts).map(([trait, values]) => [trait, values.map((one) => one.toLowerCase())]),
  );
  if (query !== undefined) when.query = query;
  if (from !== undefined) when.from = Date.parse(from);
  if (until !== undefined) when.until = Date.parse(until);
  if (time !== undefined) {
    const { days } = time;
    when.time = {
      from: minutesOf(time.from),
      to: minutesOf(time.to),
      ...(days === undefined ? {} : { days: days.map((day) => DAYS.indexOf(day)) }),
      timezone: time.timezone,
    };
  }
  return { when, url };
}

function minutesOf(clock: string): number {
  const [hours, minutes] = clock.split(':');
  return Number(hours) * 60 + Number(minutes);
}
