import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { config } from '../config.ts';

export type { LookupAddress } from 'node:dns';

/*
 * Resolves names without `getaddrinfo`, which blocks one of the four threads of libuv's pool until
 * the name server answers. A few names with a silent name server would block all other requests, as
 * well as files, hashes and compression. Node's Resolver (c-ares) only uses sockets. It reads
 * /etc/resolv.conf, but neither its search list nor /etc/hosts, which is read here.
 */

/** Time limit of one query to a name server, in ms. Each query is sent twice. */
const DNS_MS = 2_000;
/** Maximum wait for addresses of one family after the other family has been resolved, in ms. */
const OTHER_KIND_MS = 300;

const HOSTS_FILE = '/etc/hosts';
/** Interval at which the file is checked for changes, in ms. */
const HOSTS_MS = 5_000;
/** Addresses of `localhost` and names under it if the file has none (RFC 6761, 6.3). */
const LOOPBACK = addressesOf(['127.0.0.1', '::1']);

/**
 * Resolves a name to all of its addresses, from `/etc/hosts` and from the name servers of the
 * system or the settings.
 *
 * @throws Error with the code of the name server's answer, `ENOTFOUND` or `ENODATA` if there is no
 * address
 */
export async function lookUp(hostname: string): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  if (isLocal || config().DNS_SERVERS.length === 0) {
    const fromFile = hostsFile.addresses().get(name);
    if (fromFile !== undefined) return addressesOf(fromFile);
    if (isLocal) return LOOPBACK;
  }
  const resolver = newResolver(DNS_MS);
  const kinds = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  // Some name servers do not answer queries for record types that they do not have.
  const stopWaiting = () => setTimeout(() => resolver.cancel(), OTHER_KIND_MS).unref();
  Promise.any(kinds).then(stopWaiting, () => {});
  const answers = await Promise.allSettled(kinds);
  const addresses = answers.flatMap((answer) =>
    answer.status === 'fulfilled' ? answer.value : [],
  );
  // If both families failed, the first error is reported; otherwise the name has no address of
  // either family.
  if (addresses.length > 0) return addressesOf(addresses);
  const [v4] = answers;
  throw v4?.status === 'rejected' ? v4.reason : Object.assign(new Error(), { code: 'ENODATA' });
}

/**
 * Creates a resolver for the name servers of the settings or the system, which sends each query
 * twice.
 */
export function newResolver(timeoutMs: number): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  if (config().DNS_SERVERS.length > 0) resolver.setServers(config().DNS_SERVERS);
  return resolver;
}

function addressesOf(addresses: readonly string[]): LookupAddress[] {
  return addresses.map((address) => ({ address, family: isIP(address) }));
}

class HostsFile {
  #addresses = new Map<string, string[]>();
  #readAt = 0;
  #changedAt = -1;

  /** Returns addresses by name from the file, up to a few seconds old; none if it cannot be read. */
  addresses(): ReadonlyMap<string, string[]> {
    const now = Date.now();
    if (now - this.#readAt < HOSTS_MS) return this.#addresses;
    this.#readAt = now;
    const { text, changed } = readIfChanged(HOSTS_FILE, this.#changedAt);
    this.#changedAt = changed;
    if (text !== undefined) this.#addresses = parseHosts(text);
    return this.#addresses;
  }
}

const hostsFile = new HostsFile();

/**
 * Reads a file; `text` is `undefined` if it has not changed since `since`, and empty if it cannot
 * be read.
 *
 * @param since time of the last change from `stat`, in ms; a change of permissions counts too
 */
export function readIfChanged(path: string, since: number): { text?: string; changed: number } {
  try {
    const { ctimeMs: changed } = statSync(path);
    return changed === since ? { changed } : { text: readFileSync(path, 'utf8'), changed };
  } catch {
    // Names that the file does not contain are resolved by the name servers.
    return { text: '', changed: -1 };
  }
}

/** Parses lines of the form `address name name … # comment` (hosts(5)). */
export function parseHosts(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const previous = addresses.get(name) ?? [];
      if (!previous.includes(address)) addresses.set(name, [...previous, address]);
    }
  }
  return addresses;
}
