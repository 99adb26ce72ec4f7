import ipaddr from 'ipaddr.js';

/**
 * Returns the client network of an IP address, for limits per client: a 64-bit IPv6 network belongs
 * to one subscriber. An IPv4 address is its own network, even if mapped into IPv6; so is any other
 * text.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  const prefix = address.parts.slice(0, 4).map((group) => group.toString(16));
  return `${prefix.join(':')}::/64`;
}
