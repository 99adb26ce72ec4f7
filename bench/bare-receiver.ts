import { createServer } from 'node:http';

/*
 * A receiver of webhooks that reads each request and responds with 204. With `report` it also sends
 * each to its parent.
 */
const port = Number(process.argv[2]);
const isReporting = process.argv[3] === 'report';
createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    response.writeHead(204).end();
    if (isReporting) process.send?.({ at: Date.now(), text });
  });
}).listen(port, '127.0.0.1', () => process.send?.('ready'));
