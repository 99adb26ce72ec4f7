import { renameSync } from 'node:fs';
import path from 'node:path';
import { config } from '../src/config.ts';
import { queueRedis } from '../src/infra/redis.ts';
import { Inspector } from '../src/queues/inspect.ts';
import { type Command, UsageError } from './cli-options.ts';
import { keptSecret } from './embedded/kept.ts';
import { OTHER_KEY_FILE, SECRET_KEY_FILE } from './embedded/servers.ts';
import { rewriteSecrets } from './rewrite-secrets.ts';
import { checkStopped } from './stopped.ts';

/** Commands about the SECRET_KEY. */
export const SECRETS_COMMANDS: Record<string, Command> = {
  'secrets new-key': {
    summary: 'Make a new SECRET_KEY in DATA_DIR, beside the present one',
    usage: '',
    async run() {
      const { DATA_DIR: dataDir, SECRET_KEY: present } = config();
      const [file, other] = [SECRET_KEY_FILE, OTHER_KEY_FILE].map((name) =>
        path.join(dataDir, name),
      ) as [string, string];
      if (keptSecret(file) !== present) {
        throw new UsageError(
          'SECRET_KEY is set: set a new one, and the present one as SECRET_KEY_OTHER',
        );
      }
      if (config().SECRET_KEY_OTHER !== '') {
        throw new UsageError(
          `${other} is there: run "secrets rewrite", and remove the file, before the next key is made`,
        );
      }
      await checkStopped(queueRedis());
      renameSync(file, other);
      keptSecret(file);
      return { key: file, previousKey: other };
    },
  },
  'secrets rewrite': {
    summary: 'Seal everything in Postgres again with the present SECRET_KEY',
    usage: '',
    run: (_, log) => rewriteSecrets(new Inspector(queueRedis()), log),
  },
};
