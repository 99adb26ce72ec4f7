import ipaddr from 'ipaddr.js';

/** An address without its last part, so that it is nobody's: /24 of IPv4, /48 of IPv6. Empty where it is none. */
export function truncateIp(ip: string): string {
  if (!ipaddr.isValid(ip)) return '';
  const address = ipaddr.process(ip);
  const bytes = address.toByteArray();
  const kept = address.kind() === 'ipv4' ? 3 : 6;
  return ipaddr.fromByteArray(bytes.map((byte, index) => (index < kept ? byte : 0))).toString();
}
