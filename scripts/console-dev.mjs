// Serves the console with reloads after changes: `npm run console:dev`.
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createServer } from 'vite';
import { texts } from './texts/plugin.mjs';

const ROOT = path.dirname(path.dirname(fileURLToPath(import.meta.url)));
const server = await createServer({
  configFile: path.join(ROOT, 'src', 'console', 'vite.config.ts'),
  plugins: [texts()],
});
await server.listen();
server.printUrls();
