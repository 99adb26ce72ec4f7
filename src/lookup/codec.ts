import type {
  DomainEntry,
  LinkEntry,
  PageContent,
  PageEntry,
  ServiceEntry,
  SiteFilesEntry,
  WorkspaceEntry,
} from './entry.ts';

/*
 * The names of look-up entries, and their text forms, which are compact since a redirect process
 * keeps a million of them in memory.
 *
 * In Postgres (`claims.entry`) and in Redis:
 *
 *   version \n fields, one line each \n extras as JSON, or nothing
 *
 *   link        id, projectId, destination
 *   domain      id, projectId
 *   its files   (none)
 *   workspace   projectId
 *   page        id, projectId
 *   service     (none)
 *
 * In Redis, a name holds
 *
 *   version of the row @ epoch | entry, or nothing where the name stands for nothing
 *
 * In the memory of a redirect process (`near-cache.ts`), where only links are text:
 *
 *   key \n id \n destination \n extras as JSON, or nothing
 *
 * There the version is always the present one, and each workspace is stored once for all its
 * links.
 *
 * A change of the form needs a new VERSION. `npm run migrate -- entries` rebuilds stored entries;
 * until then, older versions that can still be read stay in READABLE.
 */

const VERSION = '3';
/** Versions 1 and 2 have fewer extras. */
const READABLE: ReadonlySet<string> = new Set(['1', '2', VERSION]);

/** Prefix of stored entries of the present version. Older entries may lack fields of their rows. */
export const CURRENT_PREFIX = `${VERSION}\n`;

/** Redis channel that announces the names of changed entries, joined by line feeds. */
export const CHANGED = 'lookup:changed';

/** Name of the entry of a link or QR code. */
export const linkName = (domainId: string, key: string): string => `lk:${domainId}:${key}`;
/** Name of the entry of a domain. */
export const domainName = (host: string): string => `dm:${host}`;
/** Name of the entry of a domain's files for apps. */
export const siteFilesName = (domainId: string): string => `sf:${domainId}`;
/** Name of the entry of a workspace. */
export const workspaceName = (projectId: string): string => `ws:${projectId}`;
/** Name of the entry of a page before destinations. */
export const pageName = (projectId: string, id: string): string => `pg:${projectId}:${id}`;
/** Name of the entry of the service; there is only one. */
export const SERVICE_NAME = 'bh:';

/** Patterns of all these names. */
export const ENTRY_NAMES = ['lk:*', 'dm:*', 'sf:*', 'ws:*', 'pg:*', 'bh:*'] as const;

/**
 * Parses the value of a name in Redis: the entry, `null` if the name stands for nothing,
 * `undefined` if this epoch does not know.
 */
export function readStored(stored: string | null, epoch: string): string | null | undefined {
  if (stored === null) return undefined;
  const [at, bar] = [stored.indexOf('@'), stored.indexOf('|')];
  if (at < 0 || at > bar || stored.slice(at + 1, bar) !== epoch) return undefined;
  const entry = stored.slice(bar + 1);
  return entry === '' ? null : entry;
}

/** The entry that Redis holds, `null` for one that is gone or was missed; `undefined` where it is not to be trusted. */
export function readEntry<Entry>(
  read: string | null,
  epoch: string,
  decode: (text: string) => Entry,
): Entry | null | undefined {
  const stored = readStored(read, epoch);
  if (stored === undefined || stored === null) return stored;
  // The entry is of another version than this process, so the row decides.
  if (!stored.startsWith(CURRENT_PREFIX)) return undefined;
  try {
    return decode(stored);
  } catch {
    return undefined;
  }
}

export function encodeLink({ id, projectId, destination, ...extras }: LinkEntry): string {
  return join([VERSION, id, projectId, destination], extras);
}

/** @throws Error if the text is not an entry of a readable version */
export function decodeLink(text: string): LinkEntry {
  const [fields, extras] = split(text, 3);
  return { id: fields[0]!, projectId: fields[1]!, destination: fields[2]!, ...extras };
}

/**
 * Adds its key to the entry of a link, for look-ups by any spelling of the key. The version of the
 * entry stays.
 */
export function withKey(entry: string, key: string): string {
  const start = entry.lastIndexOf('\n') + 1;
  const extras = entry.slice(start);
  const members = extras === '' ? {} : parseExtras(extras);
  return entry.slice(0, start) + JSON.stringify({ ...members, key });
}

export function encodeDomain({ id, projectId, ...extras }: DomainEntry): string {
  return join([VERSION, id, projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodeDomain(text: string): DomainEntry {
  const [fields, extras] = split(text, 2);
  return { id: fields[0]!, projectId: fields[1]!, ...extras };
}

export const encodeSiteFiles = (files: SiteFilesEntry): string => join([VERSION], files);

/** @throws Error as {@link decodeLink} */
export const decodeSiteFiles = (text: string): SiteFilesEntry => split(text, 0)[1] ?? {};

export function encodeWorkspace({ projectId, ...extras }: WorkspaceEntry): string {
  return join([VERSION, projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodeWorkspace(text: string): WorkspaceEntry {
  const [fields, extras] = split(text, 1);
  return { projectId: fields[0]!, ...(extras as Omit<WorkspaceEntry, 'projectId'>) };
}

export function encodePage({ id, projectId, ...extras }: PageEntry): string {
  return join([VERSION, id, projectId], extras);
}

/** @throws Error as {@link decodeLink} */
export function decodePage(text: string): PageEntry {
  const [fields, extras] = split(text, 2);
  return { id: fields[0]!, projectId: fields[1]!, ...(extras as PageContent) };
}

/** The entry of the service as it is stored. */
interface StoredService {
  hosts: string[];
  links: string[];
  /** Absent in an entry that a process of the previous version has stored. */
  excluding?: string[];
}

export const encodeService = (service: StoredService): string => join([VERSION], service);

/** @throws Error as {@link decodeLink} */
export function decodeService(text: string): ServiceEntry {
  const [, extras] = split(text, 0);
  const { hosts, links, excluding = [] } = extras as StoredService;
  return { hosts: new Set(hosts), links: new Set(links), excluding: new Set(excluding) };
}

/** Encodes a link for memory, without its workspace. */
export function encodeRecord(
  key: string,
  { id, projectId: _, destination, ...extras }: LinkEntry,
): string {
  return join([key, id, destination], extras);
}

/**
 * Decodes a link from memory. Redirects wait for this decoding, so it does not split the text into
 * a list.
 *
 * @param start index at which the id begins, after the key
 */
export function decodeRecord(text: string, start: number, projectId: string): LinkEntry {
  const first = text.indexOf('\n', start);
  const second = text.indexOf('\n', first + 1);
  const id = text.slice(start, first);
  const destination = text.slice(first + 1, second);
  const extras = text.slice(second + 1);
  if (extras === '') return { id, projectId, destination };
  return { id, projectId, destination, ...parseExtras(extras) };
}

function join(fields: string[], extras: object): string {
  const json = JSON.stringify(extras);
  return [...fields, json === '{}' ? '' : json].join('\n');
}

function split(text: string, count: number): [fields: string[], extras: object | undefined] {
  const parts = text.split('\n');
  if (!READABLE.has(parts[0]!) || parts.length !== count + 2)
    throw new Error('unknown shape of a look-up entry');
  const extras = parts[count + 1]!;
  return [parts.slice(1, count + 1), extras === '' ? undefined : parseExtras(extras)];
}

const parseExtras = (json: string) => JSON.parse(json) as object;
