/** See redis-program.mjs. */
export interface RedisProgram {
  command: string;
  env: Record<string, string>;
}
export function findRedis(log: (line: string) => void): Promise<RedisProgram>;
export function unpackWithApt(log: (line: string) => void): Promise<string | undefined>;
export function unpacked(): Promise<RedisProgram | undefined>;
