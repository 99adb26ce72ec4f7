import { readdirSync, readFileSync } from 'node:fs';

/** A process and all that it started, with their names. */
export function withDescendants(pid: number): { id: number; name: string }[] {
  const all = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((id) => {
      const stat = readText(`/proc/${id}/stat`);
      const [, short = '', parent = ''] = /\((.*)\) \S (\d+)/.exec(stat) ?? [];
      // Linux keeps 15 characters of a name there.
      const [name = short] =
        short.length === 15 ? readText(`/proc/${id}/cmdline`).split('\0') : [short];
      return stat === '' ? [] : [{ id: Number(id), name, parent: Number(parent) }];
    });
  const found = all.filter(({ id }) => id === pid);
  for (const { id } of found) found.push(...all.filter(({ parent }) => parent === id));
  return found;
}

/** True for a process that draws an SVG. */
export const isDrawing = (pid: number): boolean =>
  readText(`/proc/${pid}/cmdline`).includes('svg-process');

/** Memory in MB, its share of what is shared; of a process of another account, what is resident. */
export function proportional(pid: number): number {
  const text = readText(`/proc/${pid}/smaps_rollup`) || readText(`/proc/${pid}/status`);
  const [, kilobytes = 0] = /^(?:Pss|VmRSS):\s+(\d+) kB/m.exec(text) ?? [];
  return Number(kilobytes) / 1024;
}

/** Empty where a process has ended, or is not ours. */
function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
