// Vite plugin that puts look-ups in the place of the console's texts, and loads its catalogs.
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { compiled, hasTexts } from './catalogs.mjs';
import { withLookups } from './extract.mjs';

const ROOT = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));
const LOOKUPS = 'src/console/languages/texts.ts';

/** @returns {import('vite').Plugin} */
export const texts = () => ({
  name: 'console-texts',
  enforce: 'pre',
  load(id) {
    if (!id.endsWith('.po')) return undefined;
    const catalog = JSON.stringify(compiled(readFileSync(id, 'utf8')));
    return { code: `export default JSON.parse(${JSON.stringify(catalog)});`, moduleType: 'js' };
  },
  transform(code, id) {
    const file = path.relative(ROOT, id.split('?')[0]).replaceAll(path.sep, '/');
    return hasTexts(file) ? { code: withLookups(file, code, LOOKUPS), map: null } : undefined;
  },
});
