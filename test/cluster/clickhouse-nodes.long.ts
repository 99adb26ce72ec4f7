import { expect } from 'chai';
import { pino } from 'pino';
import { ClickHouse } from '../../src/events/store/clickhouse/connection.ts';
import { type ClickHouseStore, clickhouseStore } from '../../src/events/store/clickhouse/store.ts';
import { db } from '../../src/infra/db.ts';
import {
  ClickHouseCluster,
  ClickHouseServer,
  hasClickHouse,
} from '../support/clickhouse-server.ts';
import { anEvent } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { aWorkspace } from '../support/world.ts';
import { hasZooKeeper, ZooKeeper } from '../support/zookeeper.ts';

/** Times from the start of an insert to the kill of a node, in ms. */
const DELAYS_MS =
  process.env['CLICKHOUSE_LONG'] === undefined
    ? [20, 100, 180]
    : [0, 40, 60, 80, 120, 160, 200, 300];
const log = pino({ level: 'silent' });

describe('a cluster of ClickHouse', function () {
  let made = 0;
  const stops: (() => Promise<void>)[] = [];

  before(function () {
    if (!hasClickHouse()) this.skip();
  });

  afterEach(async () => {
    for (const stop of stops.splice(0).toReversed()) await stop();
  });

  const aCluster = async (options: Parameters<typeof ClickHouseCluster.prepare>[0]) => {
    const cluster = await ClickHouseCluster.prepare(options);
    stops.push(() => cluster.stop());
    await cluster.start();
    return cluster;
  };
  const aStore = (url: string) => {
    const store = clickhouseStore(url);
    stops.push(() => store.close());
    return store;
  };
  const add = (store: ClickHouseStore, projectId: string, count: number, linkId = 'link_a') =>
    db().transaction((trx) =>
      store.append(
        trx,
        Array.from({ length: count }, () =>
          anEvent(projectId, {
            id: `evt_${(made += 1)}`,
            link_id: linkId,
            occurred_at: '2025-03-03T10:00:00.123Z',
          }),
        ),
      ),
    );
  const clicksOf = async (store: ClickHouseStore, projectId: string) => {
    const span = {
      start: new Date(0),
      end: new Date(),
      granularity: 'day',
      timezone: 'UTC',
    } as const;
    const { clicks } = await store.totals({ projectId, span, filter: {}, events: ['click'] });
    return clicks;
  };
  const hasMoved = (store: ClickHouseStore) =>
    store.compact(log).then(
      () => true,
      () => false,
    );
  /** Counts a workspace's rows on one node. */
  const rowsOn = async (node: ClickHouseServer, projectId: string) => {
    const { host, username, password } = new URL(node.url);
    const asked = new URLSearchParams({ user: username, password: decodeURIComponent(password) });
    const body = `SELECT count() FROM events_local WHERE project_id = '${projectId}'`;
    const answer = await fetch(`http://${host}/?${asked}`, { method: 'POST', body });
    const text = await answer.text();
    expect(answer.status, text).to.equal(200);
    return Number(text);
  };

  it('counts each visit once when nodes end while batches are inserted', async () => {
    const cluster = await aCluster({ shards: 2 });
    const store = aStore(cluster.url);
    const { projectId } = await aWorkspace();
    let added = 0;
    let failed = 0;
    await add(store, projectId, (added += 100));
    await store.compact(log);
    for (const [round, delayMs] of DELAYS_MS.entries()) {
      await add(store, projectId, 8_000);
      added += 8_000;
      const moving = hasMoved(store);
      await new Promise((resolve) => setTimeout(resolve, delayMs));
      const node = cluster.nodes[round % 2]!;
      await node.kill();
      if (!(await moving)) failed += 1;
      await node.start();
      expect(await clicksOf(store, projectId), `round ${round}`).to.equal(added);
    }
    expect(failed, 'batches that failed').to.be.greaterThan(0);
    await store.compact(log);
    expect(await clicksOf(store, projectId)).to.equal(added);
    // Failed batches are deleted on both nodes after an hour.
    await db()('event_batches').update({ begun_at: new Date(0) });
    await store.retain(log);
    const stored = await Promise.all(cluster.nodes.map((node) => rowsOn(node, projectId)));
    expect(stored[0]! + stored[1]!).to.equal(added);
    expect(Math.min(...stored)).to.be.greaterThan(added * 0.4);
    expect(await clicksOf(store, projectId)).to.equal(added);
  });

  it('keeps the same events on replicas, any of which may answer, with ZooKeeper', async function () {
    // ZooKeeper is an optional Debian package; npm run test:clickhouse reports skipped tests.
    if (!hasZooKeeper()) this.skip();
    const zookeeper = await ZooKeeper.start();
    stops.push(() => zookeeper.stop());
    const cluster = await aCluster({ shards: 1, replicas: 2, zookeeperPort: zookeeper.port });
    const [first, second] = cluster.nodes as [ClickHouseServer, ClickHouseServer];
    const store = aStore(cluster.url);
    const { projectId } = await aWorkspace();
    const onBoth = () => Promise.all([rowsOn(first, projectId), rowsOn(second, projectId)]);
    await add(store, projectId, 300);
    // ZooKeeper accepts connections a moment before it answers.
    await eventually(() => store.compact(log));
    expect(await onBoth()).to.deep.equal([300, 300]);
    await second.kill();
    await add(store, projectId, 30, 'link_b');
    expect(await hasMoved(store)).to.equal(false);
    expect(await clicksOf(store, projectId)).to.equal(330);
    await second.start();
    await eventually(() => store.compact(log));
    expect(await clicksOf(store, projectId)).to.equal(330);
    await db().transaction((trx) => store.eraseRecords(trx, projectId, ['link_b']));
    await db()('event_batches').update({ begun_at: new Date(0) });
    await eventually(() => store.retain(log));
    expect(await onBoth()).to.deep.equal([300, 300]);
    expect(await clicksOf(store, projectId)).to.equal(300);
    await zookeeper.kill();
    await add(store, projectId, 20);
    expect(await hasMoved(store)).to.equal(false);
    expect(await clicksOf(store, projectId)).to.equal(320);
    await zookeeper.start();
    await eventually(() => store.compact(log));
    expect(await onBoth()).to.deep.equal([320, 320]);
    expect(await clicksOf(store, projectId)).to.equal(320);
  });

  it('asks a node that answers, and lets visits wait while one is away or hangs', async () => {
    const cluster = await aCluster({ shards: 1, replicas: 2 });
    const [first, second] = cluster.nodes as [ClickHouseServer, ClickHouseServer];
    // Each store starts at a random node, so six stores very probably use both.
    const stores = Array.from({ length: 6 }, () => aStore(cluster.url));
    const { projectId } = await aWorkspace();
    await add(stores[0]!, projectId, 50);
    await stores[0]!.compact(log);
    expect([await rowsOn(first, projectId), await rowsOn(second, projectId)]).to.deep.equal([
      50, 50,
    ]);
    await second.kill();
    for (const store of stores) expect(await clicksOf(store, projectId)).to.equal(50);
    await add(stores[0]!, projectId, 5);
    expect(await hasMoved(stores[0]!)).to.equal(false);
    for (const store of stores) expect(await clicksOf(store, projectId)).to.equal(55);
    await second.start();
    await stores[0]!.compact(log);
    expect([await rowsOn(first, projectId), await rowsOn(second, projectId)]).to.deep.equal([
      55, 55,
    ]);
    second.freeze();
    try {
      const startedAt = Date.now();
      const counts = await Promise.all(stores.map((store) => clicksOf(store, projectId)));
      expect(counts).to.deep.equal(stores.map(() => 55));
      expect(Date.now() - startedAt).to.be.lessThan(20_000);
      await add(stores[0]!, projectId, 5);
      expect(await hasMoved(stores[0]!)).to.equal(false);
    } finally {
      second.resume();
    }
    await eventually(() => stores[0]!.compact(log));
    expect(await rowsOn(second, projectId)).to.equal(60);
    expect(await clicksOf(stores[1]!, projectId)).to.equal(60);
  });

  it('keeps the events of a single server, and gives a node that is added later its share', async () => {
    const all = await ClickHouseCluster.prepare({ shards: 3 });
    stops.push(() => all.stop());
    const [first, second, third] = all.nodes as [
      ClickHouseServer,
      ClickHouseServer,
      ClickHouseServer,
    ];
    const urlOf = (...nodes: ClickHouseServer[]) => all.urlOf(nodes.map(({ url }) => url));
    for (const node of [first, second]) node.join([[first], [second]]);
    await Promise.all([first.start(), second.start()]);
    const { projectId } = await aWorkspace();
    const single = aStore(first.url);
    await add(single, projectId, 40);
    await single.compact(log);

    const two = aStore(urlOf(first, second));
    await add(two, projectId, 400);
    expect(await clicksOf(two, projectId)).to.equal(440);
    await two.compact(log);
    expect(await clicksOf(two, projectId)).to.equal(440);
    expect(await rowsOn(second, projectId)).to.be.greaterThan(100);
    const wrong = new ClickHouse(first.url);
    stops.push(() => wrong.close());
    const refused = await wrong.rows('SELECT 1').catch((error: Error) => error.message);
    expect(refused).to.match(/^EVENTS_URL: .* set the parameter cluster/);

    const three = aStore(urlOf(first, second, third));
    // The third node is still down.
    expect(await clicksOf(three, projectId)).to.equal(440);
    expect(await hasMoved(three)).to.equal(true);
    await third.start();
    await eventually(async () => {
      expect(await clicksOf(three, projectId)).to.equal(440);
      expect(await rowsOn(third, projectId)).to.equal(0);
    });
    for (const node of [first, second]) node.join([[first], [second], [third]]);
    const late = aStore(urlOf(first, second, third));
    await eventually(async () => {
      await add(late, projectId, 30, 'link_b');
      await late.compact(log);
      expect(await rowsOn(third, projectId)).to.be.greaterThan(0);
    });
    const before = await clicksOf(late, projectId);
    const onThird = await rowsOn(third, projectId);
    await db().transaction((trx) => late.eraseRecords(trx, projectId, ['link_b']));
    await late.retain(log);
    expect(await rowsOn(third, projectId)).to.equal(0);
    expect([before! > 440, onThird > 0, await clicksOf(late, projectId)]).to.deep.equal([
      true,
      true,
      440,
    ]);

    // A store that knew only two nodes would leave erased visits in the table of the third.
    const outdated = aStore(urlOf(first, second));
    const message = await clicksOf(outdated, projectId).catch((error: Error) => error.message);
    expect(message).to.match(/^EVENTS_URL: .* has 3 nodes, and 2 are named/);
  });
});
