import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, release, totalmem, type } from 'node:os';
import { SetupError } from '../scripts/embedded/servers.ts';
import { median } from './figures.ts';
import { type Name, type Outcome, type Row, ratiosOf } from './rows.ts';

/** The file of `--json`. */
export interface Report {
  commit: string;
  /** True if files differed from the commit. */
  modified: boolean;
  date: string;
  machine: {
    cpu: string;
    cores: number;
    memoryGiB: number;
    system: string;
    node: string;
    postgres: string;
    redis: string;
  };
  rows: (Row & { bench: Name })[];
}

/** Creates an empty report of this machine and the present commit. */
export function newReport(): Report {
  const [cpu] = cpus();
  return {
    commit: git('rev-parse', 'HEAD'),
    modified: git('status', '--porcelain') !== '',
    date: new Date().toISOString(),
    machine: {
      cpu: cpu?.model ?? 'unknown',
      cores: cpus().length,
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release()}`,
      node: process.version.slice(1),
      postgres: 'not used',
      redis: 'not used',
    },
    rows: [],
  };
}

/** Runs git; empty if git or a repository is missing. */
function git(...args: string[]): string {
  try {
    return execFileSync('git', args, {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim();
  } catch {
    return '';
  }
}

/** Adds rows. Their figures are rounded here, so that a written report shows the same table. */
export function addOutcome(report: Report, bench: Name, { rows, versions }: Outcome): void {
  Object.assign(report.machine, versions);
  for (const { ours, baseline, ...row } of rows) {
    report.rows.push({
      bench,
      ...row,
      ours: ours.map(rounded),
      ...(baseline && { baseline: { ...baseline, figures: baseline.figures.map(rounded) } }),
    });
  }
}

const rounded = (figure: number): number => Number(figure.toPrecision(5));

export function writeReport(file: string, report: Report): void {
  writeFileSync(file, `${JSON.stringify(report, undefined, 1)}\n`);
}

/** Reads a report. @throws SetupError if the file is missing, or is not from `--json` */
export function readReport(file: string): Report {
  try {
    const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
    if (Array.isArray(report.rows) && typeof report.machine === 'object') return report;
  } catch (error) {
    throw new SetupError(`${file} could not be read: ${(error as Error).message}`);
  }
  throw new SetupError(`${file} was not written by --json`);
}

/** Formats place and time, and one table of all rows, in Markdown. */
export function showReport(report: Report): string {
  return [
    describe(report),
    '',
    ...table(
      ['what', 'baseline', "baseline's figure", 'ours', 'ratio', 'aim'],
      report.rows.map((row) => {
        const { what, unit, ours, baseline, skipped } = row;
        if (skipped !== undefined) return [what, '', '', `skipped: ${skipped}`, '', ''];
        const isCompared = baseline !== undefined;
        return [
          what,
          baseline?.what ?? '–',
          isCompared ? show(median(baseline.figures), unit) : '–',
          isCompared ? show(median(ours), unit) : withSpread(ours, unit),
          isCompared ? withSpread(ratiosOf(row)) : '–',
          showAim(row),
        ];
      }),
    ),
  ].join('\n');
}

export function describe({ commit, modified, date, machine }: Report): string {
  const { cpu, cores, memoryGiB, system, node, postgres, redis } = machine;
  return (
    `Commit ${commit.slice(0, 9) || 'unknown'}${modified ? ' with changes' : ''}, ${date}; ${cores} × ${cpu}, ${memoryGiB} GiB, ` +
    `${system}, Node ${node}, PostgreSQL ${postgres}, Redis ${redis}. Servers, service and load share it.`
  );
}

function showAim(row: Row): string {
  const { aim, better, unit, ours } = row;
  if (aim === undefined) return '–';
  const isRatio = 'ratio' in aim;
  const [target, actual] = isRatio ? [aim.ratio, median(ratiosOf(row))] : [aim.ours, median(ours)];
  const isAtLeast = isRatio || better === 'more';
  const isMet = isAtLeast ? actual >= target : actual <= target;
  const text = isRatio ? show(target) : show(target, unit);
  return `${isAtLeast ? 'at least' : 'at most'} ${text}${isMet ? '' : ', missed'}`;
}

/** Compares the rows that two reports share, by the change from the earlier to the later one. */
export function compareReports(before: Report, after: Report): string {
  const keyOf = ({ bench, what, baseline }: Report['rows'][number]) =>
    JSON.stringify([bench, what, baseline?.what]);
  const earlier = new Map(before.rows.map((row) => [keyOf(row), row]));
  const later = new Set(after.rows.map(keyOf));
  const removed = before.rows.filter((row) => !later.has(keyOf(row)));
  const isSameMachine = JSON.stringify(before.machine) === JSON.stringify(after.machine);
  return [
    `before: ${describe(before)}`,
    `after: ${describe(after)}`,
    ...(isSameMachine ? [] : ['The machines differ: only ratios can be compared.']),
    '',
    ...table(
      [
        'what',
        'baseline',
        'ours before',
        'ours after',
        'ratio before',
        'ratio after',
        'change',
        'beyond the spread',
      ],
      [
        ...after.rows.map((row) => compareRows(earlier.get(keyOf(row)), row)),
        ...removed.map((row) => compareRows(row, undefined)),
      ],
    ),
  ].join('\n');
}

function compareRows(before: Row | undefined, after: Row | undefined): string[] {
  const { what, baseline, unit, better } = (after ?? before)!;
  const ratios = [before, after].map((row) => (row ? ratiosOf(row) : []));
  const ours = [before, after].map((row) => row?.ours ?? []);
  const isByRatio = ratios.every(({ length }) => length > 0);
  const [old = [], now = []] = isByRatio ? ratios : ours;
  const change = (median(now) / median(old) - 1) * 100;
  return [
    what,
    baseline?.what ?? '–',
    ...ours.map((figures) => (figures.length > 0 ? show(median(figures), unit) : 'not measured')),
    ...ratios.map((figures) => (figures.length > 0 ? withSpread(figures) : '–')),
    Number.isFinite(change) ? `${change > 0 ? '+' : ''}${change.toFixed(0)}%` : '–',
    verdict(old, now, isByRatio || better === 'more'),
  ];
}

/**
 * A difference is beyond the spread if all figures of one report are above, or all below, those of
 * the other.
 */
function verdict(before: number[], after: number[], isMoreBetter: boolean): string {
  if (before.length === 0 || after.length === 0) return '–';
  if (before.length === 1 || after.length === 1) return 'unknown, one round';
  const isAbove = Math.min(...after) > Math.max(...before);
  const isBelow = Math.max(...after) < Math.min(...before);
  if (!isAbove && !isBelow) return 'no';
  return isAbove === isMoreBetter ? 'better' : 'worse';
}

/** Formats the median, with the minimum and maximum in brackets. */
function withSpread(figures: number[], unit: Row['unit'] = ''): string {
  const middle = show(median(figures), unit);
  if (figures.length < 2) return middle;
  return `${middle} (${show(Math.min(...figures))} to ${show(Math.max(...figures))})`;
}

function show(figure: number, unit: Row['unit'] = ''): string {
  const size = Math.abs(figure);
  const digits = size >= 100 || Number.isInteger(figure) ? 0 : size >= 10 ? 1 : 2;
  const text = figure.toLocaleString('en', { maximumFractionDigits: digits });
  return unit === '' || unit === '/s' ? `${text}${unit}` : `${text} ${unit}`;
}

export function table(header: string[], rows: string[][]): string[] {
  const widths = header.map((name, column) =>
    Math.max(name.length, ...rows.map((row) => row[column]!.length)),
  );
  const line = (cells: string[]) =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |`;
  return [
    line(header),
    `|${widths.map((width) => '-'.repeat(width + 2)).join('|')}|`,
    ...rows.map(line),
  ];
}
