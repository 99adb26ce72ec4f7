import { listReports } from '../src/admin/abuse-reports.ts';
import {
  blockHost,
  listBlockedHosts,
  readBlockedHost,
  unblockHost,
} from '../src/admin/blocked-hosts.ts';
import { listBlockedLinks, readBlockedLink, unblockLink } from '../src/admin/blocked-links.ts';
import { isReportState, REPORT_STATES, toBlockableHost } from '../src/admin/schema.ts';
import { type Command, type Options, required, text, UsageError } from './cli-options.ts';

/** Maximum number of listed hosts, links and reports, latest first; `--search` finds others. */
const LISTED = 1_000;

/** Commands about blocked hosts and links, and about reports. */
export const ABUSE_COMMANDS: Record<string, Command> = {
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
    run: async (options) => (await listBlockedHosts(listed(options))).rows,
  },
  'blocked-link list': {
    summary: 'List blocked links',
    usage: '[--search part]',
    run: async (options) => (await listBlockedLinks(listed(options))).rows,
  },
  'blocked-link unblock': {
    summary: 'Unblock a link',
    usage: '--id link_…',
    async run(options) {
      const id = required(options, 'id');
      await readBlockedLink(id);
      return { ...(await unblockLink({ id })), unblocked: true };
    },
  },
  'report list': {
    summary: 'List abuse reports, the latest first',
    usage: `[--state ${REPORT_STATES.join('|')}] [--search part]`,
    async run(options) {
      const state = text(options, 'state');
      if (state !== undefined && !isReportState(state)) {
        throw new UsageError(`--state must be one of ${REPORT_STATES.join(', ')}`);
      }
      const { rows: reports } = await listReports({ ...listed(options), state });
      return reports.map(({ link, workspace, answer, ...report }) => ({
        ...report,
        shortLink: link.shortLink,
        url: link.url,
        workspace: workspace.slug,
        decision: answer?.decision ?? null,
      }));
    },
  },
};

/** Returns the page of a list. */
function listed(options: Options) {
  const search = text(options, 'search');
  return { page: 1, limit: LISTED, search };
}

function hostOf(options: Options): string {
  const host = toBlockableHost(required(options, 'host'));
  if (host === undefined) {
    throw new UsageError('--host must be a host name such as malware.example, or an IP address');
  }
  return host;
}
