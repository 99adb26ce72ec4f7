import { createServer } from 'node:http';

/*
 * A receiver of webhooks that reads what comes and says yes. It tells its parent when each one came.
 */
const port = Number(process.argv[2]);
const isTelling = process.argv[3] === 'tell';
createServer((request, response) => {
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (piece: string) => (text += piece));
  request.on('end', () => {
    response.writeHead(204).end();
    if (isTelling) process.send?.({ at: Date.now(), text });
  });
}).listen(port, '127.0.0.1', () => process.send?.('ready'));
