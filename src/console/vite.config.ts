import path from 'node:path';
import { fileURLToPath } from 'node:url';
import tailwindcss from '@tailwindcss/vite';
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const folder = path.dirname(fileURLToPath(import.meta.url));
const api = `http://127.0.0.1:${process.env['API_PORT'] ?? 3000}`;

/** `scripts/build-console.mjs` builds with it, `npm run console:dev` serves with it. */
export default defineConfig({
  root: folder,
  base: '/console/',
  plugins: [react(), tailwindcss()],
  build: {
    outDir: path.join(folder, '../../dist/console'),
    emptyOutDir: true,
    target: 'es2022',
    manifest: 'manifest.json',
    // Data addresses would be refused for fonts, and save nothing.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Icons of 200 bytes each would else be files of their own, thirty of them in the first view.
    rolldownOptions: {
      output: { codeSplitting: { groups: [{ name: 'icons', test: /lucide-react/ }] } },
    },
    // The sizes that count are those of scripts/build-console.mjs.
    reportCompressedSize: false,
    chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
  },
  server: {
    port: 5173,
    proxy: { '^/(?!console(?:/|$)|@|node_modules/|src/)': { target: api } },
  },
});
