import { createServer } from 'node:http';

/*
 * The baseline of redirects: what node:http can do when there is nothing to look up and nothing to record.
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
