import { seal, unseal } from '../infra/seal.ts';

/**
 * Encrypts stored contents and secrets of an import: rows, cells, previews, tokens, passphrases.
 */
export const sealOfImport = (projectId: string, plain: string): string =>
  seal({ purpose: 'import', owner: projectId }, plain);

/** Decrypts the output of {@link sealOfImport}. */
export const openOfImport = (projectId: string, sealed: string): string =>
  unseal({ purpose: 'import', owner: projectId }, sealed);
