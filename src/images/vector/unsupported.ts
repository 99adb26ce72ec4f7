/**
 * A feature of an SVG that shapes cannot carry over exactly. `vectorOfSvg` catches it, and the
 * image stays pixels.
 */
export class Unsupported extends Error {
  override name = 'Unsupported';
}
