import type { PeerName } from './peers/index.ts';

/** Source of a table of links: `csv`, where columns are mapped to fields by their headers, or another service. */
export type TableSource = 'csv' | PeerName;

/** Source of an import: a table, or the export of a whole `workspace`. */
export type Source = TableSource | 'workspace';
