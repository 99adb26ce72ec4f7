import { MESSAGES } from '../../http/messages.ts';
import type { ContentType } from './content-type.ts';

/**
 * Encodes a content for a static code. The console previews the code with it before it sends a
 * request.
 *
 * @returns the text, or the broken rules as the API would word them
 */
export function readContent(
  { name, schema, encode }: ContentType,
  sent: unknown,
): { text: string } | { faults: string[] } {
  const { value, error } = schema
    .required()
    .label(name)
    .validate(sent, {
      abortEarly: false,
      errors: { wrap: { label: false, array: false } },
      messages: MESSAGES,
    });
  if (error === undefined) return { text: encode(value as never) };
  return {
    faults: error.details.map(({ message, path }) =>
      path.length === 0 ? message : `${name}.${message}`,
    ),
  };
}
