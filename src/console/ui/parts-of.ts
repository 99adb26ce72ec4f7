/** Splits the text of a field for several values, which spaces, commas, semicolons or lines divide. */
export const partsOf = (text: string): string[] =>
  text.split(/[\s,;]+/).filter((part) => part !== '');
