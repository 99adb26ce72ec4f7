import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { freePort } from '../../scripts/ports.ts';
import { eventually } from './eventually.ts';
import { kill } from './kill.ts';

/** Files of Debian's packages. */
const JAR = '/usr/share/java/zookeeper.jar';
const JAVA = '/usr/bin/java';

/** True if the machine has ZooKeeper. */
export const hasZooKeeper = (): boolean => existsSync(JAR) && existsSync(JAVA);

/** A ZooKeeper with files in a folder, which is removed when it stops. */
export class ZooKeeper {
  readonly port: number;
  readonly #folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-zookeeper-'));
  #child: ChildProcess | undefined;

  private constructor(port: number) {
    this.port = port;
  }

  static async start(): Promise<ZooKeeper> {
    const zookeeper = new ZooKeeper(await freePort());
    await zookeeper.start();
    return zookeeper;
  }

  /** Resolves once it accepts connections. It keeps its data over restarts. */
  async start(): Promise<void> {
    const file = path.join(this.#folder, 'zoo.cfg');
    writeFileSync(
      file,
      `tickTime=500
dataDir=${this.#folder}/data
clientPort=${this.port}
clientPortAddress=127.0.0.1
admin.enableServer=false
`,
    );
    const main = 'org.apache.zookeeper.server.ZooKeeperServerMain';
    this.#child = spawn(JAVA, ['-Xmx64m', '-cp', JAR, main, file], { stdio: 'ignore' });
    await eventually(
      () =>
        new Promise<void>((resolve, reject) => {
          const socket = connect(this.port, '127.0.0.1', () => {
            socket.destroy();
            resolve();
          }).on('error', reject);
        }),
    );
  }

  /** Kills it, like an accident. */
  kill(): Promise<void> {
    return kill(this.#child);
  }

  async stop(): Promise<void> {
    await this.kill();
    rmSync(this.#folder, { recursive: true, force: true });
  }
}
