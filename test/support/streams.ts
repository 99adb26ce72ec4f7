import { Redis } from 'ioredis';

/** An entry of a stream of Redis, as destinations write them. */
export interface StreamEntry {
  id: string;
  type: string;
  timestamp: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into entries of every shape
  data: any;
}

/** Reads all entries of a stream, oldest first, with a standard client. */
export async function entriesOf(
  port: number,
  password: string,
  stream: string,
): Promise<StreamEntry[]> {
  const redis = new Redis({ host: '127.0.0.1', port, password, lazyConnect: true });
  try {
    await redis.connect();
    const entries = await redis.xrange(stream, '-', '+');
    return entries.map(([, fields]) => {
      const pairs = fields.flatMap((name, n) => (n % 2 === 0 ? [[name, fields[n + 1]!]] : []));
      const { data = 'null', ...rest } = Object.fromEntries(pairs) as Record<string, string>;
      return { ...rest, data: JSON.parse(data) } as StreamEntry;
    });
  } finally {
    redis.disconnect();
  }
}
