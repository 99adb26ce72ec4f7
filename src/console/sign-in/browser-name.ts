/** Patterns of browsers and systems in the User-Agent header; the first match applies. */
const BROWSERS = [
  ['Edg/', 'Edge'],
  ['OPR/', 'Opera'],
  ['Firefox/', 'Firefox'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
] as const;
const SYSTEMS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
] as const;

/** Returns the name of a browser and its system: "Firefox on Linux". */
export function browserName(userAgent: string): string {
  const browser = BROWSERS.find(([part]) => userAgent.includes(part))?.[1];
  const system = SYSTEMS.find(([part]) => userAgent.includes(part))?.[1];
  const name = browser ?? 'Unknown browser';
  return system === undefined ? name : `${name} on ${system}`;
}
