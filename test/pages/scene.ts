import { Site } from '../support/site.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/** Where visitors come from and where they are led. */
export interface Scene {
  world: World;
  /** A site of its own origin. */
  site: Site;
  destination: string;
  /** Makes a link to the destination; answers with its record and where it is here. */
  link(fields?: object): Promise<{ id: string; key: string; url: string }>;
  /** Makes a page before destinations, and answers with its id. */
  page(fields?: object): Promise<string>;
}

/** Makes a record with the API. */
export async function made(world: World, path: string, body: object) {
  const answer = await world.api.post(path, body);
  if (answer.status !== 201) throw new Error(`${path}: ${JSON.stringify(answer.body)}`);
  return answer.body;
}

/** Where a key is here. */
export const here = ({ domain }: World, key: string): string =>
  `http://${domain}:${stack().redirectPort}/${key}`;

/** A workspace with a domain, and a site. */
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

/** The owner's own page, with a form that is sent to the URL in `continue`. */
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
