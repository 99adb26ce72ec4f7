import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Start and destination of a flow. */
export interface Scene {
  world: World;
  /** Site with a separate origin. */
  site: Site;
  destination: string;
  /** Creates a link to the destination, and resolves with its record and local URL. */
  link(fields?: object): Promise<{ id: string; key: string; url: string }>;
  /** Creates a page before the destination, and resolves with its id. */
  page(fields?: object): Promise<string>;
}

/** Creates a record with the API, and throws if that fails. */
export async function made(world: World, path: string, body: object) {
  const answer = await world.api.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Returns the local URL of a key. */
export const here = ({ domain }: World, key: string): string =>
  `http://${domain}:${stack().redirectPort}/${key}`;

/** Creates a workspace with a domain, to be used with a site. */
export async function aScene(site: Site): Promise<Scene> {
  const world = await aWorkspace();
  const destination = site.answer('/arrived', html(sitePage('Arrived', FURTHER)));
  site.answer('/further', html(sitePage('Further')));
  site.answer('/picture.svg', { type: 'image/svg+xml', body: PICTURE });
  return {
    world,
    site,
    destination,
    async link(fields = {}) {
      const { id, key } = await made(world, '/links', { url: destination, ...fields });
      return { id, key, url: here(world, key) };
    },
    async page(fields = {}) {
      return (await made(world, '/pages', { title: 'Before you go', ...fields })).id;
    },
  };
}

const PICTURE =
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360"><rect width="640" height="360" fill="#8fb3ff"/></svg>';
const FURTHER = '<p><a href="/further">Further</a></p>';

const html = (body: string) => ({ type: 'text/html; charset=utf-8', body });

const sitePage = (title: string, body = '') => `<!doctype html><html lang="en">
<meta name="viewport" content="width=device-width"><title>${title}</title>
<main><h1>${title}</h1>${body}</main></html>`;

/** Serves the owner's page, with a form that posts to the URL in `continue`. */
export function ownersPage(site: Site): string {
  return site.answer('/own', (request, response) => {
    const onward = new URL(request.url!, site.url).searchParams.get('continue') ?? '';
    response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(
      sitePage(
        'Our own page',
        `<form method="post" action="${onward.replaceAll('&', '&amp;')}">
<label for="name">Name</label><input id="name" name="name" style="min-height:44px">
<button style="min-height:44px">Send</button></form>`,
      ),
    );
  });
}
