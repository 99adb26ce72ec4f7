import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig, type Plugin } from 'vite';

const folder = path.dirname(fileURLToPath(import.meta.url));
const api = `http://127.0.0.1:${process.env['API_PORT'] ?? 3000}`;

const MAIN = path.join(folder, 'main.tsx');
/** Modules that the entry loads before any view, without the icons, which views share. */
const first = new Set<string>();
const isFirst = (id: string): boolean => first.has(id);

const firstModules: Plugin = {
  name: 'first-modules',
  buildEnd() {
    const add = (id: string) => {
      if (first.has(id) || id.includes('/lucide-react/')) return;
      if (id !== MAIN) first.add(id);
      for (const imported of this.getModuleInfo(id)?.importedIds ?? []) add(imported);
    };
    add(MAIN);
  },
};

/**
 * Configuration of the build (`scripts/build-console.mjs`) and the dev server
 * (`scripts/console-dev.mjs`), which add the plugin for texts.
 */
export default defineConfig({
  root: folder,
  base: '/console/',
  plugins: [react(), tailwindcss(), firstModules],
  build: {
    outDir: path.join(folder, '../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    // The Content-Security-Policy refuses fonts from data URIs, and inlining saves nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Without grouping, each icon of 200 bytes would be a file of its own, with thirty of them in
    // the first view, and so would many modules of the entry, because it awaits the translations.
    rolldownOptions: {
      output: {
        chunkFileNames: 'assets/[hash].js',
        codeSplitting: {
          groups: [
            { name: 'main', test: isFirst },
            { name: 'icons', test: /lucide-react/ },
            // Modules that most views share are in one file: small files compress less, and each is a
            // request.
            { name: 'shared', test: /src.console/, minShareCount: 20 },
          ],
        },
      },
    },
    // `scripts/build-console.mjs` reports the sizes that matter.
    reportCompressedSize: false,
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  server: {
    port: 5173,
    proxy: { '^/(?!console(?:/|$)|@|node_modules/|src/)': { target: api } },
  },
});
