import { mapAccepted, Refusal } from '../errors.ts';
import { UTM_FIELDS } from '../events/utm.ts';
import { type UtmRules, utmFaults } from '../workspaces/utm-rules.ts';
import type { ShortLinkRow } from './model.ts';

type Row = ShortLinkRow & { url?: string | null };

/** Other destinations, such as those of apps, have no UTM parameters. */
const hasUtm = ({ url }: Row): boolean => /^https?:/i.test(url ?? '');

/**
 * Checks the UTM parameters of a destination by the rules of the workspace.
 *
 * @param before the row before a change: only parameters that the change alters are checked
 * @returns the refusal naming every parameter and the rule that it breaks; `undefined` if none does
 */
export function utmRefusal(row: Row, rules: UtmRules | null, before?: Row): Refusal | undefined {
  if (rules === null || !hasUtm(row)) return undefined;
  const checked = before !== undefined && hasUtm(before) ? before : undefined;
  const faults = UTM_FIELDS.filter((name) => checked?.[name] !== row[name]).flatMap((name) =>
    utmFaults(row[name], name, rules).map((rule) => `${name} ${rule}`),
  );
  return faults.length === 0 ? undefined : new Refusal('unprocessable_entity', faults.join('; '));
}

/** Returns drafts, with a refusal in place of each that breaks a rule. */
export const refuseUtmOf = <One extends { row: Row }>(
  drafts: readonly (One | Refusal)[],
  rules: UtmRules | null,
): (One | Refusal)[] => mapAccepted(drafts, (draft) => utmRefusal(draft.row, rules) ?? draft);

/** @throws Refusal as {@link utmRefusal} */
export function refuseUtm(row: Row, rules: UtmRules | null, before?: Row): void {
  const refusal = utmRefusal(row, rules, before);
  if (refusal !== undefined) throw refusal;
}
