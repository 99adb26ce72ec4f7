import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { load } from 'js-yaml';
import { QUEUES } from '../../src/queues/index.ts';
import { stack } from '../support/stack.ts';

interface Rules {
  groups: { rules: { alert: string; expr: string }[] }[];
}

interface Dashboard {
  panels: { title: string; targets?: { expr: string }[] }[];
}

interface Scrapes {
  scrape_configs: { static_configs: { targets: string[]; labels: { process: string } }[] }[];
}

/** Default ports of processes; processes.test.ts covers the servers and the scheduler. */
const HEALTH_PORTS: Record<string, number> = {
  api: 3100,
  redirect: 3101,
  ...Object.fromEntries(
    Object.entries(QUEUES).map(([name, { healthPort }]) => [`worker_${name}`, healthPort]),
  ),
  worker_scheduler: 3111,
};

describe('metrics', () => {
  /** Lines of all processes about the service's own metrics. */
  let ours: string[];
  /** Names of all exposed metrics, including the series of histograms. */
  let exposed: Set<string>;

  before(async () => {
    const { runner } = stack();
    const texts = await Promise.all(
      runner.names.map(async (name) => (await fetch(`${runner.healthUrlOf(name)}/metrics`)).text()),
    );
    const lines = texts.flatMap((text) => text.split('\n'));
    ours = lines.filter((line) => /^(# (HELP|TYPE) )?shortlinks_/.test(line));
    exposed = new Set(
      lines.flatMap((line) => {
        const [, name = '', type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
        if (name === '') return [];
        const parts = ['bucket', 'sum', 'count'].map((part) => `${name}_${part}`);
        return type === 'histogram' ? [name, ...parts] : [name];
      }),
    );
  });

  const namesIn = (expression: string): string[] =>
    expression.match(/\b(?:shortlinks|process|nodejs)_\w+/g) ?? [];

  it('of the alerts are exposed', () => {
    const { groups } = load(readFileSync('ops/alerts.yml', 'utf8')) as Rules;
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).to.have.length.above(10);
    for (const { alert, expr } of rules) {
      const missing = namesIn(expr).filter((name) => !exposed.has(name));
      expect(missing, alert).to.deep.equal([]);
    }
  });

  it('of the dashboard are exposed', () => {
    const { panels } = JSON.parse(readFileSync('ops/grafana-dashboard.json', 'utf8')) as Dashboard;
    const expressions = panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));
    expect(expressions).to.have.length.above(25);
    const missing = expressions.flatMap(namesIn).filter((name) => !exposed.has(name));
    expect(missing).to.deep.equal([]);
  });

  it('are all described in the guide', () => {
    const guide = readFileSync('docs/monitoring.md', 'utf8');
    const names = ours.flatMap((line) => /^# TYPE (\S+)/.exec(line)?.[1] ?? []);
    expect(new Set(names)).to.have.length.above(15);
    expect(names.filter((name) => !guide.includes(`\`${name}\``))).to.deep.equal([]);
  });

  it('are scraped at the ports of the processes, which the guide lists', () => {
    const { scrape_configs: configs } = load(readFileSync('ops/prometheus.yml', 'utf8')) as Scrapes;
    const scraped = configs[0]!.static_configs.map(({ targets, labels }) => [
      labels.process,
      Number(targets[0]!.replace('127.0.0.1:', '')),
    ]);
    expect(Object.fromEntries(scraped)).to.deep.equal(HEALTH_PORTS);
    const names = new Set(stack().runner.names.map((name) => name.replace(/\.\d+$/, '')));
    expect(new Set(Object.values(HEALTH_PORTS))).to.have.length(names.size);
    const guide = readFileSync('docs/monitoring.md', 'utf8');
    for (const [name, port] of Object.entries(HEALTH_PORTS)) {
      expect(guide).to.match(new RegExp(`\\| \`${name}\` +\\| ${port} \\|`));
    }
  });

  const promtool = (args: string[], input = '') =>
    spawnSync('promtool', args, { encoding: 'utf8', input });

  it('have names, help and units as Prometheus wants them', function () {
    if (promtool(['--version']).error !== undefined) this.skip();
    // The lines of a metric are grouped, since several processes export it.
    const families = new Map<string, string[]>();
    for (const line of ours) {
      const name = /shortlinks_\w+/.exec(line)![0].replace(/_(bucket|sum|count)$/, '');
      families.set(name, [...(families.get(name) ?? []), line]);
    }
    const text = [...families.values()].map((lines) => [...new Set(lines)].join('\n')).join('\n');
    const { status, stdout, stderr } = promtool(['check', 'metrics'], `${text}\n`);
    expect(`${stdout}${stderr}`).to.equal('');
    expect(status).to.equal(0);
  });
});
