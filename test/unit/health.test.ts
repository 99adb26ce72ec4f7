import { expect } from 'chai';
import { healthAnswer } from '../../src/infra/process.ts';

describe('/readyz', () => {
  let asked: number;
  let now: number;
  const clock = () => now;
  beforeEach(() => {
    asked = 0;
    now = 0;
  });

  it('runs the checks once for concurrent requests, and again after a second', async () => {
    const checks = {
      async store() {
        asked += 1;
      },
    };
    const ask = async () => (await healthAnswer('/readyz', checks, { clock }))!.status;
    const statuses = await Promise.all(Array.from({ length: 100 }, ask));
    expect(new Set(statuses)).to.deep.equal(new Set([200]));
    now += 50;
    await ask();
    expect(asked).to.equal(1);
    now += 1_000;
    await ask();
    expect(asked).to.equal(2);
  });

  it('reports soon that a process has become ready, with current notes', async () => {
    let isAway = true;
    const checks = {
      async store() {
        asked += 1;
        if (isAway) throw new Error('away');
      },
    };
    let held = 1;
    const ask = () => healthAnswer('/readyz', checks, { notes: () => ({ held }), clock });
    for (let i = 0; i < 10; i += 1) {
      const body = { status: 'not ready', failing: ['store'], held: 1 };
      expect(await ask()).to.deep.equal({ status: 503, body });
    }
    expect(asked).to.equal(1);
    isAway = false;
    held = 2;
    now += 120;
    expect(await ask()).to.deep.equal({ status: 200, body: { status: 'ready', held: 2 } });
  });
});
