import { Worker } from 'node:worker_threads';
import { LRUCache } from 'lru-cache';
import type { Log } from '../infra/log.ts';
import { cityKey } from '../visitors/city.ts';
import { placeFiles, stateOf } from '../visitors/places.ts';

/** A city of the database of places. */
export interface City {
  city: string;
  country: string;
  region: string;
}

/** The cities of the database, in memory that a thread can hand over without a copy. */
export interface PackedCities {
  /** A line for each city, in order: `key \t city \t country \t region`. */
  lines: Uint8Array<ArrayBuffer>;
  /** Start of each line, and the end of the last one. */
  starts: Uint32Array<ArrayBuffer>;
  /** Number of address ranges of each city. */
  ranges: Uint32Array<ArrayBuffer>;
}

/** After all keys that begin with a text, when appended to it. */
const LAST = '\uffff';

const NONE: PackedCities = {
  lines: new Uint8Array(),
  starts: new Uint32Array(1),
  ranges: new Uint32Array(),
};

/** The cities of the files in their present state. */
const memory = new LRUCache<string, Promise<PackedCities>>({ max: 1 });

/** Resolves to the cities of the present files, which are read once. */
async function readCities(log: Log): Promise<PackedCities> {
  try {
    const files = placeFiles();
    const state = await stateOf(files);
    const reading = memory.get(state) ?? readInThread(files);
    memory.set(state, reading);
    return await reading.catch((error: unknown) => {
      memory.delete(state);
      throw error;
    });
  } catch (error) {
    log.warn({ err: error }, 'the cities of the database of places could not be read');
    return NONE;
  }
}

/**
 * Finds cities whose name begins with a text, regardless of case and accents, those with the most
 * address ranges first. None are found if the files cannot be read, which is logged.
 */
export async function findCities(search: string, limit: number, log: Log): Promise<City[]> {
  const cities = await readCities(log);
  const key = cityKey(search);
  const first = indexOf(cities, key);
  const matches = Array.from(
    { length: indexOf(cities, key + LAST) - first },
    (_, at) => first + at,
  );
  return matches
    .toSorted((a, b) => cities.ranges[b]! - cities.ranges[a]!)
    .slice(0, limit)
    .map((at) => {
      const [, city, country, region] = lineAt(cities, at).split('\t');
      return { city: city!, country: country!, region: region! };
    });
}

/** Returns the index of the first line that does not sort before a text. */
function indexOf(cities: PackedCities, text: string): number {
  let [low, high] = [0, cities.ranges.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lineAt(cities, middle) < text) low = middle + 1;
    else high = middle;
  }
  return low;
}

const lineAt = ({ lines, starts }: PackedCities, at: number): string =>
  Buffer.from(lines.buffer, starts[at]!, starts[at + 1]! - starts[at]!).toString();

/** Reads the cities in a thread, because that takes seconds and 80 MB. */
function readInThread(files: readonly string[]): Promise<PackedCities> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('./cities-thread.js', import.meta.url), {
      workerData: files,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 4 },
    });
    thread.unref();
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => reject(new Error('The thread ended without cities')));
  });
}
