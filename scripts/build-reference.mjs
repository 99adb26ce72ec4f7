// Writes the types of docs/openapi.json to dist/reference.d.ts, from which the client of the console has its types. Only
// the type check and the linter read them: the build of the console, and so `npm start`, needs neither them nor their generator.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const OUTPUT = path.join(ROOT, 'dist', 'reference.d.ts');

const SOURCE = path.join(ROOT, 'docs', 'openapi.json');
const GENERATORS = path.join(ROOT, 'generators');

/** First line of the output, which names what it was made of: the generator takes six seconds. */
const hash = createHash('sha256')
  .update(readFileSync(SOURCE))
  .update(readFileSync(path.join(GENERATORS, 'package.json')))
  .digest('hex');
const mark = `// ${hash}\n`;

if (!existsSync(OUTPUT) || !readFileSync(OUTPUT, 'utf8').startsWith(mark)) {
  const generator = path.join(GENERATORS, 'node_modules', '.bin', 'openapi-typescript');
  const types = execFileSync(generator, [SOURCE], { encoding: 'utf8', maxBuffer: 2 ** 26 });
  mkdirSync(path.dirname(OUTPUT), { recursive: true });
  writeFileSync(OUTPUT, mark + types);
}
