/** See lock.mjs. */
export function identityOf(pid: number): string | undefined;
export function isAlive(identity: string): boolean;
export function withLock<T>(file: string, work: () => Promise<T>, onWait?: () => void): Promise<T>;
