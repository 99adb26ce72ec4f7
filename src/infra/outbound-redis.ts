import { Redis } from 'ioredis';
import ipaddr from 'ipaddr.js';
import { config } from '../config.ts';
import { FETCH_RULES, FetchRefused } from './fetch-refused.ts';
import { addressesOf, findListed } from './outbound-addresses.ts';
import { parseRedisAddress } from './redis-address.ts';

/*
 * Connections to the Redis servers of callers. As for HTTP, the address is checked when connecting:
 * the name is resolved here, and the connection is opened to the resolved address. Every server
 * needs OUTBOUND_ALLOW, also at a port of the web: the client trusts what a server answers, and
 * would end the process at a reply out of turn. The service's own servers are refused in any case,
 * because their keys hold its queues and look-ups.
 */

/** Time limits of a connection and of a command, in ms. */
const CONNECT_MS = 5_000;
const COMMAND_MS = 15_000;

/** A Redis server, and the account to use. */
export interface OutboundRedis {
  host: string;
  port: number;
  isEncrypted: boolean;
  database: number;
  username?: string | undefined;
  password?: string | undefined;
}

/**
 * Opens a connection. Commands reject without a retry once it is lost.
 *
 * @throws FetchRefused if the address is forbidden or unknown
 */
export async function openOutboundRedis({
  host,
  port,
  isEncrypted,
  database,
  username,
  password,
}: OutboundRedis): Promise<Redis> {
  const address = await addressOf(host, port);
  const redis = new Redis({
    host: address,
    port,
    db: database,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    // The certificate is that of the name.
    ...(isEncrypted ? { tls: { servername: host } } : {}),
    protocol: 2,
    lazyConnect: true,
    connectTimeout: CONNECT_MS,
    commandTimeout: COMMAND_MS,
    maxRetriesPerRequest: 0,
    retryStrategy: null,
    // Accounts may lack the right to INFO.
    enableReadyCheck: false,
    disableClientInfo: true,
  });
  // Commands reject with the same error.
  redis.on('error', () => {});
  return redis;
}

async function addressOf(host: string, port: number): Promise<string> {
  try {
    const addresses = (await findListed(host)).map(({ address }) => address);
    const ours = await ownAddresses(port);
    if (addresses.some((address) => ours.has(family(address)))) {
      throw new FetchRefused(FETCH_RULES.address);
    }
    return addresses[0]!;
  } catch (error) {
    if (error instanceof FetchRefused) throw error;
    throw new FetchRefused(FETCH_RULES.knownHost, { cause: error });
  }
}

/** Finds the addresses of the service's own Redis servers at a port. */
async function ownAddresses(port: number): Promise<ReadonlySet<string>> {
  const { REDIS_URL, CACHE_REDIS_URL } = config();
  const hosts = [REDIS_URL, CACHE_REDIS_URL]
    .flatMap((url) => parseRedisAddress(url).hosts)
    .filter((one) => one.port === port);
  const found = await Promise.all(hosts.map(({ host }) => addressesOf(host).catch(() => [])));
  return new Set(found.flat().map(({ address }) => family(address)));
}

/** Returns one name for all addresses of the machine itself, and one form of an IPv4 address. */
function family(address: string): string {
  const plain = ipaddr.process(address).toString();
  return /^(?:127\.|::1$|0\.0\.0\.0$|::$)/.test(plain) ? 'loopback' : plain;
}
