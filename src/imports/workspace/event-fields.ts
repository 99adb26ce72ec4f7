import type JoiTypes from 'joi';
import { Refusal } from '../../errors.ts';
import { COLUMNS, type Column } from '../../events/columns.ts';
import type { EventRow } from '../../events/event.ts';
import { STORED_KINDS } from '../../events/kinds.ts';
import { Joi } from '../../http/fields.ts';
import { check } from '../../http/input.ts';
import { isStorable } from '../../infra/storable-text.ts';

/*
 * Checks the fields of archived events. There may be millions, so texts are compared directly, and
 * schemas check only the fields that few events have.
 */

/** An event in an archive: the columns that differ from the initial event. */
export type ArchivedEvent = Partial<Omit<EventRow, 'project_id' | 'customer_id'>> &
  Pick<EventRow, 'id' | 'event' | 'occurred_at'> & {
    /** External id of the customer. */
    customer?: string;
    /** True if the link or QR code was deleted before the export. */
    isOfDeleted?: boolean;
  };

const MAX_LENGTH = 2_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;
/** Earliest time of an event; the service counted nothing before. */
const EARLIEST_MS = Date.UTC(2000, 0);
/** Tolerated difference between the clocks of two installations, in ms. */
const MAX_CLOCK_SKEW_MS = 24 * 3_600_000;

const text =
  (longest = MAX_LENGTH) =>
  (value: unknown) =>
    typeof value === 'string' && value.length <= longest && isStorable(value)
      ? undefined
      : `must be a text of at most ${longest} characters`;
const idOf = (pattern: RegExp, what: string) => (value: unknown) =>
  typeof value === 'string' && pattern.test(value) ? undefined : `must be the id of ${what}`;
const oneOf = (names: readonly string[]) => (value: unknown) =>
  names.includes(value as string) ? undefined : `must be one of ${names.join(', ')}`;

const sale = Joi.object({
  paymentProcessor: Joi.string().allow('').max(500).required(),
  invoiceId: Joi.string().max(500).allow(null),
  amount: Joi.number().strict().integer().required(),
  currency: Joi.string().max(10).required(),
  rate: Joi.string()
    .max(100)
    .pattern(/^[\d./]+$/)
    .allow(null)
    .required(),
  rateDate: Joi.string().max(30).allow(null).required(),
  refundId: Joi.string().max(500).allow(null),
  decimals: Joi.number().integer().min(0).max(4),
  isFromPage: Joi.valid(true),
});
const metadata = Joi.object().unknown();

const schema = (rule: JoiTypes.Schema, name: string) => (value: unknown) => {
  try {
    check(rule, value, name);
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof Refusal)) throw thrown;
    return `must be as it was exported: ${thrown.message}`;
  }
};

type Rule = (value: unknown) => string | undefined;

const RULES: Readonly<Record<string, Rule>> = {
  ...Object.fromEntries(
    Object.entries<Column>(COLUMNS).map(([name, { longest }]) => [name, text(longest)]),
  ),
  event: oneOf(STORED_KINDS),
  via: oneOf(['link', 'qr']),
  visitor: oneOf(['new']),
  privacy: oneOf(['wanted', 'unknown']),
  occurred_at: timeFault,
  link_id: idOf(/^(?:link|qr)_[\w-]{1,64}$/, 'a link or QR code'),
  page_id: idOf(/^page_[\w-]{1,64}$/, 'a page'),
  click_id: idOf(/^(?:evt|clk)_[\w-]{1,64}$/, 'an event'),
  amount_cents: (value) =>
    Number.isSafeInteger(value) ? undefined : 'must be a whole number of cents',
  sale: schema(sale, 'sale'),
  metadata: schema(metadata, 'metadata'),
  customer: text(500),
  isOfDeleted: (value) => (value === true ? undefined : 'must be true'),
};

/** Columns that archives do not contain. */
const EXCLUDED: ReadonlySet<string> = new Set(['project_id', 'customer_id']);

function timeFault(value: unknown): string | undefined {
  const ms = typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (ms >= EARLIEST_MS && ms <= Date.now() + MAX_CLOCK_SKEW_MS) return undefined;
  return 'must be a time (ISO 8601, UTC) since the year 2000 and not in the future';
}

/**
 * Finds the first event field that violates a rule, and returns it with the rule; `undefined` if
 * all are valid.
 */
export function eventFault(event: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['event', 'occurred_at']) {
    if (event[name] === undefined) return `${name} is required`;
  }
  for (const [name, value] of Object.entries(event)) {
    const rule = EXCLUDED.has(name) || !Object.hasOwn(RULES, name) ? undefined : RULES[name];
    if (rule === undefined) return `${name} is not a known field`;
    const fault = rule(value);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
}
