import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { line } from './fields.ts';

/** A position on Earth, in degrees of WGS 84. */
export interface Location {
  latitude: number;
  longitude: number;
  /** Name of the place, for maps. */
  query?: string;
}

/**
 * Seven decimal places are about a centimeter. No exponent, and a point as the separator (RFC 5870,
 * section 3.3).
 */
const degrees = (value: number): string =>
  value
    .toFixed(7)
    .replace(/\.?0+$/, '')
    .replace(/^-0$/, '0');

const point = ({ latitude, longitude }: Location): string =>
  `${degrees(latitude)},${degrees(longitude)}`;

/**
 * Builds a geo URI (RFC 5870). Its grammar has no name for a place; Android reads one from `q`, in
 * brackets after the position, and others ignore the unknown parameter.
 */
function geoUri(location: Location): string {
  const geo = `geo:${point(location)}`;
  if (location.query === undefined) return geo;
  const label = encodeURIComponent(location.query).replaceAll('(', '%28').replaceAll(')', '%29');
  return `${geo}?q=${point(location)}(${label})`;
}

/** A location; the contract calls it `latlog`. */
export const location: ContentType<Location> = {
  name: 'latlog',
  description: 'A place: `{latitude, longitude, query?}` in decimal degrees.',
  schema: Joi.object({
    latitude: Joi.number()
      .strict()
      .min(-90)
      .max(90)
      .required()
      .description('Latitude in degrees.')
      .example(52.52),
    longitude: Joi.number()
      .strict()
      .min(-180)
      .max(180)
      .required()
      .description('Longitude in degrees.')
      .example(13.405),
    query: line(200).empty('').description('Name of the place, at most 200 characters.'),
  }).meta({ name: 'LocationContent' }),
  encode: geoUri,
  onVisit: (content) => {
    const at = point(content);
    const [latitude, longitude] = at.split(',');
    const name = encodeURIComponent(content.query ?? at);
    return {
      page: {
        type: 'latlog',
        title: content.query ?? 'Location',
        ...(content.query === undefined ? {} : { isOwnTitle: true as const }),
        actions: [
          {
            label: 'Google Maps',
            href: `https://www.google.com/maps/search/?api=1&query=${at}`,
          },
          { label: 'Apple Maps', href: `https://maps.apple.com/?ll=${at}&q=${name}` },
          {
            label: 'OpenStreetMap',
            href: `https://www.openstreetmap.org/?mlat=${latitude}&mlon=${longitude}#map=17/${latitude}/${longitude}`,
          },
        ],
        rows: [{ label: 'Coordinates', value: at, href: geoUri(content), copy: true }],
        place: { latitude: content.latitude, longitude: content.longitude },
      },
    };
  },
};
