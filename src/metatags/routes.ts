import { type Route, route } from '../http/route.ts';
import { answerMetatags } from './answer.ts';
import { metatagsRecord } from './record.ts';
import { type MetatagsQuery, metatagsQuery } from './schema.ts';

export const metatagsRoutes: Route[] = [
  route<{ query: MetatagsQuery }>({
    method: 'get',
    path: '/metatags',
    operationId: 'retrieveMetatags',
    summary: 'Retrieve the metatags of a web page',
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
