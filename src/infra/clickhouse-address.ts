import { parseUrl } from './url.ts';
import { singleHosts } from './url-hosts.ts';

/** Parts of a ClickHouse URL. */
export interface ClickHouseAddress {
  /** Origins of the servers as http or https URLs: a single one, or all nodes of a cluster. */
  nodes: string[];
  username: string;
  password: string;
  database: string;
  /** Name of the cluster in the server configuration; `undefined` for a single server. */
  cluster: string | undefined;
  /** True if the nodes of a shard replicate each other's data. */
  isReplicated: boolean;
}

const PARAMETERS = ['cluster', 'replicated'];

/**
 * Parses a ClickHouse URL: `clickhouse://user:password@host:8123/database`, or
 * `clickhouse://user:password@host:8123,host:8123/database?cluster=name`, each also with
 * `clickhouses`.
 *
 * @throws Error whose message completes the name of a setting
 */
export function parseClickHouseAddress(text: string): ClickHouseAddress {
  const urls = singleHosts(text).map((hostUrl) => parseUrl(hostUrl));
  const [first] = urls;
  if (!/^clickhouses?:$/.test(first?.protocol ?? '')) {
    throw new Error('must be a URL that starts with clickhouse:// or clickhouses://');
  }
  const { protocol, pathname, searchParams, username, password } = first!;
  const nodes = urls.map((url) =>
    url === undefined || url.host === ''
      ? ''
      : `${protocol === 'clickhouses:' ? 'https' : 'http'}://${url.host}`,
  );
  if (nodes.includes(''))
    throw new Error('must name a host, as in clickhouse://host:8123/database');
  const cluster = searchParams.get('cluster') ?? undefined;
  const replicated = searchParams.get('replicated');
  const unknown = [...searchParams.keys()].find((name) => !PARAMETERS.includes(name));
  if (unknown !== undefined) {
    throw new Error(`must have no parameters but ${PARAMETERS.join(' and ')}, not "${unknown}"`);
  }
  if (cluster === undefined && (nodes.length > 1 || replicated !== null)) {
    throw new Error(
      'must have the parameter cluster, the name of the cluster in the configuration of the servers, with several hosts or replicated=1',
    );
  }
  if (cluster !== undefined && !/^[\w.-]{1,100}$/.test(cluster)) {
    throw new Error(
      'must have a name of letters, digits, "_", "." and "-" as the parameter cluster',
    );
  }
  if (replicated !== null && replicated !== '1') {
    throw new Error('must have 1 as the parameter replicated, or none');
  }
  if (new Set(nodes).size < nodes.length) throw new Error('must name each host once');
  return {
    nodes,
    username: decodeURIComponent(username) || 'default',
    password: decodeURIComponent(password),
    database: decodeURIComponent(pathname.slice(1)) || 'default',
    cluster,
    isReplicated: replicated === '1',
  };
}
