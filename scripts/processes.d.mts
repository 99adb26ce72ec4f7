/** See processes.mjs. */
export const PROCESSES: Readonly<Record<string, string>>;
export function withSingleFiles(commands: string): string;
