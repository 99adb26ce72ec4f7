import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';

/*
 * A program that answers over HTTP with chDB, the engine of current ClickHouse servers as a
 * library, as far as the store of events needs it. The engine is limited to one process, while the
 * service has several.
 *
 * Arguments: the folder in which chDB is installed, the folder of the data, the port.
 */

interface Chdb {
  createChdbConnection: (options: { path: string }) => {
    exec(statement: { query: string; values?: string }): Promise<{ stream: Readable }>;
  };
}

const [installed = '', data = '', port = ''] = process.argv.slice(2);
const { createChdbConnection } = createRequire(`${installed}/`)('chdb/connection') as Chdb;
const connection = createChdbConnection({ path: data });
const run = async (query: string, values?: string) => {
  const { stream } = await connection.exec({ query, ...(values !== undefined && { values }) });
  return text(stream);
};
for (const setting of ['max_query_size', 'max_ast_elements', 'max_expanded_ast_elements']) {
  await run(`SET ${setting} = 10000000`);
}

/** Queries run one after the other, since they share the session's database. */
let last: Promise<unknown> = Promise.resolve();

createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url!, 'http://localhost');
  if (pathname === '/ping') {
    response.end('Ok.\n');
    return;
  }
  const answered = text(request).then((body) => {
    last = last
      .then(async () => {
        await run(`USE ${searchParams.get('database') ?? 'default'}`);
        // An insert has its statement in the URL and its rows in the body.
        const query = searchParams.get('query');
        response.end(query === null ? await run(body) : await run(query, body));
      })
      .catch((error: Error) => response.writeHead(500).end(error.message));
  });
  answered.catch(() => response.destroy());
}).listen(Number(port), '127.0.0.1');
