/** Returns the user agent of a browser; different numbers are different visitors. */
export function browser(visitor = 0): string {
  return `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/139.0.${visitor}.1 Safari/537.36`;
}
