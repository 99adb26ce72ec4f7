import { isIP } from 'node:net';
import { connect } from 'node:tls';

/**
 * Reads the expiry of a server's certificate, even if it has expired or is not trusted.
 *
 * @param url address of the server, with the scheme https
 * @returns milliseconds since 1970
 * @throws Error when the server does not answer within `ms`
 */
export function certificateEnd(url: string, ms: number): Promise<number> {
  const { hostname, port } = new URL(url);
  const host = hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    const socket = connect({
      host,
      port: Number(port || 443),
      servername: isIP(host) === 0 ? host : '',
      rejectUnauthorized: false,
    });
    const timer = setTimeout(() => socket.destroy(new Error('it did not answer in time')), ms);
    socket
      .once('secureConnect', () => {
        resolve(Date.parse(socket.getPeerCertificate().valid_to));
        socket.destroy();
      })
      .once('error', reject)
      .once('close', () => clearTimeout(timer));
  });
}
