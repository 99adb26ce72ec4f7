/** A text with its translations. */
export interface Entry {
  text: string;
  plural?: string;
  forms: string[];
  files: string[];
  names: string[];
}

/** Languages with a catalog. */
export declare const LANGUAGES: string[];

/** Reads a catalog. */
export declare function readPo(content: string): Map<string, Omit<Entry, 'files' | 'names'>>;

/** Writes a catalog. */
export declare function writePo(language: string, entries: Iterable<Entry>): string;

/** Lists the faults of a catalog. */
export declare function faultsOf(
  language: string,
  entries: Iterable<Pick<Entry, 'text' | 'plural' | 'forms'>>,
  options: { isComplete: boolean },
): string[];
