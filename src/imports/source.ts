import type { ProviderName } from './providers/index.ts';

/**
 * Source of a table of links: `csv`, with columns mapped to fields by their headers, or another
 * service.
 */
export type TableSource = 'csv' | ProviderName;

/** Source of an import: a table, or the export of a whole `workspace`. */
export type Source = TableSource | 'workspace';
