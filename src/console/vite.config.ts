import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const folder = path.dirname(fileURLToPath(import.meta.url));
const api = `http://127.0.0.1:${process.env['API_PORT'] ?? 3000}`;

/**
 * Configuration of the build (`scripts/build-console.mjs`) and the dev server (`npm run
 * console:dev`).
 */
export default defineConfig({
  root: folder,
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: path.join(folder, '../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    // The Content-Security-Policy refuses fonts from data URIs, and inlining saves nothing else.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Without grouping, each icon of 200 bytes would be a file of its own, with thirty of them in
    // the first view.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'icons', test: /lucide-react/ }] } },
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
