/**
 * A value of JSON as text in one form: members sorted by name, absent ones left out. Two values have the same text
 * exactly where they are equal, whatever the order in which their members were written.
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
