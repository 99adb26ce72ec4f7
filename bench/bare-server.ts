import { createServer } from 'node:http';

/*
 * The baseline of redirects: the throughput of node:http without a look-up or a record of the
 * visit.
 */
const port = Number(process.argv[2]);
createServer((_request, response) => {
  response.writeHead(302, {
    Location: 'https://example.com/landing/page-1?campaign=autumn',
    'Cache-Control': 'private, no-store',
    'Content-Length': 0,
  });
  response.end();
}).listen(port, '127.0.0.1');
