/**
 * The values of an enum of the reference, in the order in which people see them: `everyOf<State>({ open: true, … })` does not
 * compile while one is missing.
 */
export const everyOf = <Name extends string>(names: Readonly<Record<Name, true>>): Name[] =>
  Object.keys(names) as Name[];
