import { answerMetatags } from '../api/answer-metatags.ts';
import { type Route, route } from '../api/route.ts';
import { metatagsRecord } from './record.ts';
import { type MetatagsQuery, metatagsQuery } from './schema.ts';

export const metatagsRoutes: Route[] = [
  route<{ query: MetatagsQuery }>({
    method: 'get',
    path: '/metatags',
    summary: 'Get title, description and image of any page',
    description:
      'Public: needs no API key, and is limited by address. Reads the page as its server sends it, up to the end of ' +
      'its head: Open Graph before Twitter before plain HTML; null where the page says nothing. Answers are kept for ' +
      'an hour.',
    tag: 'Metatags',
    scope: 'public',
    query: metatagsQuery,
    answers: { 200: metatagsRecord },
    handle: (request) => answerMetatags(request, request.query.url),
  }),
];
