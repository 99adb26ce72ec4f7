import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { HeavyRequests } from '../../src/api/heavy-requests.ts';
import { Refusal } from '../../src/errors.ts';

const CONNECTIONS = 10;

/** Sends heavy requests, each of which runs until `endOne` ends it. */
class Requests {
  readonly heavy = new HeavyRequests(CONNECTIONS);
  readonly running: string[] = [];
  readonly #ends: (() => void)[] = [];

  send(projectId: string): Promise<string> {
    return this.heavy.run(projectId, async () => {
      this.running.push(projectId);
      await new Promise<void>((resolve) => {
        this.#ends.push(resolve);
      });
      return projectId;
    });
  }

  /** Ends the longest-running request. */
  async endOne(): Promise<void> {
    this.#ends.shift()!();
    this.running.shift();
    await pause(0);
  }
}

describe('heavy requests', () => {
  it('of one workspace run three at a time, and of all as many as half of the connections', async () => {
    const requests = new Requests();
    const answers = ['a', 'a', 'a', 'a', 'b', 'c', 'd', 'd'].map((id) => requests.send(id));
    await pause(0);
    expect(requests.running).to.deep.equal(['a', 'a', 'a', 'b', 'c']);
    for (let left = answers.length; left > 0; left -= 1) {
      expect(requests.running.length).to.equal(Math.min(5, left));
      await requests.endOne();
    }
    expect(await Promise.all(answers)).to.deep.equal(['a', 'a', 'a', 'a', 'b', 'c', 'd', 'd']);
  });

  it('of a workspace with many wait behind those of one that has sent one', async () => {
    const requests = new Requests();
    const many = ['a', 'b'].flatMap((id) => Array.from({ length: 20 }, () => requests.send(id)));
    await pause(0);
    const one = requests.send('c');
    // The third request of b waits before it.
    for (let n = 0; n < 2; n += 1) await requests.endOne();
    expect(requests.running).to.include('c');
    while (requests.running.length > 0) await requests.endOne();
    await Promise.all([...many, one]);
  });

  it('are refused with the cause: a workspace that has too many, or a service that has', async () => {
    const requests = new Requests();
    const causes = new Map<string, number>();
    const sent = ['a', 'a', 'a', 'b', 'b', 'c', ...Array<string>(40).fill('a')].map((id) =>
      requests.send(id).catch((error: unknown) => {
        const { code } = error as Refusal;
        const cause = `${id} ${code}`;
        causes.set(cause, (causes.get(cause) ?? 0) + 1);
      }),
    );
    await Promise.all(sent.slice(5));
    expect([...causes]).to.have.deep.members([
      ['a rate_limit_exceeded', 40],
      ['c service_unavailable', 1],
    ]);
    while (requests.running.length > 0) await requests.endOne();
    await Promise.all(sent);
  });
});
