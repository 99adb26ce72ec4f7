import type { CustomValidator } from 'joi';
import type { RefusalData } from '../errors.ts';
import { futureDateTime, Joi, oneOf, requiredText, requiredTime } from '../http/fields.ts';
import type { SharedChanges } from './fields.ts';
import { authorRecord, toAuthor } from './history-record.ts';

const DAY_MS = 86_400_000;
/** Maximum time until a scheduled change, in days. */
const MAX_DAYS = 366;

/** States of a scheduled change; an applied one is an entry of the history. */
export const SCHEDULED_STATES = ['pending', 'failed'] as const;

export type ScheduledState = (typeof SCHEDULED_STATES)[number];

const notTooFar: CustomValidator<string> = (at, { error }) =>
  Date.parse(at) - Date.now() <= MAX_DAYS * DAY_MS
    ? at
    : error('rule', { rule: `must be at most ${MAX_DAYS} days from now` });

const notAlone: CustomValidator<string> = (at, { error, state }) => {
  const [body] = state.ancestors as [object];
  return Object.keys(body).length > 1
    ? at
    : error('rule', { rule: 'must be set together with the fields to change' });
};

/** The rule that `expiresAt` is in the future holds at the time of the change. */
const beforeExpiry: CustomValidator<string> = (at, { error, state }) => {
  const [{ expiresAt }] = state.ancestors as [{ expiresAt?: unknown }];
  return typeof expiresAt === 'string' && Date.parse(expiresAt) <= Date.parse(at)
    ? error('rule', { rule: 'must be before expiresAt' })
    : at;
};

/** Schema of the time of a change in its body. It follows the fields to change. */
export const scheduledTime = () =>
  futureDateTime()
    .custom(notTooFar)
    .custom(notAlone)
    .custom(beforeExpiry)
    .description(
      `Time of the change, at most ${MAX_DAYS} days from now (ISO 8601, UTC without a zone). The change is ` +
        'validated and stored at once, and applied at this time. It must be before a new `expiresAt`. ' +
        'Default: now.',
    )
    .example('2026-12-01T08:00:00.000Z')
    .meta({ extension: true });

/** A scheduled change with the name of its author. */
export interface ScheduledRow<Changes = unknown> {
  id: string;
  record_id: string;
  at: Date;
  created_at: Date;
  user_id: string | null;
  user_name: string | null;
  api_key_id: string | null;
  changes: Changes;
  /** Sealed. */
  password: string | null;
  failed_at: Date | null;
  error: Pick<RefusalData, 'code' | 'message'> | null;
}

/** The public record of a scheduled change. */
export interface ScheduledChange {
  id: string;
  recordId: string;
  at: string;
  status: ScheduledState;
  createdAt: string;
  actor: ReturnType<typeof toAuthor>;
  changes: object;
  failedAt?: string | undefined;
  error?: ScheduledRow['error'] | undefined;
}

/** Converts a row to its public record. @param changes the fields to show */
export const toScheduled = (row: ScheduledRow, changes: object): ScheduledChange => ({
  id: row.id,
  recordId: row.record_id,
  at: row.at.toISOString(),
  status: row.failed_at === null ? 'pending' : 'failed',
  createdAt: row.created_at.toISOString(),
  actor: toAuthor(row),
  changes: row.password === null ? changes : { ...changes, hasPassword: true },
  failedAt: row.failed_at?.toISOString(),
  error: row.error ?? undefined,
});

/** Converts changes of shared fields to the fields of a body, without a password. */
export function toSharedBody({
  tags,
  password,
  frameable: _,
  ...fields
}: SharedChanges): Record<string, unknown> {
  const body: Record<string, unknown> = { ...fields };
  // Other passwords are stored apart.
  if (password === null) body['hasPassword'] = false;
  if (tags === undefined) return body;
  const { ids, names, removed } = tags;
  if (removed !== undefined) return { ...body, addTagIds: ids, removeTagIds: removed };
  return { ...body, tagIds: ids, ...(names.length === 0 ? {} : { tagNames: names }) };
}

/** Schema of the record, for the reference and for checking answers. */
export const scheduledChangeRecord = Joi.object({
  id: requiredText.description('Id of the scheduled change.').example('sch_0Qa2wSx4Ed'),
  recordId: requiredText.description('Id of the link or QR code.').example('link_4Jx2vQ0aTq'),
  at: requiredTime.description('Time at which the change is applied.'),
  status: oneOf(SCHEDULED_STATES)
    .required()
    .description('`pending`: not applied yet; `failed`: it could not be applied, see `error`.')
    .example('pending'),
  createdAt: requiredTime.description('Time at which the change was scheduled.'),
  actor: authorRecord('Author of the change; null for the service itself.'),
  changes: Joi.object()
    .pattern(Joi.string(), Joi.any())
    .required()
    .description(
      'Fields to change by name. `hasPassword` stands for `password`. Empty once the record was ' +
        'deleted for good.',
    )
    .example({ url: 'https://example.com/autumn' }),
  failedAt: Joi.string()
    .isoDate()
    .description('Time at which the change could not be applied; only when `failed`.'),
  error: Joi.object({
    code: requiredText.description('Name of the error.').example('conflict'),
    message: requiredText
      .description('Explanation for a person.')
      .example('The key "spring" is taken on its domain'),
  }).description('Reason why the change was not applied; only when `failed`.'),
}).meta({ name: 'ScheduledChange' });
