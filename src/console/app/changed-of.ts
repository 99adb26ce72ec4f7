/**
 * Returns the fields of a form or a body that differ from those before. Fields that are not among
 * those before are left out: input that an older version of the console kept can have them.
 */
export function changedOf<T extends object>(draft: T, before: T): Partial<T> {
  const fields = Object.entries(draft).filter(([name, value]) => {
    const earlier: unknown = before[name as keyof T];
    return name in before && value !== earlier && JSON.stringify(value) !== JSON.stringify(earlier);
  });
  return Object.fromEntries(fields) as Partial<T>;
}
