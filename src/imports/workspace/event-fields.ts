import type JoiTypes from 'joi';
import { Refusal } from '../../errors.ts';
import { COLUMNS, type Column } from '../../events/columns.ts';
import type { EventRow } from '../../events/event.ts';
import { EVENT_KINDS } from '../../events/kinds.ts';
import { Joi } from '../../http/fields.ts';
import { check } from '../../http/input.ts';
import { isStorable } from '../../infra/storable-text.ts';

/*
 * The fields of an event of an archive. There may be millions: texts are compared by hand, and schemas check only what
 * few events have.
 */

/** An event as an archive has it: columns that differ from those of an event of which nothing is known. */
export type ArchivedEvent = Partial<Omit<EventRow, 'project_id' | 'customer_id'>> &
  Pick<EventRow, 'id' | 'event' | 'occurred_at'> & {
    /** External id of the customer. */
    customer?: string;
    /** The link or QR code was deleted before the export. */
    isOfDeleted?: boolean;
  };

const LONGEST = 2_000;
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3,6}Z$/;
/** Earliest time of an event: nothing was counted before. */
const FIRST = Date.UTC(2000, 0);
/** Clocks of two installations may differ, in ms. */
const CLOCKS = 24 * 3_600_000;

const text =
  (longest = LONGEST) =>
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
    .required(),
  rateDate: Joi.string().max(30).allow(null).required(),
});
const metadata = Joi.object().unknown();

const schema = (of: JoiTypes.Schema, name: string) => (value: unknown) => {
  try {
    check(of, value, name);
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
  event: oneOf(EVENT_KINDS),
  via: oneOf(['link', 'qr']),
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

/** Columns that an archive does not have. */
const LEFT: ReadonlySet<string> = new Set(['project_id', 'customer_id']);

function timeFault(value: unknown): string | undefined {
  const ms = typeof value === 'string' && TIME.test(value) ? Date.parse(value) : Number.NaN;
  if (ms >= FIRST && ms <= Date.now() + CLOCKS) return undefined;
  return 'must be a time (ISO 8601, UTC) since the year 2000 and not in the future';
}

/** The field of an event that breaks a rule, with the rule; `undefined` for none. */
export function eventFault(event: Readonly<Record<string, unknown>>): string | undefined {
  for (const name of ['event', 'occurred_at']) {
    if (event[name] === undefined) return `${name} is required`;
  }
  for (const [name, value] of Object.entries(event)) {
    const rule = LEFT.has(name) || !Object.hasOwn(RULES, name) ? undefined : RULES[name];
    if (rule === undefined) return `${name} is not a known field`;
    const fault = rule(value);
    if (fault !== undefined) return `${name} ${fault}`;
  }
  return undefined;
}
