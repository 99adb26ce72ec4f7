import { createWriteStream, renameSync } from 'node:fs';
import path from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { recordByOperator } from '../src/audit/write.ts';
import { writeWorkspace } from '../src/exports/workspace.ts';
import { db } from '../src/infra/db.ts';
import { workspaceId } from '../src/workspaces/queries.ts';
import { type Command, required, secretOf, slugOf } from './cli-options.ts';

/** Commands about exports. */
export const EXPORT_COMMANDS: Record<string, Command> = {
  export: {
    summary: 'Export a whole workspace, to be imported elsewhere',
    usage: '--workspace acme --to acme.jsonl.gz [--passphrase-file secret.txt]',
    async run(options) {
      const projectId = await workspaceId(db(), slugOf(options, 'workspace'));
      const file = path.resolve(required(options, 'to'));
      const passphrase = secretOf(options, 'passphrase-file');
      return db().transaction(async (trx) => {
        const { counts, parts } = await writeWorkspace(trx, projectId, passphrase);
        const target = { kind: 'export', id: null };
        await recordByOperator(trx, projectId, { action: 'export.workspace', target });
        // Renamed only once it is complete.
        await pipeline(Readable.from(parts), createWriteStream(`${file}.part`, { mode: 0o600 }));
        renameSync(`${file}.part`, file);
        return { file, ...counts };
      });
    },
  },
};
