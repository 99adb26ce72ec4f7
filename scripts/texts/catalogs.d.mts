/** Lists what is wrong with the catalogs. */
export declare function faultsOfCatalogs(options?: {
  isComplete?: boolean;
  languages?: string[];
}): string[];
