import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { freePorts } from '../scripts/ports.ts';
import { copyClone } from './support/clone.ts';
import { eventually } from './support/eventually.ts';

/*
 * Takes the first steps of a newcomer: a clone in an empty folder, `npm start`, its printed
 * commands, Ctrl-C, `npm start` again; and every command of the README.
 */

/** Time limit of an installation, which takes most of a minute on a quiet machine. */
const INSTALL_MS = 900_000;

describe('a newcomer', function () {
  this.timeout(2 * INSTALL_MS);
  let folder: string;
  let clone: string;
  let env: NodeJS.ProcessEnv;
  let ports: number[];
  let running: { child: ChildProcess; output: string } | undefined;

  before(async () => {
    folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-newcomer-'));
    clone = path.join(folder, 'clone');
    copyClone(clone);
    ports = await freePorts(2);
    // The environment excludes this run's servers, settings and caches, so that no Redis from an
    // earlier run is used.
    const { PATH, HOME, LANG, npm_config_registry: registry } = process.env;
    env = {
      PATH,
      HOME,
      LANG,
      ...(registry === undefined ? {} : { npm_config_registry: registry }),
      XDG_CACHE_HOME: path.join(folder, 'cache'),
      API_PORT: String(ports[0]),
      REDIRECT_PORT: String(ports[1]),
    };
  });

  after(async () => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function start(): Promise<string> {
    const child = spawn('npm', ['start'], {
      cwd: clone,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    const mine = { child, output: '' };
    running = mine;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => {
        mine.output += chunk.toString();
      });
    }
    await eventually(() => {
      if (child.exitCode !== null) throw new Error(`npm start ended:\n${mine.output}`);
      expect(mine.output).to.contain('Ctrl-C stops everything');
    }, INSTALL_MS);
    return mine.output;
  }

  /** Sends SIGINT to the whole process group, as Ctrl-C in a terminal does. */
  async function stop(): Promise<{ code: number | null; output: string } | undefined> {
    if (running === undefined) return undefined;
    const { child } = running;
    const ended = running;
    running = undefined;
    if (child.exitCode === null) {
      process.kill(-child.pid!, 'SIGINT');
      await new Promise((resolve) => child.once('exit', resolve));
    }
    return { code: child.exitCode, output: ended.output };
  }

  const shell = (command: string) => {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', command], {
      cwd: clone,
      env,
      encoding: 'utf8',
    });
    return { status, stdout, stderr };
  };

  const clicksIn = (command: string): number => {
    const { stdout, stderr } = shell(command);
    expect(stdout, `${command}\n${stderr}`).to.contain('"clicks":');
    return (JSON.parse(stdout) as { clicks: number }).clicks;
  };

  const consoleOf = (output: string) => new URL(/^ {2}Console +(\S+)$/m.exec(output)![1]!);

  const curlLines = (output: string) =>
    output.split('\n').filter((line) => /^(sleep 1; )?curl /.test(line));

  it('starts everything with one command, and can paste the printed commands', async () => {
    const [create, visit, count, ...rest] = curlLines(await start());
    expect(rest).to.deep.equal([]);
    const link = JSON.parse(shell(create!).stdout) as Record<string, string>;
    expect(link).to.include({ url: 'https://example.com/' });
    // The short link in the record works, and its QR image renders.
    expect(link['shortLink']).to.equal(`http://localhost:${ports[1]}/${link['key']}`);
    const opened = await fetch(link['shortLink']!, { redirect: 'manual' });
    expect(opened.headers.get('location')).to.equal('https://example.com/');
    // The worker that renders starts after the commands are printed.
    await eventually(async () => {
      const picture = await fetch(link['qrCode']!);
      const body = await picture.text();
      expect(picture.headers.get('content-type'), body).to.equal('image/png');
    });
    expect(shell(visit!).stdout).to.match(
      /^HTTP\/1\.1 302[^]*^location: https:\/\/example\.com\//im,
    );
    await eventually(() => expect(clicksIn(count!)).to.equal(1));
  });

  it('is signed in by the printed address, once, as the operator', async () => {
    const address = consoleOf(running!.output);
    expect(address.href).to.match(
      new RegExp(`^http://localhost:${ports[0]}/console/sign-in#[\\w-]{43}$`),
    );
    const page = await fetch(address);
    expect(page.headers.get('content-type')).to.equal('text/html; charset=utf-8');
    const script = /src="(\/console\/assets\/[^"]+\.js)"/.exec(await page.text())![1]!;
    expect((await fetch(new URL(script, address))).status).to.equal(200);
    const enter = () =>
      fetch(new URL('/auth/links', address), {
        method: 'POST',
        headers: { 'content-type': 'application/json', origin: address.origin },
        body: JSON.stringify({ token: address.hash.slice(1) }),
      });
    const entered = await enter();
    expect(entered.status).to.equal(200);
    expect(await entered.json()).to.deep.include({ isOperator: true });
    const cookie = entered.headers.getSetCookie()[0]!.split(';')[0]!;
    const links = await fetch(new URL('/links', address), {
      headers: { cookie, 'x-workspace': 'demo' },
    });
    expect(links.status).to.equal(200);
    expect(await links.json()).to.have.length(1);
    expect((await enter()).status).to.equal(401);
  });

  it('can run every other command of the README', async () => {
    const readme = readFileSync(path.join(clone, 'README.md'), 'utf8');
    const blocks = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)].map(([, block]) => block!);
    const [startBlock, testBlock, ...others] = blocks;
    expect([startBlock, testBlock]).to.deep.equal(['npm start\n', 'npm test\n']);
    const forReal = others.pop()!;
    expect(forReal).to.contain('DATABASE_URL');
    // The first start has run `npm ci`, and the variables name servers that do not exist here.
    const commands = ['npm run build', 'npm run migrate'];
    for (const command of commands) {
      expect(forReal).to.contain(command);
      expect(shell(command).status, command).to.equal(0);
    }
    const script = others
      .join('\n')
      .replaceAll('localhost:3000', `localhost:${ports[0]}`)
      .replaceAll('localhost:3001', `localhost:${ports[1]}`);
    const { status, stdout, stderr } = shell(`set -e\n${script}`);
    expect(status, stderr).to.equal(0);
    expect(stdout).to.match(/HTTP\/1\.1 302/);
    expect(stdout).to.contain('"key":"first"').and.to.contain('"id":"link_');
    expect(stdout).to.contain('go.acme.test');
    expect(stdout).not.to.contain('"error"');
  });

  it('gets an error in one line when a port is in use', () => {
    const { status, stdout, stderr } = shell('npm start');
    expect(status).not.to.equal(0);
    expect(stdout + stderr).to.contain(
      `Port ${ports[0]} is in use: stop the other program or set API_PORT`,
    );
    expect(stdout + stderr).not.to.match(/\n\s+at /);
  });

  it('stops everything with Ctrl-C, and finds the data again at the second start', async () => {
    const stopped = await stop();
    expect(stopped).to.deep.include({ code: 0 });
    expect(stopped!.output.trimEnd()).to.match(/stopped$/);
    const [, , count] = curlLines(stopped!.output);
    const output = await start();
    expect(output).not.to.contain('Installing');
    expect(clicksIn(count!)).to.be.greaterThan(0);
    // More people can read the log of a later start than that of the first, so it prints no API
    // key.
    expect(consoleOf(output).href).to.equal(`http://localhost:${ports[0]}/console`);
    expect(curlLines(output)).to.deep.equal([]);
    const shown = shell(/API key +(npm run .*)$/m.exec(output)![1]! + ' --json').stdout;
    const { apiKey } = JSON.parse(shown) as { apiKey: string };
    expect(count).to.contain(apiKey);
    expect(output).not.to.contain(apiKey);
    await stop();
  });

  it('gets an error in one line when the database cannot be reached, without its password', () => {
    const { status, stdout, stderr } = shell(
      'DATABASE_URL=postgres://u:hidden-word@127.0.0.1:9/x REDIS_URL=redis://127.0.0.1:9 SECRET_KEY=0123456789abcdef0123456789abcdef npm start',
    );
    expect(status).not.to.equal(0);
    expect(stdout + stderr).to.contain('DATABASE_URL: cannot reach Postgres at 127.0.0.1:9');
    expect(stdout + stderr).not.to.contain('hidden-word');
  });
});
