const HOSTS = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#@]*)(.*)$/;

/**
 * The URLs of the single hosts of a URL of Postgres, which may name several, as libpq allows
 * (`postgres://user@a:5432,b:5432/name`). A text that is no such URL remains as it is.
 */
export function singleHosts(url: string): [string, ...string[]] {
  const [, before = '', hosts = '', rest = ''] = HOSTS.exec(url) ?? [];
  const [first, ...others] = hosts.split(',').map((host) => before + host + rest);
  return hosts === '' ? [url] : [first!, ...others];
}
