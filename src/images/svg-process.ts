import { readdirSync, writeFileSync, writeSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import sharp from 'sharp';
import { machineMemory } from '../infra/machine.ts';
import { withVector } from './vector/stored.ts';
import { vectorOfSvg } from './vector/svg.ts';

/*
 * Draws the SVG on standard input as PNG on standard output, with the shapes of one that consists
 * of shapes. This is a separate process, because a drawing of a few kilobytes can keep librsvg busy
 * for minutes, and only the end of its process stops it.
 */

/** Longer side, in px. */
const SIDE = 1_024;
const MAX_PIXELS = 25_000_000;
/** Density of an SVG's own px per inch, and the maximum of librsvg. */
const OWN_DENSITY = 72;
const MAX_DENSITY = 100_000;
const MIB = 2 ** 20;
/**
 * Memory limit in bytes. A node process that draws nothing takes 58 MB, most drawings less than 40
 * MB more.
 */
const MAX_MEMORY = Math.min(256 * MIB, Math.max(128 * MIB, machineMemory() / 8));
/** Processor time limit in µs, including the start. */
const MAX_CPU = 5_000_000;
/**
 * Minimum niceness of the process. The lowest priority would get nothing on a machine whose cores
 * are all busy.
 */
const MIN_NICENESS = 5;
/** Interval at which both limits are checked, in ms. librsvg draws in another thread. */
const CHECK_INTERVAL_MS = 10;
/** Exit code for an SVG that cannot be drawn. */
const REFUSED = 2;

yieldToOthers();
setInterval(() => {
  const { user, system } = process.cpuUsage();
  if (process.memoryUsage.rss() > MAX_MEMORY) end('memory');
  else if (user + system > MAX_CPU) end('time');
}, CHECK_INTERVAL_MS).unref();

const chunks: Buffer[] = [];
for await (const chunk of process.stdin) chunks.push(chunk as Buffer);
try {
  const svg = Buffer.concat(chunks);
  const png = await draw(svg);
  const vector = vectorOfSvg(svg.toString());
  process.stdout.write(vector === undefined ? png : withVector(png, vector));
} catch (error) {
  process.stderr.write(String(error));
  process.exitCode = REFUSED;
}

async function draw(svg: Buffer): Promise<Buffer> {
  // The size of an SVG is often that of an icon, so it is rendered at the stored size.
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
 * Lowers the priority of this process below that of requests, and lets the kernel end it first if
 * memory runs out.
 */
function yieldToOthers(): void {
  const niceness = Math.max(getPriority(), MIN_NICENESS);
  setPriority(niceness);
  if (process.platform !== 'linux') return;
  writeFileSync('/proc/self/oom_score_adj', '1000');
  // On Linux each thread has its own priority, and drawing threads of the pool may already have
  // started.
  for (const thread of readdirSync('/proc/self/task')) setPriority(Number(thread), niceness);
}

/**
 * Ends the process with the exceeded limit on standard error. A normal exit would wait for the
 * drawing thread.
 */
function end(limit: 'memory' | 'time'): void {
  writeSync(2, `\nlimit: ${limit}`);
  process.kill(process.pid, 'SIGKILL');
}
