/** Languages that a person can choose for the console. */
export const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt', 'ja'] as const;
/** A language of the console, as its ISO 639-1 code. */
export type Language = (typeof LANGUAGES)[number];
