/** Failure of a request that the owner of the URL can fix. The message completes "<field> …". */
export class FetchRefused extends Error {}

/**
 * Rules for URLs that are fetched, shared by all endpoints that fetch one. Each completes "<field>
 * …".
 */
export const FETCH_RULES = {
  url: 'must be a valid URL',
  scheme: 'must begin with http:// or https://',
  credentials: 'must not contain a user name or password',
  address: 'must not point to a private IP address',
  port: 'must use port 80 or 443',
  listed: 'must be allowed by the operator (OUTBOUND_ALLOW)',
  knownHost: 'must have a host name that exists',
  resolvableHost: 'must have a host name that can be resolved',
  responds: 'must have a host that responds over HTTP',
  certificate: 'must have a valid TLS certificate',
  redirectUrl: 'must not redirect to an invalid URL',
  encoding: 'must respond uncompressed or in an accepted encoding',
  undamaged: 'must not respond with damaged compressed data',
  redirects: (max: number) => `must not redirect more than ${max} times`,
  time: (ms: number) => `must respond completely within ${ms / 1000} s`,
  size: (maxBytes: number) => `must not be larger than ${sizeText(maxBytes)}`,
  /** @param expected such as "200" or "2xx" */
  status: (expected: string, status: number | string) =>
    `must respond with status ${expected}, not ${status}`,
};

const sizeText = (bytes: number): string =>
  bytes >= 1024 * 1024 ? `${bytes / 1024 / 1024} MiB` : `${bytes} bytes`;
