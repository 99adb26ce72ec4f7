/** Plans, lowest first. */
export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

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
  free: 256 * 1024 * 1024,
  pro: 2_048 * 1024 * 1024,
  business: 2_048 * 1024 * 1024,
  enterprise: 2_048 * 1024 * 1024,
};

/** True if `plan` includes `needed`. */
export function includesPlan(plan: Plan, needed: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(needed);
}
