import { expect } from 'chai';
import { connectRedis } from '../../src/infra/redis.ts';
import { eventually } from './eventually.ts';

/**
 * Kills a Redis, like an accident, at a moment when it has written all that it has answered. With
 * `appendfsync everysec`, it writes up to 2 s later while an earlier write to a busy disk takes long.
 */
export async function killRedis(url: string): Promise<void> {
  const redis = connectRedis(url, 'wait');
  try {
    const [, pid] = /^process_id:(\d+)/m.exec(await redis.info('server'))!;
    await eventually(async () => {
      const written = await redis.info('persistence');
      expect(written).to.match(/^aof_pending_bio_fsync:0\r?$/m);
      expect(written).to.match(/^aof_buffer_length:0\r?$/m);
      process.kill(Number(pid), 'SIGKILL');
    });
  } finally {
    redis.disconnect();
  }
}
