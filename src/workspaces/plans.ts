/** Plans, lowest first. */
export const PLANS = ['free', 'pro', 'business', 'enterprise'] as const;
export type Plan = (typeof PLANS)[number];

/** Requests a minute that a plan allows a workspace. */
export const REQUESTS_PER_MINUTE: Record<Plan, number> = {
  free: 60,
  pro: 600,
  business: 3_000,
  enterprise: 12_000,
};

/** How long a plan keeps events, in days; 0: for ever. Counts are kept for ever. */
export const RETENTION_DAYS: Record<Plan, number> = {
  free: 30,
  pro: 365,
  business: 1_095,
  enterprise: 0,
};

/** Whether `plan` has what `needed` has. */
export function includesPlan(plan: Plan, needed: Plan): boolean {
  return PLANS.indexOf(plan) >= PLANS.indexOf(needed);
}
