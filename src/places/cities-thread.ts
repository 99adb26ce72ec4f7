import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { nameKey } from '../infra/name-key.ts';
import { MmdbFile } from '../visitors/mmdb-file.ts';
import { PLACE_MEMBERS, type PlaceData, toPlace, UNKNOWN } from '../visitors/places.ts';
import type { PackedCities } from './cities.ts';

/* The thread of `findCities`. */

const NICE = 10;

// On Linux this is the priority of this thread alone; elsewhere it would be that of the process.
if (process.platform === 'linux') setPriority(0, NICE);

/** Reads all cities of files of the database of places. */
function readCities(files: readonly string[]): PackedCities {
  const rangesOf = new Map<string, number>();
  for (const path of files) {
    const file = new MmdbFile<PlaceData>(path, { members: PLACE_MEMBERS });
    for (const record of file.records()) {
      const { city, country, region } = toPlace(record);
      if (city === UNKNOWN) continue;
      const place = `${city}\t${country}\t${region}`;
      rangesOf.set(place, (rangesOf.get(place) ?? 0) + 1);
    }
    file.close();
  }
  const cities = Array.from(rangesOf, ([place, ranges]) => {
    const key = nameKey(place.slice(0, place.indexOf('\t')));
    return { line: `${key}\t${place}`, ranges };
  }).toSorted((a, b) => (a.line < b.line ? -1 : 1));
  const starts = new Uint32Array(cities.length + 1);
  for (const [at, { line }] of cities.entries()) {
    starts[at + 1] = starts[at]! + Buffer.byteLength(line);
  }
  const lines = new Uint8Array(starts.at(-1)!);
  const bytes = Buffer.from(lines.buffer);
  for (const [at, { line }] of cities.entries()) bytes.write(line, starts[at]!);
  return { lines, starts, ranges: Uint32Array.from(cities, ({ ranges }) => ranges) };
}

const cities = readCities(workerData as string[]);
parentPort!.postMessage(cities, [cities.lines.buffer, cities.starts.buffer, cities.ranges.buffer]);
