import {
  blockHost,
  listBlockedHosts,
  readBlockedHost,
  unblockHost,
} from '../src/admin/blocked-hosts.ts';
import { toBlockableHost } from '../src/admin/schema.ts';
import { type Command, type Options, required, text, UsageError } from './cli-options.ts';

/** Most hosts that are listed; `--search` finds others. */
const LISTED = 1_000;

/** Commands about the blocklist of hosts. */
export const HOST_COMMANDS: Record<string, Command> = {
  'host block': {
    summary: 'Block a host and its subdomains: no link may lead there',
    usage: '--host malware.example --reason "Phishing"',
    async run(options) {
      const reason = required(options, 'reason');
      const { host } = await blockHost({ host: hostOf(options), reason });
      return readBlockedHost(host);
    },
  },
  'host unblock': {
    summary: 'Take a host from the blocklist',
    usage: '--host malware.example',
    async run(options) {
      const host = hostOf(options);
      await readBlockedHost(host);
      return { ...(await unblockHost({ host })), unblocked: true };
    },
  },
  'host list': {
    summary: 'List blocked hosts',
    usage: '[--search part]',
    run: (options) => {
      const search = text(options, 'search');
      return listBlockedHosts({
        page: 1,
        limit: LISTED,
        ...(search === undefined ? {} : { search }),
      });
    },
  },
};

function hostOf(options: Options): string {
  const host = toBlockableHost(required(options, 'host'));
  if (host === undefined) {
    throw new UsageError('--host must be a host name such as malware.example, or an IP address');
  }
  return host;
}
