import { readFileSync } from 'node:fs';
import type { SearchedDocument } from './search.ts';

/** The document that `npm run docs` writes, seen from the compiled file: making it anew takes most of a second. */
const FILE = new URL('../../../docs/openapi.json', import.meta.url);

/** An OpenAPI document, as far as it depends on the installation. */
interface OpenApi extends SearchedDocument {
  info: { contact: { url: string } };
  servers: { url: string }[];
}

/** The OpenAPI document of the API, with the addresses of this installation. */
export function readOpenApi({
  BASE_URL,
  DOCS_URL,
}: {
  BASE_URL: string;
  DOCS_URL: string;
}): OpenApi {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as OpenApi;
  document.info.contact.url = DOCS_URL;
  document.servers = [{ url: BASE_URL }];
  return document;
}
