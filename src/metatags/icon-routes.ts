import { createHash } from 'node:crypto';
import type { ObjectSchema } from 'joi';
import { config } from '../config.ts';
import { isAmong } from '../http/etag.ts';
import { Joi, text } from '../http/fields.ts';
import {
  type Answer,
  type ApiRequest,
  found,
  NO_CONTENT,
  noContent,
  type Route,
  route,
} from '../http/route.ts';
import type { Tag } from '../http/tags.ts';
import { findIcon } from '../images/icons.ts';
import { queueIcon, siteOf } from '../short-links/destination.ts';

/** Maximum length of a host with its port. */
const MAX_HOST = 260;
/** Time for which browsers store an icon whose host they have named. */
const CACHE_SECONDS = 7 * 86_400;

interface IconQuery {
  host?: string;
}

const iconQuery = Joi.object<IconQuery>({
  host: text(MAX_HOST)
    .description(
      'Host of the destination, with its port if it is not the default one. The response can then be cached, and ' +
        'is empty if the destination has another host.',
    )
    .example('www.example.com'),
});

/** The parts in which the icons of links and those of QR codes differ. */
interface IconSource {
  kind: 'link' | 'qrcode';
  tag: Tag;
  /** Path of a record, with the parameter of `params`. */
  path: string;
  params: ObjectSchema;
  /** Reads a record by its id, or by `ext_` and the caller's own id. */
  findByRef(projectId: string, ref: string): Promise<{ url?: unknown } | undefined>;
}

/** Endpoint of the icons of destinations, an extension of the contract. */
export function iconRoutes({ kind, tag, path, params, findByRef }: IconSource): Route[] {
  const noun = kind === 'link' ? 'link' : 'QR code';
  return [
    route<{ params: Record<string, string>; query: IconQuery }>({
      method: 'get',
      path: `${path}/icon`,
      operationId: kind === 'link' ? 'retrieveLinkIcon' : 'retrieveQrCodeIcon',
      limits: 'records',
      summary: `Retrieve the icon of the destination of a ${noun}`,
      description:
        `Returns the icon of the site that a ${noun} goes to, as a PNG of at most 64 × 64 px: the icon that the home ` +
        'page of the site names, or its `/favicon.ico`. 204 if there is none, or none yet: it is then read in the ' +
        'background. Icons are read again after 30 days.',
      extension: true,
      tag,
      scope: `${kind}s.read`,
      params,
      query: iconQuery,
      answers: { 200: { media: ['image/png'] }, 204: NO_CONTENT },
      async handle(request) {
        const [ref = ''] = Object.values(request.params);
        const { url } = found(await findByRef(request.caller.projectId, ref), `${noun} "${ref}"`);
        return answerIcon(request, siteOf(url), request.query.host);
      },
    }),
  ];
}

async function answerIcon(
  { caller: { projectId }, queues, ifNoneMatch, log }: ApiRequest,
  origin: string | undefined,
  host: string | undefined,
): Promise<Answer> {
  if (origin === undefined || (host !== undefined && new URL(origin).host !== host)) {
    return noContent;
  }
  const icon = await findIcon(projectId, origin);
  if (icon?.isFresh !== true && config().DESTINATION_ICONS === 'on') {
    // Nobody waits for it: the next request gets it.
    queueIcon(queues.producer, projectId, origin).catch((err: unknown) => {
      log.warn({ err }, 'an icon could not be requested');
    });
  }
  if (icon === undefined || icon.png === null) return noContent;
  const headers = {
    ETag: `"${createHash('sha256').update(icon.png).digest('base64url').slice(0, 22)}"`,
    'Cache-Control': host === undefined ? 'private, no-cache' : `private, max-age=${CACHE_SECONDS}`,
    'Content-Type': 'image/png',
    'Content-Security-Policy': "default-src 'none'; sandbox",
    'X-Content-Type-Options': 'nosniff',
  };
  if (isAmong(ifNoneMatch, headers.ETag)) return { status: 304, body: undefined, headers };
  return { status: 200, body: icon.png, headers };
}
