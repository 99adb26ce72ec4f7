/** A number of things in words: `1 link`, `1,200 links`. @param noun in the singular, with a regular plural */
export const countOf = (count: number, noun: string): string =>
  `${count.toLocaleString()} ${noun}${count === 1 ? '' : 's'}`;
