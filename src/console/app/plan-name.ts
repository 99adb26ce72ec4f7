/** The name of a plan for people: `pro` is "Pro". */
export const planName = (plan: string): string => plan.slice(0, 1).toUpperCase() + plan.slice(1);
