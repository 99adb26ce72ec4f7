/** A LIKE pattern for texts that contain this one, in which `%`, `_` and `\` mean themselves. */
export function containing(part: string): string {
  return `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
}
