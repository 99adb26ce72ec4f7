import { readFileSync } from 'node:fs';
import path from 'node:path';
import { ROOT } from './root.ts';

const file = path.join(ROOT, 'package.json');

/** Version of the service. */
export const VERSION = (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version;
