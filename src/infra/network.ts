import ipaddr from 'ipaddr.js';

/**
 * The client network of an IP address, for limits per client: an IPv6 network of 64 bits belongs to one subscriber. An
 * IPv4 address is its own network, also if it is mapped into IPv6; so is any other text.
 */
export function networkOf(ip: string): string {
  if (!ipaddr.isValid(ip)) return ip;
  const address = ipaddr.process(ip);
  if (!('parts' in address)) return address.toString();
  const prefix = address.parts.slice(0, 4).map((part) => part.toString(16));
  return `${prefix.join(':')}::/64`;
}
