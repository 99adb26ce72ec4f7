import { Joi, text } from '../http/fields.ts';
import { ok, type Route, route } from '../http/route.ts';
import { findCities } from './cities.ts';

/** Maximum number of cities in an answer. */
const MAX_CITIES = 20;

const city = Joi.object({
  city: Joi.string().required().description('Name of the city.').example('Munich'),
  country: Joi.string().required().description('Country: ISO 3166-1 alpha-2.').example('DE'),
  region: Joi.string().required().description('Region: ISO 3166-2 if known.').example('DE-BY'),
}).meta({ name: 'City' });

export const placeRoutes: Route[] = [
  route<{ query: { search: string } }>({
    extension: true,
    tag: 'Links',
    scope: 'links.read',
    method: 'get',
    path: '/places/cities',
    operationId: 'listCities',
    limits: 'none',
    summary: 'Find cities',
    description:
      'Finds cities by the beginning of their names, as the database of places has them: for rules, ' +
      'and for filters of events. The first request after a start takes a few seconds.',
    query: Joi.object<{ search: string }>({
      search: text(200)
        .required()
        .description('Beginning of the name, regardless of case and accents.')
        .example('zür')
        .example('mun'),
    }),
    answers: {
      200: Joi.array()
        .items(city)
        .description(`Up to ${MAX_CITIES} cities, those with the most IP addresses first.`),
    },
    handle: async ({ query, log }) => ok(await findCities(query.search, MAX_CITIES, log)),
  }),
];
