/**
 * Lists the values of an enum of the reference in display order:
 * `everyOf<State>({ open: true, … })` does not compile while a value is missing.
 */
export const everyOf = <Name extends string>(names: Readonly<Record<Name, true>>): Name[] =>
  Object.keys(names) as Name[];
