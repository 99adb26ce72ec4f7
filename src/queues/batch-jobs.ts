import type { QueueId } from './definition.ts';
import type { Job } from './job.ts';
import type { JobSender } from './job-sender.ts';
import { MAX_SHARDS, shardsOf } from './shards.ts';

/** Time for which a job waits for further batches if one was added shortly before, in ms. */
const WAIT_MS = 25;
/** Most items of a job. */
const MOST_UNITS = 2_000;

/** A job that can still take batches. */
interface WaitingJob {
  id: string;
  shard: QueueId;
  units: number;
  /** Batches that joined it. */
  parts: number;
}

/**
 * Adds batches of small items, such as visits, to a queue. A job costs BullMQ and Redis more than the items in it, so a
 * batch joins the job of the one before while that waits. A batch that comes alone has a job that may run at once; where
 * they follow closely, jobs wait a little for more of them, and for as long as the workers are busy.
 *
 * With QUEUE_SHARDS, each job goes to the next shard, rather than each item to that of its record: batches stay as large
 * as with one queue, so that a shard has its part of the commands, and not only of the items.
 */
export class BatchJobs<Batch> {
  readonly #sender: JobSender;
  readonly #job: Job<Batch, unknown>;
  readonly #shards: readonly QueueId[];
  /** Starts at random, so that processes begin with different shards. */
  #turn = Math.floor(Math.random() * MAX_SHARDS);
  /** The last added job; `undefined` if no batch can join it. */
  #last: WaitingJob | undefined;
  #addedAt = Number.NEGATIVE_INFINITY;

  /** @param job the job of a batch, which other batches can extend */
  constructor(sender: JobSender, job: Job<Batch, unknown>) {
    this.#sender = sender;
    this.#job = job;
    this.#shards = shardsOf(job.queue);
  }

  /**
   * Resolves when Redis has acknowledged the batch, and REDIS_WAIT_REPLICAS replicas have.
   *
   * @param units number of its items
   */
  async deliver(batch: Batch, units: number): Promise<void> {
    const last = this.#last;
    if (last !== undefined) {
      const extend = () => this.#extend(last, batch, units);
      if (await this.#sender.replicated(last.shard, extend)) return;
    }
    this.#turn += 1;
    const shard = this.#shards[this.#turn % this.#shards.length]!;
    await this.#sender.replicated(shard, () => this.#add(shard, batch, units));
  }

  async #add(shard: QueueId, batch: Batch, units: number): Promise<void> {
    const now = performance.now();
    const delayMs = now - this.#addedAt < WAIT_MS ? WAIT_MS : 0;
    this.#addedAt = now;
    const id = await this.#sender.add(this.#job, batch, { shard, delayMs });
    this.#last = { id, shard, units, parts: 0 };
  }

  async #extend(job: WaitingJob, batch: Batch, units: number): Promise<boolean> {
    job.units += units;
    job.parts += 1;
    let isExtended = false;
    try {
      isExtended =
        job.units <= MOST_UNITS &&
        (await this.#sender.extend(this.#job, job.shard, job.id, job.parts, batch));
    } finally {
      if (!isExtended && this.#last === job) this.#last = undefined;
    }
    return isExtended;
  }
}
