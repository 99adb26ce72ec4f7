/**
 * Writes a JSON value in canonical form: members sorted by name, absent ones left out. Two values
 * have the same text exactly if they are equal, whatever the order of their members.
 */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? sorted(inner) : inner,
  );
}

function sorted(object: object): Record<string, unknown> {
  const entries = Object.entries(object).toSorted(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries);
}
