import { type Route, route } from '../http/route.ts';
import { answerImage, answerMetatags } from './answer.ts';
import { metatagsRecord } from './record.ts';
import { imageQuery, type MetatagsQuery, metatagsQuery } from './schema.ts';

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
  route<{ query: MetatagsQuery }>({
    method: 'get',
    path: '/metatags/image',
    operationId: 'retrieveMetatagsImage',
    summary: 'Retrieve an image of a web page',
    description:
      'Fetches an image of any host, such as the `image` of metatags, and returns it as a WebP of at most 800 × 420 px ' +
      'without metadata; of an animation, the first frame. So a page can show it that loads nothing from other hosts. ' +
      'Has a limit of its own, by workspace. Images are kept for an hour.',
    extension: true,
    tag: 'Metatags',
    scope: 'links.read',
    limit: 'fetch',
    query: imageQuery,
    answers: { 200: { media: ['image/webp'] } },
    handle: (request) => answerImage(request, request.query.url),
  }),
];
