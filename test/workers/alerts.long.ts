import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { dump, load } from 'js-yaml';
import { freePort } from '../../scripts/ports.ts';
import { newId } from '../../src/ids.ts';
import { eventually } from '../support/eventually.ts';
import { MailServer } from '../support/mail-server.ts';
import { OwnService } from '../support/own-service.ts';
import { stack } from '../support/stack.ts';

/*
 * Tests the alerts of ops/alerts.yml: each with the series of a fault and of a calm hour, and those
 * of Postgres, Redis, waiting visits and dead letters with a Prometheus that scrapes a service
 * under these faults. They need the Debian package `prometheus`.
 */

interface Rule {
  alert: string;
  expr: string;
  labels: Record<string, string>;
  annotations: { summary: string; description: string };
}

/**
 * Series of an alert in the notation of promtool, each for a fault that begins at once, and for a
 * calm hour.
 */
interface Fault {
  alert: string;
  /** Process that exports the series. */
  process: string;
  series: Record<string, { fault: string; calm: string }>;
  /** Minutes until the alert must fire; after one minute, it must not have fired. */
  after: number;
  labels?: Record<string, string>;
  summary: string;
}

const HOUR = 3_600;
const DAY = 24 * HOUR;
/** Instance label of all targets at the API. */
const INSTANCE = '127.0.0.1:3100';

const constant = (value: number) => `${value}x120`;

const FAULTS: Fault[] = [
  {
    alert: 'ShortlinksProcessDown',
    process: 'api',
    series: { up: { fault: constant(0), calm: constant(1) } },
    after: 3,
    labels: { instance: INSTANCE, process: 'api' },
    summary: `The process at ${INSTANCE} does not answer`,
  },
  {
    alert: 'ShortlinksProcessRestarts',
    process: 'api',
    series: { process_start_time_seconds: { fault: '1+60x120', calm: constant(1) } },
    after: 5,
    labels: { instance: INSTANCE, process: 'api' },
    summary: `The process at ${INSTANCE} was started 5 times within 15 minutes`,
  },
  {
    alert: 'ShortlinksPostgresAway',
    process: 'api',
    series: { 'shortlinks_ready{check="postgres"}': { fault: constant(0), calm: constant(1) } },
    after: 2,
    summary: 'Postgres does not answer 1 processes',
  },
  {
    alert: 'ShortlinksRedisAway',
    process: 'worker_clicks',
    series: { 'shortlinks_ready{check="redis"}': { fault: constant(0), calm: constant(1) } },
    after: 2,
    summary: 'The Redis of the queues does not answer 1 processes',
  },
  {
    alert: 'ShortlinksNotReady',
    process: 'redirect',
    series: { 'shortlinks_ready{check="lookups"}': { fault: constant(0), calm: constant(1) } },
    after: 3,
    labels: { process: 'redirect', check: 'lookups' },
    summary: 'The check lookups of redirect fails',
  },
  {
    alert: 'ShortlinksRedirectsFail',
    process: 'redirect',
    series: {
      'shortlinks_redirects_total{outcome="redirect"}': { fault: '0+90x120', calm: '0+100x120' },
      'shortlinks_redirects_total{outcome="unavailable"}': { fault: '0+10x120', calm: constant(0) },
    },
    after: 8,
    summary: '10% of visitors get an error',
  },
  {
    alert: 'ShortlinksApiFails',
    process: 'api',
    series: {
      'shortlinks_http_request_duration_seconds_count{method="GET",route="/links",status="200"}': {
        fault: '0+95x120',
        calm: '0+100x120',
      },
      'shortlinks_http_request_duration_seconds_count{method="GET",route="/links",status="500"}': {
        fault: '0+5x120',
        calm: constant(0),
      },
    },
    after: 8,
    summary: '5% of API requests are answered with 5xx',
  },
  {
    alert: 'ShortlinksApiSlow',
    process: 'api',
    series: {
      'shortlinks_http_request_duration_seconds_bucket{method="GET",route="/links",status="200",le="2.5"}':
        { fault: constant(0), calm: '0+100x120' },
      'shortlinks_http_request_duration_seconds_bucket{method="GET",route="/links",status="200",le="5"}':
        { fault: '0+100x120', calm: '0+100x120' },
      'shortlinks_http_request_duration_seconds_bucket{method="GET",route="/links",status="200",le="+Inf"}':
        { fault: '0+100x120', calm: '0+100x120' },
    },
    after: 15,
    summary: 'One API request in twenty takes longer than 4.875s',
  },
  {
    alert: 'ShortlinksVisitsLost',
    process: 'redirect',
    series: {
      shortlinks_visits_not_recorded_total: { fault: '0 0 0+5x118', calm: constant(3) },
    },
    after: 5,
    labels: { instance: INSTANCE, process: 'redirect' },
    summary: `Visits at ${INSTANCE} were answered and are not counted`,
  },
  {
    alert: 'ShortlinksVisitsHeld',
    process: 'redirect',
    series: { shortlinks_visits_held: { fault: constant(7), calm: constant(0) } },
    after: 2,
    labels: { instance: INSTANCE, process: 'redirect' },
    summary: `Visits at ${INSTANCE} wait in memory`,
  },
  {
    alert: 'ShortlinksSpooled',
    process: 'redirect',
    series: {
      'shortlinks_spool_age_seconds{kind="visits"}': { fault: '0+60x120', calm: '0+60x3 0x100' },
    },
    after: 7,
    labels: { instance: INSTANCE, process: 'redirect', kind: 'visits' },
    summary: `Spooled visits at ${INSTANCE} have waited for 7m 0s`,
  },
  {
    alert: 'ShortlinksVisitsWait',
    process: 'worker_clicks',
    series: { shortlinks_oldest_visit_seconds: { fault: '0+60x120', calm: constant(2) } },
    after: 4,
    summary: 'A visit has waited in the queue for 4m 0s',
  },
  {
    alert: 'ShortlinksVisitsLate',
    process: 'worker_clicks',
    series: {
      'shortlinks_visit_lag_seconds_bucket{le="15"}': { fault: constant(0), calm: '0+100x120' },
      'shortlinks_visit_lag_seconds_bucket{le="60"}': { fault: '0+100x120', calm: '0+100x120' },
      'shortlinks_visit_lag_seconds_bucket{le="+Inf"}': { fault: '0+100x120', calm: '0+100x120' },
    },
    after: 8,
    summary: 'Visits are counted 57.75s after they were made',
  },
  {
    alert: 'ShortlinksDeadLetters',
    process: 'worker_mail',
    series: {
      'shortlinks_dead_letters_total{queue="mail",job_name="mail.send"}': {
        fault: '0 0 1x118',
        calm: constant(4),
      },
    },
    after: 3,
    labels: { queue: 'mail', job_name: 'mail.send' },
    summary: 'Jobs mail.send of mail failed for good',
  },
  {
    alert: 'ShortlinksQueueWaits',
    process: 'worker_bulk',
    series: {
      'shortlinks_queue_jobs{queue="bulk",state="waiting"}': {
        fault: constant(1_500),
        calm: constant(900),
      },
    },
    after: 11,
    labels: { queue: 'bulk' },
    summary: '1500 jobs wait in the queue bulk',
  },
  {
    alert: 'ShortlinksEventLoopBlocked',
    process: 'api',
    series: {
      shortlinks_event_loop_blocked_max_seconds: { fault: constant(2), calm: constant(0.04) },
    },
    after: 6,
    labels: { instance: INSTANCE, process: 'api' },
    summary: `The process at ${INSTANCE} computes for 2s at a time`,
  },
  {
    alert: 'ShortlinksWebhooksFail',
    process: 'worker_webhooks',
    series: {
      'shortlinks_webhook_attempts_total{outcome="failed"}': {
        fault: '0+75x120',
        calm: '0+25x120',
      },
      'shortlinks_webhook_attempts_total{outcome="delivered"}': {
        fault: '0+25x120',
        calm: '0+75x120',
      },
    },
    after: 45,
    summary: '75% of requests to receivers of webhooks fail',
  },
  {
    alert: 'ShortlinksRatesOld',
    process: 'worker_currency',
    series: {
      shortlinks_exchange_rates_age_seconds: { fault: constant(8 * DAY), calm: constant(3 * DAY) },
    },
    after: 61,
    summary: 'The exchange rates are 8d 0h 0m 0s old',
  },
  {
    alert: 'ShortlinksBackupOld',
    process: 'worker_maintenance',
    series: {
      shortlinks_backup_age_seconds: { fault: constant(2 * DAY), calm: constant(25 * HOUR) },
    },
    after: 16,
    summary: 'The last backup is 2d 0h 0m 0s old',
  },
  {
    alert: 'ShortlinksCertificateEnds',
    process: 'worker_maintenance',
    series: {
      'shortlinks_certificate_seconds{host="api.acme.test"}': {
        fault: constant(9 * DAY),
        calm: constant(30 * DAY),
      },
    },
    after: 61,
    labels: { host: 'api.acme.test' },
    summary: 'The certificate of api.acme.test ends in 9d 0h 0m 0s',
  },
  {
    alert: 'ShortlinksDiskLow',
    process: 'redirect',
    series: {
      shortlinks_disk_free_bytes: { fault: constant(5e9), calm: constant(50e9) },
      shortlinks_disk_size_bytes: { fault: constant(100e9), calm: constant(100e9) },
    },
    after: 6,
    labels: { instance: INSTANCE, process: 'redirect' },
    summary: `The disk of DATA_DIR at ${INSTANCE} has 5% left`,
  },
  {
    alert: 'ShortlinksMemoryLow',
    process: 'worker_qr',
    series: {
      shortlinks_memory_available_bytes: { fault: constant(4e7), calm: constant(4e8) },
      shortlinks_memory_size_bytes: { fault: constant(1e9), calm: constant(1e9) },
    },
    after: 11,
    labels: { instance: INSTANCE, process: 'worker_qr' },
    summary: `4% of the memory at ${INSTANCE} is available`,
  },
];

/** Series that exist only in states in which the service of the tests is not. */
const RARE: Record<string, string[]> = {
  shortlinks_certificate_seconds: ['host'],
  shortlinks_redirects_total: ['outcome'],
};

const RULES = path.resolve('ops/alerts.yml');
const NEEDS = 'it needs prometheus and promtool, which are not installed';

const rules = (): Rule[] => {
  const { groups } = load(readFileSync(RULES, 'utf8')) as { groups: { rules: Rule[] }[] };
  return groups.flatMap((group) => group.rules);
};

/** Splits `name{a="1",b="2"}` into its name and labels. */
function partsOf(series: string): { name: string; labels: string[] } {
  const [, name = '', list = ''] = /^(\w+)(?:\{(.*)\})?$/.exec(series)!;
  return { name, labels: [...list.matchAll(/(\w+)=~?"/g)].map(([, label]) => label!) };
}

describe('alerts', () => {
  it('are each tested with a fault', () => {
    const names = rules().map(({ alert }) => alert);
    expect(FAULTS.map(({ alert }) => alert)).to.have.members(names);
  });

  it('use metrics and labels that the running service exports', async () => {
    const { runner, apiUrl } = stack();
    // The series of a route exist from its first request on.
    await fetch(`${apiUrl}/links`);
    /** Labels by metric, of all processes. */
    const exported = new Map<string, Set<string>>();
    await eventually(async () => {
      const read = async (name: string) =>
        (await fetch(`${runner.healthUrlOf(name)}/metrics`)).text();
      const text = (await Promise.all(runner.names.map(read))).join('\n');
      for (const [series] of text.matchAll(/^\w+(?:\{.*\})?(?= )/gm)) {
        const { name, labels } = partsOf(series);
        const all = exported.get(name) ?? new Set(RARE[name]);
        for (const label of labels) all.add(label);
        exported.set(name, all);
      }
      for (const [, name = ''] of text.matchAll(/^# TYPE (\w+)/gm)) {
        if (!exported.has(name)) exported.set(name, new Set(RARE[name]));
      }
      expect([...exported.keys()]).to.include('shortlinks_http_request_duration_seconds_count');
    });
    const scraped = ['job', 'instance', 'process'];
    const unknownIn = (series: string) => {
      const { name, labels } = partsOf(series);
      if (name === 'up') return [];
      const known = exported.get(name);
      if (known === undefined) return [name];
      return labels.filter((label) => !known.has(label) && !scraped.includes(label));
    };
    for (const { alert, series } of FAULTS) {
      expect(Object.keys(series).flatMap(unknownIn), alert).to.deep.equal([]);
    }
    for (const { alert, expr, annotations } of rules()) {
      const used = expr.match(/\b(?:shortlinks|process)_\w+(?:\{[^}]*\})?/g) ?? [];
      expect(used.flatMap(unknownIn), alert).to.deep.equal([]);
      const names = used.map((series) => partsOf(series).name);
      const known = new Set([...scraped, ...names.flatMap((name) => [...exported.get(name)!])]);
      const grouped = [...expr.matchAll(/by \(([^)]*)\)/g)].flatMap(([, by]) => by!.split(', '));
      const told = [...JSON.stringify(annotations).matchAll(/\$labels\.(\w+)/g)].map(
        ([, label]) => label!,
      );
      expect(
        [...grouped, ...told].filter((label) => !known.has(label)),
        alert,
      ).to.deep.equal([]);
    }
  });

  it('fire in the fault that they name, and not before or without it', function () {
    if (spawnSync('promtool', ['--version']).error !== undefined) {
      console.log(`      ${NEEDS}`);
      this.skip();
    }
    const byName = new Map(rules().map((rule) => [rule.alert, rule]));
    const seriesOf = ({ process: name, series }: Fault, state: 'fault' | 'calm') =>
      Object.entries(series).map(([one, values]) => {
        const common = `job="shortlinks",instance="${INSTANCE}",process="${name}"`;
        const full = one.endsWith('}') ? one.replace(/\}$/, `,${common}}`) : `${one}{${common}}`;
        return { series: full, values: values[state] };
      });
    const tests = FAULTS.flatMap((fault) => {
      const { alert, after, labels = {}, summary } = fault;
      const rule = byName.get(alert)!;
      const isGrouped = labels['instance'] === undefined;
      const description = rule.annotations.description.replaceAll(
        /\{\{ \$labels\.(\w+) \}\}/g,
        (_, label: string) => labels[label]!,
      );
      const fires = {
        exp_labels: { ...rule.labels, ...labels, ...(isGrouped ? {} : { job: 'shortlinks' }) },
        exp_annotations: { summary, description },
      };
      const at = (minutes: number) => ({ eval_time: `${minutes}m`, alertname: alert });
      const [fired, quiet] = [{ ...at(after), exp_alerts: [fires] }, at(0)];
      return [
        {
          interval: '1m',
          input_series: seriesOf(fault, 'fault'),
          alert_rule_test: [quiet, fired],
        },
        {
          interval: '1m',
          input_series: seriesOf(fault, 'calm'),
          alert_rule_test: [at(1), at(after), at(100)],
        },
      ];
    });
    const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-alerts-'));
    try {
      const file = path.join(folder, 'tests.yml');
      writeFileSync(file, dump({ rule_files: [RULES], evaluation_interval: '15s', tests }));
      const { status, stdout, stderr } = spawnSync('promtool', ['test', 'rules', file], {
        encoding: 'utf8',
      });
      expect(status, `${stdout}${stderr}`).to.equal(0);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('a Prometheus that watches the service', function () {
  /**
   * Time for a scrape, an evaluation, the minute that a fault must last, and a busy machine, in ms.
   */
  const FIRES_MS = 240_000;
  const own = new OwnService();
  const folder = mkdtempSync(path.join(tmpdir(), 'shortlinks-prometheus-'));
  let mail: MailServer | undefined;
  let prometheus: ChildProcess | undefined;
  let url: string;
  let visits: NodeJS.Timeout;

  before(async function () {
    if (spawnSync('prometheus', ['--version']).error !== undefined) {
      console.log(`      ${NEEDS}`);
      this.skip();
    }
    mail = await MailServer.start();
    await own.start({ SMTP_URL: mail.url('none'), MAIL_FROM: 'links@mail.test' });
    await own.post('/links', { url: 'https://example.com/', key: 'watched' });
    await startPrometheus();
    const [port] = own.service.redirectPorts;
    let visitors = 0;
    visits = setInterval(() => {
      visitors += 1;
      const headers = { 'user-agent': `Mozilla/5.0 (X11; Linux x86_64) Firefox/${visitors}.0` };
      void fetch(`http://localhost:${port}/watched`, { redirect: 'manual', headers }).catch(
        () => {},
      );
    }, 1_000);
  });

  after(async () => {
    clearInterval(visits);
    prometheus?.kill('SIGKILL');
    if (mail !== undefined) await own.stop();
    await mail?.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Starts Prometheus with ops/prometheus.yml, whose ports are replaced by free ones. */
  async function startPrometheus(): Promise<void> {
    const { runner, copies } = own.service;
    copyFileSync(RULES, path.join(folder, 'alerts.yml'));
    const config = readFileSync('ops/prometheus.yml', 'utf8').replaceAll(
      /"127\.0\.0\.1:\d+"\](\s+labels: \{ process: (\w+) \})/g,
      (_, labels: string, name: string) =>
        `"${new URL(runner.healthUrlOf(copies(name)[0]!)).host}"]${labels}`,
    );
    const file = path.join(folder, 'prometheus.yml');
    writeFileSync(file, config);
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    const options = {
      'config.file': file,
      'storage.tsdb.path': path.join(folder, 'data'),
      'web.listen-address': `127.0.0.1:${port}`,
      'log.level': 'error',
    };
    prometheus = spawn(
      'prometheus',
      Object.entries(options).map(([name, value]) => `--${name}=${value}`),
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const processes = config.match(/process: /g)!.length;
    await eventually(async () => {
      const { result } = await ask('/api/v1/query?query=up==1');
      expect(result).to.have.length(processes);
    });
  }

  async function ask(route: string) {
    const answer = await fetch(url + route);
    const { data } = (await answer.json()) as {
      data: {
        result: unknown[];
        alerts: { labels: Record<string, string>; state: string; annotations: object }[];
      };
    };
    return data;
  }

  async function firing(): Promise<Record<string, Record<string, string>>> {
    const { alerts } = await ask('/api/v1/alerts');
    return Object.fromEntries(
      alerts
        .filter(({ state }) => state === 'firing')
        .map(({ labels, annotations }) => [labels['alertname']!, { ...labels, ...annotations }]),
    );
  }

  it('tells of jobs that failed for good, by their name and queue', async () => {
    const id = newId('mail');
    const script = `import { seal } from './dist/src/infra/seal.js';
      console.log(seal({ purpose: 'mail', owner: '${own.projectId}' },
        JSON.stringify({ subject: 'Hello', text: 'A line', html: 'A line' })));`;
    const args = ['--input-type=module', '-e', script];
    const content = execFileSync(process.execPath, args, {
      encoding: 'utf8',
      env: { ...process.env, ...own.commandEnv },
    }).trim();
    await own.db('mails').insert({
      id,
      project_id: own.projectId,
      kind: 'invitation',
      recipient: 'refused@people.test',
      content,
      created_at: new Date(Date.now() - 120_000),
    });
    await eventually(async () => {
      expect((await firing())['ShortlinksDeadLetters']).to.include({
        queue: 'mail',
        job_name: 'mail.send',
        summary: 'Jobs mail.send of mail failed for good',
      });
    }, FIRES_MS);
  });

  it('tells of visits that wait, while Postgres answers all but their table', async () => {
    const lock = await own.db.transaction();
    try {
      await lock.raw('LOCK TABLE events IN ACCESS EXCLUSIVE MODE');
      await eventually(async () => {
        const alerts = await firing();
        expect(alerts['ShortlinksVisitsWait']).to.include({ severity: 'critical' });
        expect(alerts).not.to.have.any.keys('ShortlinksPostgresAway', 'ShortlinksRedisAway');
      }, FIRES_MS);
    } finally {
      await lock.rollback();
    }
  });

  it('tells of Postgres that is away, and of its return', async () => {
    await own.stopPostgres();
    await eventually(async () => {
      const alerts = await firing();
      expect(alerts['ShortlinksPostgresAway']).to.include({ severity: 'critical' });
      expect(alerts).not.to.have.property('ShortlinksRedisAway');
    }, FIRES_MS);
    await own.startPostgres();
    await eventually(async () => {
      expect(await firing()).not.to.have.property('ShortlinksPostgresAway');
    }, FIRES_MS);
  });

  it('tells of Redis that is away', async () => {
    await own.killRedis();
    const spooled = async () =>
      Math.max(
        ...(await own.service.metric('redirect', 'shortlinks_spool_age_seconds{kind="visits"}')),
      );
    await eventually(async () => expect(await spooled()).to.be.above(10), FIRES_MS);
    await eventually(async () => {
      const alerts = await firing();
      expect(alerts['ShortlinksRedisAway']).to.include({ severity: 'critical' });
      expect(alerts).not.to.have.property('ShortlinksPostgresAway');
    }, FIRES_MS);
    await own.startRedis();
    await eventually(async () => {
      expect(await firing()).not.to.have.any.keys('ShortlinksRedisAway', 'ShortlinksVisitsLost');
      expect(await spooled()).to.equal(0);
    }, FIRES_MS);
  });
});
