import { Refusal } from '../errors.ts';
import { Semaphore } from '../infra/semaphore.ts';

/** Requests of one workspace that read many rows, at the same time in one process. */
const AT_ONCE = 3;
/** Requests of one workspace that may wait for that. */
const WAITING = 30;
/** Longest wait for other requests of the workspace, and after it for those of all, in ms. */
const WAIT_MS = 5_000;
const RETRY_S = 5;

/**
 * Lets few heavy requests run at once, of one workspace and of all: they would take all connections to Postgres. Others
 * wait their turn for a while; a workspace has no more places among those that wait for all than it may have at once.
 */
export class HeavyRequests {
  readonly #all: Semaphore;
  readonly #workspaces = new Map<string, { own: Semaphore; requests: number }>();

  /** @param connections to Postgres that the process may open: heavy requests leave half of them to others */
  constructor(connections: number) {
    this.#all = new Semaphore(Math.max(1, Math.floor(connections / 2)));
  }

  /**
   * Runs a heavy request when it is its turn.
   *
   * @throws Refusal `rate_limit_exceeded` when the workspace has too many, `service_unavailable` when all have
   */
  async run<Result>(projectId: string, act: () => Promise<Result>): Promise<Result> {
    const workspace = this.#workspaces.get(projectId) ?? {
      own: new Semaphore(AT_ONCE),
      requests: 0,
    };
    if (workspace.requests >= AT_ONCE + WAITING) throw tooMany();
    this.#workspaces.set(projectId, workspace);
    workspace.requests += 1;
    try {
      return await workspace.own.run(
        () => this.#all.run(act, { timeout: { ms: WAIT_MS, error: tooManyOfAll } }),
        { timeout: { ms: WAIT_MS, error: tooMany } },
      );
    } finally {
      workspace.requests -= 1;
      if (workspace.requests === 0) this.#workspaces.delete(projectId);
    }
  }
}

const tooMany = (): Refusal =>
  new Refusal(
    'rate_limit_exceeded',
    `The workspace may send ${AT_ONCE} requests for many records at a time; try again when one has finished`,
  );

const tooManyOfAll = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service is busy with other requests for many records; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );
