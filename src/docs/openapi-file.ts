import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config.ts';
import { ROOT } from '../infra/root.ts';
import type { ExampleDocument } from './examples/index.ts';
import type { SearchedDocument } from './search.ts';

/** The document written by `npm run docs`; generating it takes most of a second. */
const FILE = path.join(ROOT, 'docs', 'openapi.json');

/** An OpenAPI document, limited to the parts that depend on the installation. */
type OpenApi = SearchedDocument &
  ExampleDocument & {
    info: { contact: { url: string } };
    servers: { url: string }[];
  };

/** Reads the OpenAPI document of the API, and sets the addresses of this installation. */
export function readOpenApi(config: Pick<Config, 'BASE_URL' | 'DOCS_URL'>): OpenApi {
  const document = JSON.parse(readFileSync(FILE, 'utf8')) as OpenApi;
  document.info.contact.url = config.DOCS_URL;
  document.servers = [{ url: config.BASE_URL }];
  return document;
}
