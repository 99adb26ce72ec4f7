/**
 * Lists what would behave differently in a translated console.
 *
 * @param sources files with their contents; by default, those of the console
 */
export declare function faultsOfSources(
  sources?: readonly [file: string, source: string][],
): string[];

/** Lists what is wrong with the catalogs. */
export declare function faultsOfCatalogs(options?: {
  isComplete?: boolean;
  languages?: string[];
}): string[];
