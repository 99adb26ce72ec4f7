import { expect } from 'chai';
import { reloadConfig, SETTINGS } from '../../src/config.ts';
import { closeDb } from '../../src/infra/db.ts';
import { closeRedis } from '../../src/infra/redis.ts';
import { stopTraffic } from './traffic.ts';

/** A service, or only its servers, that the tests of a run share. */
export interface Shared {
  start(): Promise<void>;
  stop(): Promise<void>;
}

let service: Shared | undefined;
let servers: Shared | undefined;

/**
 * Registers the service to start before the first test. `stack.ts` does so when it is imported, so
 * a run of files that do not need the service starts none, which would take 15 processes.
 */
export function shareService(shared: Shared): void {
  service = shared;
}

/** Registers servers to start before the first test of a run without the service. */
export function shareServers(shared: Shared): void {
  servers = shared;
}

const settingsNow = () =>
  Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, process.env[name]]));

/** Settings of this process before the tests. */
let settingsBefore: Record<string, string | undefined> = {};

export async function mochaGlobalSetup(): Promise<void> {
  await (service ?? servers)?.start();
  reloadConfig();
  settingsBefore = settingsNow();
}

export const mochaHooks = {
  afterEach: stopTraffic,
  /** A test that leaves settings changed would make later tests depend on their order. */
  afterAll(): void {
    expect(settingsNow(), 'settings that a test has not put back').to.deep.equal(settingsBefore);
  },
};

export async function mochaGlobalTeardown(): Promise<void> {
  await closeDb();
  await closeRedis();
  await (service ?? servers)?.stop();
}
