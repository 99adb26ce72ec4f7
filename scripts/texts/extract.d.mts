/** A text of the console. */
export interface Message {
  /** The English text: `{0}` are values, `<0>…</0>` elements. */
  text: string;
  /** The English text for other counts than one. */
  plural?: string;
  /** Expressions of the values. */
  names: string[];
}

/** Returns the texts of a file. */
export declare function textsOf(
  file: string,
  source: string,
): {
  messages: Message[];
  strings: Set<string>;
  compared: Set<string>;
  faults: string[];
};

/** Returns the source with look-ups in place of its texts. */
export declare function withLookups(file: string, source: string, lookups: string): string;
