import { SERVICE_NAME } from './codec.ts';
import { Batch, type Priority } from './concurrent-lookups.ts';
import {
  countVisits,
  type LinkName,
  type Row,
  readDomains,
  readLinks,
  readPage,
  readService,
  readSiteFiles,
  readWorkspace,
} from './rows.ts';

/** Source of the entries that neither memory nor Redis has. */
export interface EntrySource {
  /** Label of its look-ups in metrics. */
  readonly label: string;
  /** True if another process reads Postgres and fills Redis. */
  readonly isRemote: boolean;
  /** Reads the row behind the name of an entry; `null` if there is none. */
  read(name: string, priority?: Priority): Promise<Row | null>;
  /** Reads the number of counted visits of a link or QR code. */
  countVisits(projectId: string, id: string): Promise<number>;
}

/** Reads entries from Postgres; concurrent look-ups of domains or links share a query. */
export class PostgresSource implements EntrySource {
  readonly label = 'postgres';
  readonly isRemote = false;
  readonly #domains = new Batch<string, Row>(readDomains);
  readonly #links = {
    exact: new Batch<LinkName, Row>(readLinks),
    prefix: new Batch<LinkName, Row>(readLinks, 1),
  };

  async read(name: string, priority: Priority = 'exact'): Promise<Row | null> {
    const [kind, first = '', second = ''] = name.split(':');
    if (kind === 'lk') return this.#links[priority].ask(linkIn(name));
    if (kind === 'dm') return this.#domains.ask(first);
    if (kind === 'sf') return readSiteFiles(first);
    if (kind === 'ws') return readWorkspace(first);
    if (kind === 'pg') return readPage(first, second);
    if (name === SERVICE_NAME) return readService();
    throw new Error(`"${name}" is not a name of the look-up cache`);
  }

  countVisits(projectId: string, id: string): Promise<number> {
    return countVisits(projectId, id);
  }
}

/** Splits the name of a link. Keys may contain colons, ids do not. */
function linkIn(name: string): LinkName {
  const [, domainId = ''] = name.split(':', 2);
  return { domainId, key: name.slice(`lk:${domainId}:`.length) };
}
