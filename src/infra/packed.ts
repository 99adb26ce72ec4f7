/*
 * Lists of records whose members are mostly equal, such as new links: most of their 60 members have
 * default values. Members with the same value in all records are written once.
 */

type Members = Readonly<Record<string, unknown>>;

/** A list in which the common members of its objects are written once. */
export interface Packed {
  common: Record<string, unknown>;
  names: string[];
  /**
   * Values in which each object differs, in the order of the names; an object of another shape is
   * kept whole.
   */
  items: unknown[];
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Finds the common members of objects that have the same members as the first one.
 *
 * @returns all members in order, with null where the objects differ, and the names of those
 */
function findCommon(items: readonly Members[]): Pick<Packed, 'common' | 'names'> {
  const first = items[0] ?? {};
  const common: Record<string, unknown> = {};
  const names: string[] = [];
  for (const name of Object.keys(first)) {
    const value = first[name];
    const isCommon = items.every((item) => item[name] === value);
    common[name] = isCommon ? value : null;
    if (!isCommon) names.push(name);
  }
  return { common, names };
}

/** Splits objects with the same members into their common part and the rest of each. */
export function divide(items: readonly object[]): { common: Members; own: Members[] } {
  const members = items as readonly Members[];
  const { common, names } = findCommon(members);
  const rests = members.map((item) => Object.fromEntries(names.map((name) => [name, item[name]])));
  return { common, own: rests };
}

/** Packs a list; `undefined` if it does not consist of several similar objects. */
export function pack(list: readonly unknown[]): Packed | undefined {
  const first = list.find((item) => isObject(item) && !('error' in item)) as Members | undefined;
  // A list among the items would be confused with packed values.
  if (first === undefined || list.length < 2 || list.some(Array.isArray)) return undefined;
  const memberNames = Object.keys(first);
  const hasShape = (item: unknown): item is Members =>
    isObject(item) &&
    Object.keys(item).length === memberNames.length &&
    memberNames.every((name) => item[name] !== undefined);
  const shaped = list.map(hasShape);
  const { common, names } = findCommon(list.filter((_, at): _ is Members => shaped[at]!));
  const items = list.map((item, at) =>
    shaped[at] ? names.map((name) => (item as Members)[name]) : item,
  );
  return { common, names, items };
}

/** Restores the list from the output of {@link pack}. */
export function unpack({ common, names, items }: Packed): unknown[] {
  return items.map((item) => {
    if (!Array.isArray(item)) return item as unknown;
    const restored = { ...common };
    for (const [at, name] of names.entries()) restored[name] = item[at];
    return restored;
  });
}
