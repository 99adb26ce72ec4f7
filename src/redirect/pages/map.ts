import type { DisplayPage } from '../../lookup/display-page.ts';
import { type Language, say } from '../../web/language.ts';
import { type Html, html, NOTHING } from '../../web/layout.ts';

/** The map of the operator. */
export interface TileHost {
  /** URL of a tile with `{z}`, `{x}` and `{y}` (Web Mercator, 256 px). */
  tiles: string;
  /** Text that the source of the tiles requires; may be empty. */
  attribution: string;
}

/** Side of a tile, in px. */
const TILE = 256;
const ZOOM = 16;
/** Size of the map in px at its own scale. */
const MAP = { width: 480, height: 240 };
/** Latitude beyond which Web Mercator has no tiles, in degrees. */
const MAX_LATITUDE = 85.0511;

/** Position of a place on the map of the world at the zoom, in px. */
function pixelOf({ latitude, longitude }: { latitude: number; longitude: number }) {
  const side = TILE * 2 ** ZOOM;
  const sine = Math.sin((latitude * Math.PI) / 180);
  return {
    x: ((longitude + 180) / 360) * side,
    y: (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * side,
  };
}

/** Numbers of the tiles that cover a range of px. */
function tilesOf(start: number, length: number): number[] {
  const first = Math.floor(start / TILE);
  const last = Math.floor((start + length) / TILE);
  return Array.from({ length: last - first + 1 }, (_, at) => first + at);
}

/**
 * A map around a place, of tiles that the browser loads; nothing without a map of the operator. It
 * is an SVG, since the policy of pages forbids positions in styles.
 */
export function mapHtml(
  place: DisplayPage['place'],
  host: TileHost | undefined,
  language: Language,
): Html {
  if (place === undefined || host === undefined || Math.abs(place.latitude) > MAX_LATITUDE) {
    return NOTHING;
  }
  const { x, y } = pixelOf(place);
  const [left, top] = [x - MAP.width / 2, y - MAP.height / 2];
  const count = 2 ** ZOOM;
  const images = tilesOf(top, MAP.height)
    .filter((row) => row >= 0 && row < count)
    .flatMap((row) =>
      tilesOf(left, MAP.width).map((column) => {
        const values = { z: ZOOM, x: (column + count) % count, y: row };
        const url = host.tiles.replaceAll(/\{([zxy])\}/g, (_, name: keyof typeof values) =>
          String(values[name]),
        );
        const [at, down] = [column * TILE - left, row * TILE - top].map(Math.round);
        return html`<image href="${url}" x="${at!}" y="${down!}" width="${TILE}" height="${TILE}"/>`;
      }),
    );
  const [middle, bottom] = [MAP.width / 2, MAP.height / 2];
  const pin = `M${middle} ${bottom}c-4-8-10-13-10-20a10 10 0 0 1 20 0c0 7-6 12-10 20z`;
  const source =
    host.attribution === '' ? NOTHING : html`<figcaption>${host.attribution}</figcaption>`;
  return html`<figure>
<svg class="map" viewBox="0 0 ${MAP.width} ${MAP.height}" role="img" aria-label="${say(language, 'Map')}">${images}<path d="${pin}"/></svg>
${source}</figure>`;
}
