import { isIP } from 'node:net';
import { config } from '../config.ts';
import { Refusal } from '../errors.ts';

/** The service as browsers know it to passkeys (Web Authentication, 5.1.2). */
export interface RelyingParty {
  /** Host name of BASE_URL, to which a passkey belongs for ever. */
  id: string;
  origin: string;
}

/**
 * Finds the relying party of this installation. Browsers offer passkeys to a host with a name, over
 * https or on the same machine.
 *
 * @returns `undefined` if BASE_URL has an IP address, or is http on another host
 */
export function relyingParty(): RelyingParty | undefined {
  const { protocol, hostname, origin } = new URL(config().BASE_URL);
  const isLocal = hostname === 'localhost' || hostname.endsWith('.localhost');
  const isAddress = hostname.startsWith('[') || isIP(hostname) !== 0;
  return (protocol === 'https:' || isLocal) && !isAddress ? { id: hostname, origin } : undefined;
}

/** @throws Refusal `not_found` if the installation cannot have passkeys */
export function requireRelyingParty(): RelyingParty {
  const party = relyingParty();
  if (party !== undefined) return party;
  throw new Refusal(
    'not_found',
    'This installation has no passkeys: they need a BASE_URL with https and a host name, or localhost',
  );
}
