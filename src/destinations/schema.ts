import { dateTime, Joi, nameText, oneOf, paging, text } from '../http/fields.ts';
import { type WebhookFilter, webhookFilter } from '../webhooks/filter.ts';
import type { Paging } from '../workspaces/lists.ts';
import { DESTINATION_TYPES, type DestinationType, kindOf } from './kinds.ts';

/** Body of a new destination. */
export interface NewDestination {
  type: DestinationType;
  name: string;
  settings: Record<string, unknown>;
  secret?: string | undefined;
  filter?: WebhookFilter | null | undefined;
}

/** Body of an update, with the fields to change. */
export interface DestinationChanges {
  name?: string | undefined;
  settings?: Record<string, unknown> | undefined;
  secret?: string | null | undefined;
  filter?: WebhookFilter | null | undefined;
  status?: 'active' | 'paused' | undefined;
}

/** The period of a backfill. */
export interface Period {
  start: string;
  end: string;
}

/** Description of the field `filter`. */
export const FILTER_MEANING =
  'Visits, leads, sales and refunds that it gets; null: all, except visits of suspects unless the ' +
  'workspace has `countSuspects`.';

const MAX_SECRET = 500;

const fields = {
  name: nameText(100).description('Name, at most 100 characters.').example('Web analytics'),
  secret: text(MAX_SECRET)
    .trim()
    .description(
      'Secret of the receiver: `token_auth` of Matomo, API secret of a data stream of Google ' +
        'Analytics, password of Redis. Others have none. No response has it.',
    )
    .example('c29tZSBzZWNyZXQ'),
  filter: webhookFilter.description(FILTER_MEANING),
};

/** Schema of settings, by the field `type`; an unknown type is an error of that field alone. */
function settingsByType() {
  const [last, ...others] = DESTINATION_TYPES.toReversed() as [DestinationType];
  const rules = (others as DestinationType[])
    .toReversed()
    .reduce(
      (chosen, type) => chosen.conditional('type', { is: type, then: kindOf(type).settings }),
      Joi.alternatives(),
    );
  const otherwise = Joi.object().unknown().max(20);
  return rules.conditional('type', { is: last, then: kindOf(last).settings, otherwise });
}

export const newDestinationBody = Joi.object<NewDestination>({
  type: oneOf(DESTINATION_TYPES).required().description('Kind of the receiver.'),
  name: fields.name.required(),
  settings: settingsByType().required().description('Settings of its type.'),
  secret: fields.secret,
  filter: fields.filter,
}).meta({ name: 'NewDestination' });

export const destinationBody = Joi.object<DestinationChanges>({
  name: fields.name,
  settings: Joi.object()
    .unknown()
    .max(20)
    .description('Settings to change, as in `POST /destinations`; others stay as they are.')
    .example({ maxLength: 50_000 }),
  secret: fields.secret
    .allow(null)
    .description('New secret; null removes it. Required with another URL.'),
  filter: fields.filter,
  status: oneOf(['active', 'paused']).description(
    '`paused` lets events wait, for at most seven days; `active` sends them.',
  ),
})
  .min(1)
  .meta({ name: 'DestinationUpdate' });

/** Longest period of a backfill, in days. */
const MAX_DAYS = 31;
const DAY_MS = 86_400_000;

export const backfillBody = Joi.object<Period>({
  start: dateTime()
    .required()
    .description('Sends events that occurred at this time or later.')
    .example('2026-01-01T00:00:00Z'),
  end: dateTime()
    .required()
    .custom((end: string, { error, state }) => {
      if (Date.parse(end) > Date.now()) return error('rule', { rule: 'must not be in the future' });
      const [{ start }] = state.ancestors as [Period];
      const ms = Date.parse(end) - Date.parse(start);
      if (ms > 0 && ms <= MAX_DAYS * DAY_MS) return end;
      return error('rule', { rule: `must be after start, by at most ${MAX_DAYS} days` });
    })
    .description(`Sends events that occurred before this time, at most ${MAX_DAYS} days later.`)
    .example('2026-02-01T00:00:00Z'),
}).meta({ name: 'BackfillRequest' });

export const destinationListQuery = Joi.object<Paging>(paging(100));
export const destinationParams = Joi.object<{ id: string }>({
  id: text(60).required().description('Id of the destination.'),
});
