// `node scripts/health.mjs`: exits 0 if the process of this container answers on its health port.
import { get } from 'node:http';

const port = process.env.HEALTH_PORT || '3100';
get({ host: '127.0.0.1', port, path: '/healthz', timeout: 4_000 }, ({ statusCode }) => {
  process.exit(statusCode === 200 ? 0 : 1);
})
  .on('timeout', () => process.exit(1))
  .on('error', () => process.exit(1));
