/** Returns the URL of the public statistics of a short link. */
export function statsUrlOf(shortLink: string): string {
  const { origin, pathname } = new URL(shortLink);
  return `${origin}/_/stats${pathname}`;
}
