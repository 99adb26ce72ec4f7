import type { Plugin } from 'vite';

/** Vite plugin that puts look-ups in the place of the console's texts, and loads its catalogs. */
export declare const texts: () => Plugin;
