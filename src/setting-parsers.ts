import { isIP } from 'node:net';
import path from 'node:path';
import ipaddr from 'ipaddr.js';
import { parseClickHouseAddress } from './infra/clickhouse-address.ts';
import { PROXY_RANGES } from './infra/ip.ts';
import { parseRedisAddress } from './infra/redis-address.ts';
import { parseUrl } from './infra/url.ts';
import { singleHosts } from './infra/url-hosts.ts';

/** One environment variable: its description, default and parser. */
export interface Setting<T> {
  help: string;
  fallback: T;
  /** Returns the value, or throws an `Error` whose message completes "NAME …". */
  parse(text: string): T;
  /** Default in the documentation if `fallback` is computed. */
  shownDefault?: string;
  /**
   * True if the value is never logged. It may also be in a file, which the variable `<name>_FILE`
   * names.
   */
  secret?: boolean;
}

export const text = (help: string, fallback: string): Setting<string> => ({
  help,
  fallback,
  parse: (value) => value,
});

/** Setting of the URL of map tiles, whose host has no placeholders. */
export const tileTemplate = (help: string): Setting<string> => ({
  help,
  fallback: '',
  parse(value) {
    const isUrl = /^https?:\/\/[\w.:-]+\//.test(value) && parseUrl(value) !== undefined;
    if (!isUrl || ['{z}', '{x}', '{y}'].some((name) => !value.includes(name))) {
      throw new Error(
        'must be a URL that starts with https:// and has {z}, {x} and {y} in its path',
      );
    }
    return value;
  },
});

/** Parses key material. */
export function parseSecretKey(value: string): string {
  if (value.length < 32) throw new Error('must have at least 32 characters');
  return value;
}

export const integer = (
  help: string,
  fallback: number,
  { min, max }: { min: number; max: number },
): Setting<number> => ({
  help: `${help} (${min} to ${max})`,
  fallback,
  parse(value) {
    const number = Number(value);
    if (!/^\d+$/.test(value) || number < min || number > max) {
      throw new Error(`must be a whole number from ${min} to ${max}`);
    }
    return number;
  },
});

export const oneOf = <const T extends string>(
  help: string,
  fallback: T,
  values: readonly T[],
): Setting<T> => ({
  help: `${help} (${values.join(', ')})`,
  fallback,
  parse(value) {
    if (!values.includes(value as T)) throw new Error(`must be one of ${values.join(', ')}`);
    return value as T;
  },
});

export const url = (
  help: string,
  fallback: string,
  protocols: readonly string[],
): Setting<string> => ({
  help,
  fallback,
  parse(value) {
    if (!protocols.includes(parseUrl(value)?.protocol ?? '')) {
      throw new Error(
        `must be a URL that starts with ${protocols.map((p) => `${p}//`).join(' or ')}`,
      );
    }
    return value.replace(/\/$/, '');
  },
});

/** Parses a URI for people who report something. @throws Error for another kind of URI */
export function parseContact(value: string): string {
  const uri = parseUrl(value);
  if (uri?.protocol !== 'mailto:' && uri?.protocol !== 'https:') {
    throw new Error('must be a URL that starts with mailto: or https://');
  }
  return uri.href;
}

/** Setting for the origin of a server: redirects, assets and `Location` begin at its root. */
export const origin = (help: string): Setting<string> => {
  const { parse, ...rest } = url(help, '', ['http:', 'https:']);
  return {
    ...rest,
    parse(value) {
      const parsed = parse(value);
      const { href, origin: fullOrigin } = new URL(parsed);
      if (href !== `${fullOrigin}/`) {
        throw new Error(
          `must have no path: API and console are at the root of a host, such as ${fullOrigin}`,
        );
      }
      return parsed;
    },
  };
};

export const redisUrl = (help: string): Setting<string> => ({
  help,
  fallback: '',
  parse(value) {
    parseRedisAddress(value);
    return value.replace(/\/$/, '');
  },
  secret: true,
});

export const addresses = (help: string, { names = false } = {}): Setting<string[]> => ({
  help,
  fallback: [],
  shownDefault: 'none',
  parse(value) {
    const list = value.split(',').map((part) => part.trim());
    for (const part of list) {
      if (!isIP(part) && !ipaddr.isValidCIDR(part) && !(names && isHostname(part))) {
        throw new Error(
          `must be a comma-separated list of IP addresses${names ? ', host names' : ''} or CIDR ranges, not "${part}"`,
        );
      }
    }
    return list;
  },
});

/** Setting for a number of proxies, or names, addresses and ranges that `AddressSet` accepts. */
export const proxies = (help: string): Setting<number | string[]> => ({
  help,
  fallback: [],
  shownDefault: 'none',
  parse(value) {
    if (/^\d{1,2}$/.test(value)) return Number(value);
    const list = value.split(',').map((part) => part.trim());
    for (const part of list) {
      if (!isIP(part) && !ipaddr.isValidCIDR(part) && !Object.hasOwn(PROXY_RANGES, part)) {
        throw new Error(
          `must be a count of proxies up to 99, or a comma-separated list of ${Object.keys(PROXY_RANGES).join(', ')}, IP addresses or CIDR ranges, not "${part}"`,
        );
      }
    }
    return list;
  },
});

function isHostname(text: string): boolean {
  const host = parseUrl(`http://${text}`)?.host ?? '';
  return host !== '' && host === text.toLowerCase() && !host.includes(':');
}

export const hostname = (help: string, fallback: string): Setting<string> => ({
  help,
  fallback,
  parse(value) {
    if (!isHostname(value)) throw new Error('must be a host name without scheme, port or path');
    return value.toLowerCase();
  },
});

const isPostgresUrl = (text: string): boolean =>
  /^postgres(?:ql)?:$/.test(parseUrl(text)?.protocol ?? '');

function isWellEncoded(text: string): boolean {
  try {
    return typeof decodeURIComponent(text) === 'string';
  } catch {
    return false;
  }
}

/** Pattern of an email address, alone or in angle brackets after a name. */
const MAILBOX =
  /^(?:[^<>@"\r\n]{0,100}<[^<>@\s"]{1,64}@[^<>@\s"]{1,253}>|[^<>@\s"]{1,64}@[^<>@\s"]{1,253})$/;

/** Parses the URL of a Postgres database, which may list several hosts if one accepts writes. */
export function parseDatabaseUrl(value: string): string {
  if (!singleHosts(value).every(isPostgresUrl)) {
    throw new Error('must be a URL that starts with postgres:// or postgresql://');
  }
  return value.replace(/\/$/, '');
}

/** Parses a list of URLs of Postgres databases. */
export function parseDatabaseUrls(value: string): string[] {
  const urls = value.split(',').map((part) => part.trim());
  for (const one of urls) {
    if (!isPostgresUrl(one)) {
      throw new Error(
        'must be a comma-separated list of URLs that start with postgres:// or postgresql://',
      );
    }
  }
  return urls;
}

/** Validates the URL of a ClickHouse server. */
export function parseEventsUrl(value: string): string {
  parseClickHouseAddress(value);
  return value.replace(/\/$/, '');
}

/** Parses the path of a directory, and makes it absolute. */
export function parseDirectory(value: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are what is looked for
  if (/[\x00-\x1f\x7f]/.test(value)) throw new Error('must not contain control characters');
  return path.resolve(value);
}

/** Parses a list of origins of web pages. */
export function parseOrigins(value: string): string[] {
  const origins = value.split(',').map((part) => part.trim());
  for (const origin of origins) {
    if (!/^https?:/.test(origin) || parseUrl(origin)?.origin !== origin) {
      throw new Error(
        `must be a comma-separated list of origins such as https://app.acme.test, not "${origin}"`,
      );
    }
  }
  return origins;
}

/** Parses a list of IP addresses of name servers, with or without a port. */
export function parseNameServers(value: string): string[] {
  const servers = value.split(',').map((part) => part.trim());
  for (const server of servers) {
    if (!isIP(server.replace(/^\[(.*)\](:\d+)?$/, '$1')) && !isIP(server.replace(/:\d+$/, ''))) {
      throw new Error(`must be a comma-separated list of IP addresses, not "${server}"`);
    }
  }
  return servers;
}

/** Parses a list of IP addresses with at most one host name. */
export function parseDnsTargets(value: string): string[] {
  const targets = value.split(',').map((part) => part.trim().toLowerCase());
  for (const target of targets) {
    if (!isIP(target) && !(isHostname(target) && target.includes('.'))) {
      throw new Error(
        `must be a host name such as links.example.com, or IP addresses, comma-separated, not "${target}"`,
      );
    }
  }
  if (targets.filter((target) => !isIP(target)).length > 1) {
    throw new Error('must have at most one host name');
  }
  return targets;
}

/** Parses a number from 0 to 1. */
export function parseShare(value: string): number {
  const share = Number(value);
  if (!/^(?:\d+(?:\.\d+)?|\.\d+)$/.test(value) || share > 1)
    throw new Error('must be a number from 0 to 1');
  return share;
}

/** Parses a URL, and keeps it as the provider writes it, with or without a final slash. */
export function parseIssuer(value: string): string {
  if (!/^https?:$/.test(parseUrl(value)?.protocol ?? '')) throw new Error('must be a URL');
  return value;
}

/** A row of OIDC_ROLE_MAP: members of a group have a role in a workspace. */
export interface RoleMapping {
  group: string;
  /** Slug of the workspace. */
  workspace: string;
  role: 'owner' | 'member' | 'viewer';
}

/** Matches a row within the name of a group, which another separator has left there. */
const ANOTHER_ROW = /=\s*[a-z0-9-]+\s*:\s*(?:owner|member|viewer)\b/;

/** Parses roles by groups. The name of a group may contain `=`, as LDAP names do. */
export function parseRoleMap(value: string): readonly RoleMapping[] {
  const lines = value.split(/[;\n]/).map((line) => line.trim());
  return lines
    .filter((line) => line !== '')
    .map((line) => {
      const at = line.lastIndexOf('=');
      const group = line.slice(0, Math.max(at, 0)).trim();
      const given = /^\s*([a-z0-9-]+)\s*:\s*(owner|member|viewer)$/.exec(line.slice(at + 1));
      if (group === '' || given === null || ANOTHER_ROW.test(group)) {
        throw new Error(
          'must be of the form group=workspace:role; …, with the roles owner, member and viewer',
        );
      }
      return { group, workspace: given[1]!, role: given[2] as RoleMapping['role'] };
    });
}

/** Parses the URL of a mail server. */
export function parseMailServer(value: string): string {
  const { protocol = '', hostname = '', username = '', password = '' } = parseUrl(value) ?? {};
  if (!/^smtps?:$/.test(protocol) || hostname === '') {
    throw new Error('must be a URL that starts with smtp:// or smtps:// and a host name');
  }
  if (![username, password].every(isWellEncoded)) {
    throw new Error('must have a percent-encoded user name and password');
  }
  return value;
}

/** Parses the sender of emails: an address, or a name and an address. */
export function parseSender(value: string): string {
  if (!MAILBOX.test(value)) {
    throw new Error('must be an email address, or a name and an email address in < >');
  }
  return value;
}
