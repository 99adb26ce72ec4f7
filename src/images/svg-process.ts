import { readdirSync, writeFileSync, writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import sharp from 'sharp';
import { machineMemory } from '../infra/machine.ts';

/*
 * Draws the SVG on standard input, as PNG on standard output. A process of its own, since a drawing of a few
 * kilobytes can keep librsvg busy for minutes, and nothing but the end of its process stops it.
 */

/** Longer side, in px. */
const SIDE = 1_024;
const MAX_PIXELS = 25_000_000;
/** An SVG's own px per inch, and the most that librsvg takes. */
const OWN_DENSITY = 72;
const MAX_DENSITY = 100_000;
const MIB = 2 ** 20;
/** Most memory, in bytes: a node process that draws nothing takes 58 MB, most drawings less than 40 MB more. */
const MAX_MEMORY = Math.min(256 * MIB, Math.max(128 * MIB, machineMemory() / 8));
/** Most processor time, in µs; that of the start is a part of it. */
const MAX_CPU = 5_000_000;
/** Niceness, where the worker has not more. The lowest priority would get nothing on a machine with work for all its cores. */
const LEAST_NICENESS = 5;
/** Interval at which both are looked at, in ms. librsvg draws in another thread. */
const LOOK_EVERY_MS = 10;
/** Exit code for an SVG that cannot be drawn. */
const REFUSED = 2;

yieldToOthers();
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (process.memoryUsage.rss() > MAX_MEMORY) end('memory');
  else if (user + system > MAX_CPU) end('time');
}, LOOK_EVERY_MS).unref();

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
try {
  process.stdout.write(await draw(Buffer.concat(chunks)));
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = REFUSED;
}

async function draw(svg: Buffer): Promise<Buffer> {
  // The size of an SVG is often that of an icon: it is rendered at the size at which it is stored.
  const { width, height } = await sharp(svg, { limitInputPixels: MAX_PIXELS }).metadata();
  const density = (OWN_DENSITY * SIDE) / Math.max(width, height);
  return sharp(svg, {
    limitInputPixels: MAX_PIXELS,
    density: Math.min(MAX_DENSITY, Math.max(1, density)),
  })
    .png({ compressionLevel: 1 })
    .toBuffer();
}

/**
 * Lets what visitors and clients wait for have the processor first, and lets the kernel end this process first where memory
 * runs out.
 */
function yieldToOthers(): void {
  const niceness = Math.max(getPriority(), LEAST_NICENESS);
  setPriority(niceness);
  if (process.platform !== 'linux') return;
  writeFileSync('/proc/self/oom_score_adj', '1000');
  // On Linux a priority is that of a thread, and those of the thread pool, which draw, may have begun.
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
}

/** Ends the process, with the limit on standard error. To exit would wait for the thread that draws. */
function end(limit: 'memory' | 'time'): void {
  writeSync(2, `\nlimit: ${limit}`);
  process.kill(process.pid, 'SIGKILL');
}
