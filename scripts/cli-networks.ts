import { writeFile } from 'node:fs/promises';
import { config } from '../src/config.ts';
import { downloadNetworks } from '../src/visitors/download-networks.ts';
import { readNetworks, SHIPPED_NETWORKS } from '../src/visitors/networks.ts';
import { type Command, required } from './cli-options.ts';

/** Commands about the networks of data centers and mail scanners. */
export const NETWORK_COMMANDS: Record<string, Command> = {
  'networks refresh': {
    summary: 'Download the published networks of data centers to a file for NETWORKS_FILE',
    usage: '--file networks.txt',
    standsAlone: true,
    async run(options, log) {
      const file = required(options, 'file');
      const present = readNetworks(config().NETWORKS_FILE || SHIPPED_NETWORKS);
      const { text, sections } = await downloadNetworks(present, { fetch, log, now: new Date() });
      await writeFile(file, text);
      return sections;
    },
  },
};
