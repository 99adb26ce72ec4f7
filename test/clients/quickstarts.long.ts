import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { freePort } from '../../scripts/ports.ts';
import { hasPython } from '../support/csv-readers.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';
import { type Project, projectWithClient } from './own-client.ts';

const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;

/** Returns the programs of a language that the guide says are run here. */
function programs(language: 'ts' | 'python'): string[] {
  const guide = readFileSync('docs/quickstarts.md', 'utf8');
  const fence = new RegExp(`^\`\`\`${language} run by [^\\n]*\\n([^]*?)^\`\`\``, 'gm');
  return [...guide.matchAll(fence)].map(([, program]) => program!);
}

/** Calls the route handlers of Next.js as its server does: with a Request, for a Response. */
const NEXT_SERVER = `
import { createServer } from 'node:http';
import * as share from './share.js';
import * as hooks from './hooks.js';

const routes: Record<string, { POST(request: Request): Promise<Response> }> = { share, hooks };
createServer(async (incoming, outgoing) => {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]);
  const request = new Request('http://localhost' + incoming.url, { method: 'POST', headers, body: Buffer.concat(chunks) });
  const response = await routes[incoming.url!.slice(1)]!.POST(request);
  outgoing.writeHead(response.status, Object.fromEntries(response.headers)).end(await response.text());
}).listen(Number(process.env['PORT']), () => console.log('ready'));
`;

/** Does the two tasks of a quickstart over HTTP. */
const PYTHON_SERVER = `
import os
from http.server import BaseHTTPRequestHandler, HTTPServer
from shortlinks import create_link, verify_webhook
import json


class Handler(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers["content-length"]))
        answer = b""
        try:
            if self.path == "/share":
                link = create_link(json.loads(body)["url"])
                status, answer = 201, json.dumps({"shortLink": link["shortLink"]}).encode()
            else:
                print(verify_webhook(self.headers, body)["type"], flush=True)
                status = 204
        except (KeyError, ValueError):
            status = 400
        self.send_response(status)
        self.end_headers()
        self.wfile.write(answer)


server = HTTPServer(("127.0.0.1", int(os.environ["PORT"])), Handler)
print("ready", flush=True)
server.serve_forever()
`;

describe('quickstarts', () => {
  let project: Project;
  let world: World;

  before(async () => {
    const [express = '', share = '', hooks = ''] = programs('ts');
    const files = {
      'express.ts': express,
      'share.ts': share,
      'hooks.ts': hooks,
      'next.ts': NEXT_SERVER,
    };
    project = await projectWithClient(files, ['express', '@types/express']);
    writeFileSync(path.join(project.folder, 'shortlinks.py'), programs('python')[0]!);
    writeFileSync(path.join(project.folder, 'server.py'), PYTHON_SERVER);
    world = await aWorkspace();
  });
  after(() => project.remove());

  const SERVERS = {
    Express: [process.execPath, 'dist/express.js'],
    'Next.js': [process.execPath, 'dist/next.js'],
    Django: ['python3', 'server.py'],
  } as const;

  for (const [name, [program, file]] of Object.entries(SERVERS)) {
    it(`create a short link, receive an event and refuse a forged one: ${name}`, async function () {
      if (name === 'Django' && !hasPython) this.skip();
      const port = await freePort();
      const url = `http://127.0.0.1:${port}`;
      const server = spawn(program, [file], {
        cwd: project.folder,
        env: {
          ...process.env,
          API_URL: stack().apiUrl,
          API_KEY: world.apiKey,
          WEBHOOK_SECRET: SECRET,
          PORT: String(port),
        },
      });
      try {
        const output = linesOf(server);
        await eventually(() => expect(output.text).to.contain('ready'));
        const hook = { name, url: `${url}/hooks`, kinds: ['link.created'], secret: SECRET };
        const { body: webhook } = await world.api.post('/webhooks', hook);
        const answer = await post(`${url}/share`, { url: 'https://example.com/' });
        expect(answer.status, output.text).to.equal(201);
        const { shortLink } = (await answer.json()) as { shortLink: string };
        expect(shortLink).to.contain(world.domain);
        await eventually(() => expect(output.text).to.contain('link.created'));
        const forged = {
          'webhook-id': 'msg_1',
          'webhook-timestamp': String(Math.floor(Date.now() / 1000)),
          'webhook-signature': `v1,${Buffer.alloc(32).toString('base64')}`,
        };
        expect((await post(`${url}/hooks`, { type: 'forged' }, forged)).status).to.equal(400);
        expect(output.text).not.to.contain('forged');
        await world.api.delete(`/webhooks/${webhook.id as string}`);
      } finally {
        server.kill();
      }
    });
  }
});

const post = (url: string, body: object, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Collects what a process prints. */
function linesOf({ stdout, stderr }: ChildProcess): { text: string } {
  const output = { text: '' };
  for (const stream of [stdout, stderr])
    stream!.on('data', (chunk: Buffer) => {
      output.text += chunk.toString();
    });
  return output;
}
