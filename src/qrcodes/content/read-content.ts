import { MESSAGES } from '../../http/messages.ts';
import type { ContentType } from './content-type.ts';

/**
 * Encodes a content for a static code. The console previews the code with it before it sends a
 * request.
 *
 * @returns the text, and the path of the short link if the type defines it; or the broken rules as
 *   the API would word them
 */
export function readContent(
  { name, schema, encode, shortPath }: ContentType,
  sent: unknown,
): { text: string; path?: string } | { faults: string[] } {
  const { value, error } = schema
    .required()
    .label(name)
    .validate(sent, {
      abortEarly: false,
      errors: { wrap: { label: false, array: false } },
      messages: MESSAGES,
    });
  if (error === undefined) {
    const text = encode(value as never);
    return shortPath === undefined ? { text } : { text, path: shortPath(value as never).target };
  }
  return {
    faults: error.details.map(({ message, path }) =>
      path.length === 0 ? message : `${name}.${message}`,
    ),
  };
}
