import { Refusal } from '../errors.ts';
import { normalize } from '../infra/normalize.ts';
import { unseal } from '../infra/seal.ts';
import { passwordFingerprints } from '../infra/secrets.ts';
import type { BodyOf, ColumnsOf, FieldTable } from './field.ts';
import { fields, type SharedChanges } from './fields.ts';
import type { ShortLinkRow } from './model.ts';
import { applyTest } from './test-variants.ts';

/** Applies changes to a row. An absent field stays, `null` clears it. */
export function applyFields<Table extends FieldTable, Row extends ColumnsOf<Table>>(
  table: Table,
  row: Row,
  changes: BodyOf<Table>,
): Row {
  const next = { ...row };
  for (const [name, value] of Object.entries<unknown>(changes)) {
    const { in: schema, column, read, isTime } = table[name] ?? {};
    if (schema === undefined || column === undefined || read !== undefined) continue;
    if (value === undefined) continue;
    (next as Record<string, unknown>)[column] =
      isTime && typeof value === 'string' ? new Date(value) : value;
  }
  return next;
}

/**
 * Applies changes to the shared fields of a row. An absent field stays, `null` clears it.
 *
 * @throws Refusal `unprocessable_entity` if the record would end before it begins, or if the fields
 *   of its test contradict each other
 */
export function applySharedChanges<Row extends ShortLinkRow>(
  row: Row,
  changes: SharedChanges,
): Row {
  const next = applyFields(fields, row, changes);
  if (changes.frameable !== undefined) next.frameable = changes.frameable;
  refuseReversedTimes(next);
  applyTest(row, next, changes);
  if (changes.password !== undefined) {
    next.password_fingerprint =
      changes.password === null ? null : passwordFingerprint(row.project_id, changes.password);
  }
  return next;
}

/** @throws Refusal `unprocessable_entity` if the record would end before it begins */
export function refuseReversedTimes({ starts_at, expires_at }: ShortLinkRow): void {
  if (starts_at === null || expires_at === null || starts_at < expires_at) return;
  throw new Refusal('unprocessable_entity', 'startsAt must be before expiresAt');
}

/** The fingerprint of a sealed password, which filters compare. */
export function passwordFingerprint(projectId: string, sealed: string): string {
  const password = unseal({ purpose: 'password', owner: projectId }, sealed);
  return passwordFingerprints(normalize(password, 'NFC'))[0]!;
}
