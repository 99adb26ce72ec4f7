import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { readFileSync, statSync } from 'node:fs';
import { isIP } from 'node:net';
import { config } from '../config.ts';

export type { LookupAddress } from 'node:dns';

/*
 * Addresses of names, without `getaddrinfo`: that one blocks a thread of libuv's pool, of which there are four, until
 * the name server answers. A few names whose server is silent would keep all other requests waiting, and files, hashes
 * and compression too. Node's Resolver (c-ares) uses sockets only. It reads /etc/resolv.conf, but neither its search
 * list applies nor /etc/hosts, which is read here.
 */

/** For one question to a name server, in ms. It is asked twice. */
const DNS_MS = 2_000;
/** Longest wait for addresses of one family after those of the other have arrived, in ms. */
const OTHER_KIND_MS = 300;

const HOSTS_FILE = '/etc/hosts';
/** Interval at which the file is checked for changes, in ms. */
const HOSTS_MS = 5_000;
/** Addresses of `localhost` and names under it where the file has none (RFC 6761, 6.3). */
const LOOPBACK = addressesOf(['127.0.0.1', '::1']);

/**
 * All addresses of a name: as `/etc/hosts` and the system's name servers know them, or the name servers of the
 * settings.
 *
 * @throws Error with the code of the name server's answer, `ENOTFOUND` or `ENODATA` where there is none
 */
export async function lookUp(hostname: string): Promise<LookupAddress[]> {
  const name = hostname.toLowerCase().replace(/\.$/, '');
  const isLocal = name === 'localhost' || name.endsWith('.localhost');
  if (isLocal || config().DNS_SERVERS.length === 0) {
    const known = hostsFile.addresses().get(name);
    if (known !== undefined) return addressesOf(known);
    if (isLocal) return LOOPBACK;
  }
  const resolver = newResolver(DNS_MS);
  const kinds = [resolver.resolve4(hostname), resolver.resolve6(hostname)];
  // Some name servers say nothing at all when they are asked for a kind that they don't have.
  const stopWaiting = () => setTimeout(() => resolver.cancel(), OTHER_KIND_MS).unref();
  Promise.any(kinds).then(stopWaiting, () => {});
  const answers = await Promise.allSettled(kinds);
  const found = answers.flatMap((one) => (one.status === 'fulfilled' ? one.value : []));
  // If both families failed, the first error is reported; otherwise the name has no address of either family.
  if (found.length > 0) return addressesOf(found);
  const [v4] = answers;
  throw v4?.status === 'rejected' ? v4.reason : Object.assign(new Error(), { code: 'ENODATA' });
}

/** A resolver that asks the name servers of the settings, or the system's, each question twice. */
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

  /** Addresses by name, from the file as it was a few seconds ago; none where it can't be read. */
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
 * The text of a file; `undefined` where its state last changed at `since`, and empty where it can't be read.
 *
 * @param since times are those of `stat`, in ms; a change of permissions is one too
 */
export function readIfChanged(path: string, since: number): { text?: string; changed: number } {
  try {
    const { ctimeMs: changed } = statSync(path);
    return changed === since ? { changed } : { text: readFileSync(path, 'utf8'), changed };
  } catch {
    // Names that the file does not give are asked of the name servers.
    return { text: '', changed: -1 };
  }
}

/** Reads lines of the form `address name name … # comment` (hosts(5)). */
export function parseHosts(text: string): Map<string, string[]> {
  const addresses = new Map<string, string[]>();
  for (const line of text.split('\n')) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().toLowerCase().split(/\s+/);
    if (isIP(address) === 0) continue;
    for (const name of names) {
      const others = addresses.get(name) ?? [];
      if (!others.includes(address)) addresses.set(name, [...others, address]);
    }
  }
  return addresses;
}
