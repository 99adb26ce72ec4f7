import { Refusal } from '../errors.ts';
import { Semaphore } from '../infra/semaphore.ts';

/** Maximum number of concurrent heavy requests of one workspace in one process. */
const MAX_CONCURRENT = 3;
/** Maximum number of heavy requests of one workspace that wait. */
const MAX_WAITING = 30;
/**
 * Maximum wait for other requests of the workspace, and then for requests of all workspaces, in ms.
 */
const WAIT_MS = 5_000;
const RETRY_S = 5;

/**
 * Limits concurrent heavy requests, per workspace and in total, because they would use all
 * connections to Postgres. Others wait their turn for a while. A workspace has no more places in
 * the common queue than it may run at once.
 */
export class HeavyRequests {
  readonly #all: Semaphore;
  readonly #workspaces = new Map<string, { semaphore: Semaphore; requests: number }>();

  /**
   * @param connections number of Postgres connections of the process; heavy requests may use half
   * of them
   */
  constructor(connections: number) {
    this.#all = new Semaphore(Math.max(1, Math.floor(connections / 2)));
  }

  /**
   * Runs a heavy request when it is its turn.
   *
   * @throws Refusal `rate_limit_exceeded` when too many requests of the workspace wait,
   * `service_unavailable` when too many wait in total
   */
  async run<Result>(projectId: string, act: () => Promise<Result>): Promise<Result> {
    const workspace = this.#workspaces.get(projectId) ?? {
      semaphore: new Semaphore(MAX_CONCURRENT),
      requests: 0,
    };
    if (workspace.requests >= MAX_CONCURRENT + MAX_WAITING) throw tooMany();
    this.#workspaces.set(projectId, workspace);
    workspace.requests += 1;
    try {
      return await workspace.semaphore.run(
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
    `The workspace may send ${MAX_CONCURRENT} requests for many records at a time; try again when one has finished`,
  );

const tooManyOfAll = (): Refusal =>
  new Refusal(
    'service_unavailable',
    `The service is busy with other requests for many records; try again in ${RETRY_S} s`,
    { retryAfterSeconds: RETRY_S },
  );
