import { geoCentroid } from 'd3-geo';
import { feature } from 'topojson-client';
import atlas from 'world-atlas/countries-110m.json?url';

/** ISO 3166-1 numeric codes of the atlas's countries, with their alpha-2 codes. */
const NUMBERS = `
004AF 008AL 010AQ 012DZ 024AO 031AZ 032AR 036AU 040AT 044BS 050BD 051AM 056BE 064BT 068BO
070BA 072BW 076BR 084BZ 090SB 096BN 100BG 104MM 108BI 112BY 116KH 120CM 124CA 140CF 144LK
148TD 152CL 156CN 158TW 170CO 178CG 180CD 188CR 191HR 192CU 196CY 203CZ 204BJ 208DK 214DO
218EC 222SV 226GQ 231ET 232ER 233EE 238FK 242FJ 246FI 250FR 260TF 262DJ 266GA 268GE 270GM
275PS 276DE 288GH 300GR 304GL 320GT 324GN 328GY 332HT 340HN 348HU 352IS 356IN 360ID 364IR
368IQ 372IE 376IL 380IT 384CI 388JM 392JP 398KZ 400JO 404KE 408KP 410KR 414KW 417KG 418LA
422LB 426LS 428LV 430LR 434LY 440LT 442LU 450MG 454MW 458MY 466ML 478MR 484MX 496MN 498MD
499ME 504MA 508MZ 512OM 516NA 524NP 528NL 540NC 548VU 554NZ 558NI 562NE 566NG 578NO 586PK
591PA 598PG 600PY 604PE 608PH 616PL 620PT 624GW 626TL 630PR 634QA 642RO 643RU 646RW 682SA
686SN 688RS 694SL 703SK 704VN 705SI 706SO 710ZA 716ZW 724ES 728SS 729SD 732EH 740SR 748SZ
752SE 756CH 760SY 762TJ 764TH 768TG 780TT 784AE 788TN 792TR 795TM 800UG 804UA 807MK 818EG
826GB 834TZ 840US 854BF 858UY 860UZ 862VE 887YE 894ZM`;

/** Longitude and latitude of countries that are too small for the atlas. */
const SMALL: Record<string, readonly [number, number]> = {
  AD: [1.5, 42.5],
  AG: [-61.8, 17.1],
  AW: [-70, 12.5],
  BB: [-59.5, 13.2],
  BH: [50.5, 26],
  BM: [-64.8, 32.3],
  CV: [-23.6, 15.1],
  CW: [-69, 12.2],
  DM: [-61.4, 15.4],
  FM: [158.2, 6.9],
  FO: [-6.9, 62],
  GD: [-61.7, 12.1],
  GG: [-2.6, 49.5],
  GI: [-5.3, 36.1],
  GP: [-61.5, 16.2],
  GU: [144.8, 13.4],
  HK: [114.2, 22.3],
  IM: [-4.5, 54.2],
  JE: [-2.1, 49.2],
  KI: [173, 1.4],
  KM: [43.3, -11.7],
  KN: [-62.7, 17.3],
  KY: [-81.2, 19.3],
  LC: [-61, 13.9],
  LI: [9.5, 47.2],
  MC: [7.4, 43.7],
  MH: [171.2, 7.1],
  MO: [113.5, 22.2],
  MQ: [-61, 14.6],
  MT: [14.4, 35.9],
  MU: [57.6, -20.3],
  MV: [73.5, 4.2],
  NR: [166.9, -0.5],
  PF: [-149.4, -17.7],
  PW: [134.6, 7.5],
  RE: [55.5, -21.1],
  SC: [55.5, -4.7],
  SG: [103.8, 1.35],
  SM: [12.5, 43.9],
  ST: [6.7, 0.2],
  TO: [-175.2, -21.2],
  TV: [179.2, -8.5],
  VC: [-61.2, 13.2],
  VG: [-64.6, 18.4],
  VI: [-64.9, 18.3],
  WS: [-172.1, -13.8],
  YT: [45.2, -12.8],
};

const CODES = new Map(
  NUMBERS.trim()
    .split(/\s+/)
    .map((pair) => [pair.slice(0, 3), pair.slice(3)]),
);

/** A country on the map. */
export interface Place {
  /** ISO 3166-1 alpha-2 code; empty for an area without a code. */
  code: string;
  /** Outline of the country; absent if it is drawn as a point. */
  outline?: GeoJSON.Feature;
  /** Longitude and latitude of the center. */
  middle: readonly [number, number];
}

type Atlas = Parameters<typeof feature>[0];

/** Loads the countries of the world except Antarctica. */
export async function loadPlaces(): Promise<Place[]> {
  const response = await fetch(atlas);
  if (!response.ok) throw new Error('The map could not be loaded');
  const topology = (await response.json()) as Atlas;
  const { features } = feature(topology, topology.objects['countries'] as never) as unknown as {
    features: GeoJSON.Feature[];
  };
  const drawn = features
    .map((outline) => ({ code: codeOf(outline), outline }))
    .filter(({ code }) => code !== 'AQ')
    .map((place) => ({ ...place, middle: middleOf(place) }));
  const points = Object.entries(SMALL).map(([code, middle]) => ({ code, middle }));
  return [...drawn, ...points];
}

function codeOf({ id, properties }: GeoJSON.Feature): string {
  if (properties?.['name'] === 'Kosovo') return 'XK';
  return CODES.get(String(id).padStart(3, '0')) ?? '';
}

/**
 * Centers of countries whose remote territories would shift the calculated center away from where
 * people live.
 */
const MIDDLES: Record<string, readonly [number, number]> = {
  CA: [-100, 54],
  FR: [2.5, 46.6],
  NO: [9, 61.5],
  US: [-98, 39.5],
};

const middleOf = ({ code, outline }: { code: string; outline: GeoJSON.Feature }) =>
  MIDDLES[code] ?? geoCentroid(outline);
