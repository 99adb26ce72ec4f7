/** Plans, lowest first. */
export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

const MEBIBYTE = 1024 * 1024;

/** Allowed requests per minute and workspace, by plan. */
export const REQUESTS_PER_MINUTE: Record<Plan, number> = {
  free: 60,
  pro: 600,
  business: 3_000,
  enterprise: 12_000,
};

/** Retention of events by plan, in days; 0: unlimited. Counts are kept without limit. */
export const RETENTION_DAYS: Record<Plan, number> = {
  free: 30,
  pro: 365,
  business: 1_095,
  enterprise: 0,
};

/** Maximum number of rows of an import of links, by plan. */
export const IMPORT_ROWS: Record<Plan, number> = {
  free: 1_000,
  pro: 50_000,
  business: 500_000,
  enterprise: 500_000,
};

/** Maximum unpacked size of an import of a workspace, in bytes, by plan. */
export const IMPORT_BYTES: Record<Plan, number> = {
  free: 256 * MEBIBYTE,
  pro: 2_048 * MEBIBYTE,
  business: 2_048 * MEBIBYTE,
  enterprise: 2_048 * MEBIBYTE,
};

/** Maximum size of all stored files of QR codes of a workspace, in bytes, by plan. */
export const FILE_BYTES: Record<Plan, number> = {
  free: 50 * MEBIBYTE,
  pro: 2_048 * MEBIBYTE,
  business: 10_240 * MEBIBYTE,
  enterprise: 51_200 * MEBIBYTE,
};

/** Maximum size of all stored exports of a workspace, in bytes, by plan. Each is kept for a day. */
export const EXPORT_BYTES: Record<Plan, number> = {
  free: 1_024 * MEBIBYTE,
  pro: 4_096 * MEBIBYTE,
  business: 16_384 * MEBIBYTE,
  enterprise: 32_768 * MEBIBYTE,
};

/** True if `plan` includes `needed`. */
export function includesPlan(plan: Plan, needed: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(needed);
}
