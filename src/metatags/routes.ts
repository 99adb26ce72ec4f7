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
      'Limited per client IP address. Reads the HTML that the server sends, up to the end of the ' +
      'head: Open Graph first, then Twitter, then plain HTML; null if the page has none. ' +
      'Responses are cached for an hour.',
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
    limits: 'none',
    summary: 'Retrieve an image of a web page',
    description:
      'Fetches an image from any host, such as the `image` of metatags, and returns it as a WebP ' +
      'of at most 800 × 420 px without metadata; for an animation, the first frame. Pages that ' +
      'load nothing from other hosts can show it. Has a separate limit per workspace. Images ' +
      'are cached for an hour.',
    extension: true,
    tag: 'Metatags',
    scope: 'links.read',
    limit: 'fetch',
    query: imageQuery,
    answers: { 200: { media: ['image/webp'] } },
    handle: (request) => answerImage(request, request.query.url),
  }),
];
