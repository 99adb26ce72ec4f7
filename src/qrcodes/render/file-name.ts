const MAX_CHARACTERS = 80;

/**
 * Reduces a title to a file name without an extension, in any script; empty if nothing of it is
 * left. Leading points would hide the file.
 */
export const savedName = (title: string): string =>
  Array.from(
    title
      .toWellFormed()
      .replaceAll(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
      .replace(/^[.-]+/, ''),
  )
    .slice(0, MAX_CHARACTERS)
    .join('')
    .replace(/[.-]+$/, '');
