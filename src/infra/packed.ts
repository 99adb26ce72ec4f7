/*
 * Lists of records whose members are mostly the same, such as new links: of 60 members of each, most have their defaults.
 * Members with the same value in all of them are written once.
 */

type Members = Readonly<Record<string, unknown>>;

/** A list with what its objects have in common written once. */
export interface Packed {
  common: Record<string, unknown>;
  names: string[];
  /** Of each object the values that differ, in the order of the names; an object of another shape as it is. */
  items: unknown[];
}

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * The members of objects that have those of the first one.
 *
 * @returns all members in their order, with null where the objects differ, and the names of those
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

/** Divides objects with the same members into what all have in common, and the rest of each. */
export function divide(items: readonly object[]): { common: Members; own: Members[] } {
  const members = items as readonly Members[];
  const { common, names } = findCommon(members);
  const own = members.map((item) => Object.fromEntries(names.map((name) => [name, item[name]])));
  return { common, own };
}

/** Packs a list; `undefined` where it does not consist of several objects that are alike. */
export function pack(list: readonly unknown[]): Packed | undefined {
  const first = list.find((item) => isObject(item) && !('error' in item)) as Members | undefined;
  // A list among the items would be taken for values.
  if (first === undefined || list.length < 2 || list.some(Array.isArray)) return undefined;
  const all = Object.keys(first);
  const hasShape = (item: unknown): item is Members =>
    isObject(item) &&
    Object.keys(item).length === all.length &&
    all.every((name) => item[name] !== undefined);
  const shaped = list.map(hasShape);
  const { common, names } = findCommon(list.filter((_, at): _ is Members => shaped[at]!));
  const items = list.map((item, at) =>
    shaped[at] ? names.map((name) => (item as Members)[name]) : item,
  );
  return { common, names, items };
}

/** The list that {@link pack} was given. */
export function unpack({ common, names, items }: Packed): unknown[] {
  return items.map((item) => {
    if (!Array.isArray(item)) return item as unknown;
    const whole = { ...common };
    for (const [at, name] of names.entries()) whole[name] = item[at];
    return whole;
  });
}
