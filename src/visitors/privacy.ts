/** Request headers by name, in lower case. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/**
 * Returns true if the visitor sends Global Privacy Control or Do Not Track. Nothing is stored on
 * their device then, and no click is attributed to them.
 */
export const asksForPrivacy = (headers: Headers): boolean =>
  headers['sec-gpc'] === '1' || headers['dnt'] === '1';
