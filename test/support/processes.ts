import { readdirSync, readFileSync } from 'node:fs';

/** Returns processes, then their descendants, with their names. */
export function withDescendants(...pids: number[]): { id: number; name: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      const stat = readText(`/proc/${id}/stat`);
      const [, short = '', parent = ''] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
      // Linux keeps only 15 characters of a name there.
      const [name = short] =
        short.length === 15 ? readText(`/proc/${id}/cmdline`).split('\0') : [short];
      return stat === '' ? [] : [{ id: Number(id), name, parent: Number(parent) }];
    });
  const processes = all.filter(({ id }) => pids.includes(id));
  for (const { id } of processes) processes.push(...all.filter(({ parent }) => parent === id));
  return processes;
}

/** True for a process that draws an SVG. */
export const isDrawing = (pid: number): boolean =>
  readText(`/proc/${pid}/cmdline`).includes('svg-process');

/** Proportional memory of a process in MB; resident memory for a process of another account. */
export function proportional(pid: number): number {
  const text = readText(`/proc/${pid}/smaps_rollup`) || readText(`/proc/${pid}/status`);
  const [, kilobytes = 0] = /^(?:Pss|VmRSS):\s+(\d+) kB/m.exec(text) ?? [];
  return Number(kilobytes) / 1024;
}

/** Reads a file; empty if the process has ended or belongs to another account. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
