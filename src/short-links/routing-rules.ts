import { dateTime, Joi, list, text, timezone } from '../http/fields.ts';
import type { Conditions, RuleEntry } from '../lookup/entry.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import { destination } from './url-field.ts';

/** Maximum number of rules of a record. */
const MAX_RULES = 100;
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];
const DEVICES = ['desktop', 'mobile', 'tablet', 'smarttv', 'console', 'wearable', 'embedded'];

/** Conditions in a request body: in any letter case, with times as texts. */
export interface RuleConditions extends Omit<Conditions, 'from' | 'until' | 'time'> {
  /** ISO 8601. */
  from?: string;
  until?: string;
  /** Times of day such as 09:30, on certain days of the week if `days` is set. */
  time?: { from: string; to: string; days?: string[]; timezone: string };
}

/** A destination for visitors who match a condition. */
export interface Rule {
  /**
   * Conditions, or the text that any one trait of the visitor must equal: a country, a city, a
   * device, …
   */
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
      .valid(...COUNTRY_CODES)
      .meta({ name: 'CountryCode' }),
  )
    .min(1)
    .description('Countries: ISO 3166-1 alpha-2, or XK.'),
  city: traits().description('Cities.'),
  device: list(
    Joi.string()
      .lowercase()
      .valid(...DEVICES),
  )
    .min(1)
    .description('Types of device.'),
  os: traits().description('Operating systems.'),
  browser: traits().description('Browsers.'),
  language: list(
    text(35).pattern(/^[a-z]{2,8}(-[a-z0-9]{1,8})*$/i, { name: 'a language such as pt-BR' }),
  )
    .min(1)
    .description('Preferred languages of the visitor; `de` also matches `de-AT`.'),
  query: Joi.object()
    .pattern(
      text(200),
      Joi.alternatives(
        Joi.valid(true),
        Joi.array().items(Joi.string().allow('').max(1_000)).min(1).max(100).single(),
      ),
    )
    .min(1)
    .description('Parameters of the visitor’s query: a value, several, or true for any value.'),
  from: dateTime().description('First moment that matches.'),
  until: dateTime().description('First moment that no longer matches.'),
  time: Joi.object({
    from: clock().required().description('Start, such as 09:30.').example('09:00'),
    to: clock()
      .required()
      .description('End. If it is not after `from`, it is on the next day.')
      .example('17:00'),
    days: list(
      Joi.string()
        .lowercase()
        .valid(...DAYS),
    )
      .min(1)
      .description('Days of the week on which it starts. Default: all.'),
    timezone: timezone().description('IANA time zone.'),
  })
    .description('Time of day.')
    .meta({ name: 'TimeWindow' }),
})
  .meta({ name: 'RuleConditions' })
  .min(1)
  .custom((value: RuleConditions, { error }) =>
    value.from !== undefined && value.until !== undefined && value.from >= value.until
      ? error('rule', { rule: 'must have a from that is before its until' })
      : value,
  );

/** Schema of the rules of a link or QR code in a request body. */
export const rulesField = () =>
  Joi.array<Rule[]>()
    .items(
      Joi.object<Rule>({
        value: Joi.alternatives()
          .conditional(Joi.string(), { then: text(1_000), otherwise: conditions })
          .required()
          .description(
            'Conditions that must all match, or a text that equals one trait of the visitor.',
          ),
        url: destination().required().description('Destination URL.'),
      }).meta({ name: 'NewRule' }),
    )
    .max(MAX_RULES)
    .allow(null);

/**
 * Builds a rule for the redirect process.
 *
 * @param url the destination of the rule, with the record's UTM parameters
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
      days: days?.map((day) => DAYS.indexOf(day)),
      timezone: time.timezone,
    };
  }
  return { when, url };
}

function minutesOf(clock: string): number {
  const [hours, minutes] = clock.split(':');
  return Number(hours) * 60 + Number(minutes);
}
