import { curlExample } from './curl.ts';
import { phpExample } from './php.ts';
import { pythonExample } from './python.ts';
import { type ExampleDocument, ExampleRequests } from './request.ts';
import { typescriptExample } from './typescript.ts';

export { type ExampleDocument, KEY_PLACEHOLDER } from './request.ts';

/** Languages of the examples, in the order of the reference, each with its function. */
const LANGUAGES = {
  curl: curlExample,
  TypeScript: typescriptExample,
  Python: pythonExample,
  PHP: phpExample,
} as const;

/** Names of the languages, in the order in which the reference shows them. */
export const EXAMPLE_LANGUAGES = Object.keys(LANGUAGES) as (keyof typeof LANGUAGES)[];

/** Examples of an operation by language. */
export type Examples = Record<keyof typeof LANGUAGES, string>;

/**
 * Writes the examples of every operation from an OpenAPI document.
 *
 * @returns examples by method and path: `POST /links`
 */
export function examplesOf(document: ExampleDocument): Record<string, Examples> {
  return Object.fromEntries(
    [...new ExampleRequests(document).all()].map((request) => [
      request.operation,
      Object.fromEntries(
        Object.entries(LANGUAGES).map(([language, write]) => [language, write(request)]),
      ) as Examples,
    ]),
  );
}
