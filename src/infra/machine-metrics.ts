import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { within } from './clock.ts';
import { machineMemory } from './machine.ts';
import { exportGauge } from './metrics.ts';

/**
 * Time limit for reading the size of a disk, in ms, so that a hanging disk does not block other
 * metrics.
 */
const DISK_MS = 1_000;

/**
 * Exports metrics of the machine, or of the container if its memory is limited, for alerts: memory,
 * and the disk of DATA_DIR.
 */
export function startMachineMetrics(dataDir: string): void {
  const disk = (name: string, help: string, blocks: 'bavail' | 'blocks') =>
    exportGauge({ name, help }, async (gauge) => {
      try {
        const stats = await within(DISK_MS, statfs(dataDir), 'reading the size of the disk');
        gauge.set(stats[blocks] * stats.bsize);
      } catch {
        // Most processes write nothing there, so the folder may be missing.
        gauge.remove();
      }
    });
  disk('shortlinks_disk_free_bytes', 'Free space on the disk of DATA_DIR', 'bavail');
  disk('shortlinks_disk_size_bytes', 'Size of the disk of DATA_DIR', 'blocks');
  exportGauge(
    {
      name: 'shortlinks_memory_available_bytes',
      help: 'Memory of the machine, or of the container or unit with a limit, that programs may still take',
    },
    async (gauge) => gauge.set(await availableMemory()),
  );
  exportGauge(
    {
      name: 'shortlinks_memory_size_bytes',
      help: 'Memory of the machine, or the limit of the container or unit',
    },
    (gauge) => gauge.set(machineMemory()),
  );
}

/**
 * Returns the available memory in bytes. In a group with a limit, Node counts cached files as used,
 * although the kernel frees them for programs.
 */
async function availableMemory(): Promise<number> {
  const available = process.availableMemory();
  if (machineMemory() === totalmem()) return available;
  try {
    const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))![1]!;
    const text = await readFile(`/sys/fs/cgroup${group}/memory.stat`, 'utf8');
    const [, cached] = /^inactive_file (\d+)$/m.exec(text)!;
    return Math.min(available + Number(cached), machineMemory());
  } catch {
    // The container uses another version of cgroups.
    return available;
  }
}
