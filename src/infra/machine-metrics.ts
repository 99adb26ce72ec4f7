import { readFile, statfs } from 'node:fs/promises';
import { totalmem } from 'node:os';
import { within } from './clock.ts';
import { machineMemory } from './machine.ts';
import { exportGauge } from './metrics.ts';

/** Longest time that a disk may take to tell its size, in ms: one that hangs must not keep other metrics waiting. */
const DISK_MS = 1_000;

/**
 * Starts the figures of the machine, or of the container where that is limited, that alerts need: memory, and the disk of
 * DATA_DIR.
 */
export function startMachineMetrics(dataDir: string): void {
  const disk = (name: string, help: string, blocks: 'bavail' | 'blocks') =>
    exportGauge({ name, help }, async (gauge) => {
      try {
        const found = await within(DISK_MS, statfs(dataDir), 'reading the size of the disk');
        gauge.set(found[blocks] * found.bsize);
      } catch {
        // Most processes write nothing there, so that the folder need not exist.
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

/** In bytes. In a limited group, Node counts cached files as taken, which the kernel gives up for programs. */
async function availableMemory(): Promise<number> {
  const available = process.availableMemory();
  if (machineMemory() === totalmem()) return available;
  try {
    const group = /^0::(.*)$/m.exec(await readFile('/proc/self/cgroup', 'utf8'))![1]!;
    const text = await readFile(`/sys/fs/cgroup${group}/memory.stat`, 'utf8');
    const [, cached] = /^inactive_file (\d+)$/m.exec(text)!;
    return Math.min(available + Number(cached), machineMemory());
  } catch {
    // Another version of cgroups.
    return available;
  }
}
