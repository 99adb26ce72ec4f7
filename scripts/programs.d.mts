/** See programs.mjs. */
export const PROGRAMS: Readonly<Record<string, string>>;
export function withSingleFiles(commands: string): string;
