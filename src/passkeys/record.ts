import { Joi, nullableTime, requiredText, requiredTime } from '../http/fields.ts';

/** A passkey as its owner sees it. */
export interface PasskeyRecord {
  id: string;
  name: string;
  isSynced: boolean;
  createdAt: string;
  lastUsedAt: string | null;
}

/** Columns of a passkey that its record shows. */
export const RECORD_COLUMNS = `id, name, is_synced AS "isSynced", created_at AS "createdAt",
  last_used_at AS "lastUsedAt"`;

/** A row of {@link RECORD_COLUMNS}. */
export interface PasskeyRow extends Pick<PasskeyRecord, 'id' | 'name' | 'isSynced'> {
  createdAt: Date;
  lastUsedAt: Date | null;
}

/** Builds the public record of a passkey. */
export const toRecord = ({ createdAt, lastUsedAt, ...row }: PasskeyRow): PasskeyRecord => ({
  ...row,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

export const passkeyRecord = Joi.object({
  id: requiredText.description('Id of the passkey.').example('pass_4Jx2vQ0aTq'),
  name: requiredText.description('Name.').example('MacBook'),
  isSynced: Joi.boolean()
    .required()
    .description(
      'The passkey is on several devices, for example through an Apple or Google account, or in a ' +
        'password manager. False: it is on one device only.',
    ),
  createdAt: requiredTime.description('Time at which it was added.'),
  lastUsedAt: nullableTime.description('Time of the last sign-in with it; null before the first.'),
}).meta({ name: 'Passkey' });
