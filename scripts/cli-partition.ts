import { config } from '../src/config.ts';
import { queueRedis } from '../src/infra/redis.ts';
import { type Command, required, UsageError, wholeNumber } from './cli-options.ts';
import { MAX_PARTS, partitionTables } from './partition.ts';
import { checkStopped } from './stopped.ts';

/** Commands about the partitions of tables. */
export const PARTITION_COMMANDS: Record<string, Command> = {
  partition: {
    summary: 'Divide tables of links, claims and counters by workspace, or join them again (1)',
    usage: '--parts 16',
    async run(options, log) {
      const parts = wholeNumber('parts', required(options, 'parts'))!;
      if (parts < 1 || parts > MAX_PARTS) {
        throw new UsageError(`--parts must be from 1 to ${MAX_PARTS}`);
      }
      await checkStopped(queueRedis());
      return partitionTables(config().DATABASE_URL, parts, log);
    },
  },
};
