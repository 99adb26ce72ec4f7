import { MESSAGES } from '../../http/messages.ts';
import type { ContentType } from './content-type.ts';

/**
 * The text of a static code with a content as it comes in a body: what the console shows before anything is sent.
 *
 * @returns the text, or the rules that the content breaks, as the API would name them
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
