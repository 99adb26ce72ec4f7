import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { eventually } from './eventually.ts';
import type { World } from './world.ts';

export type Query = Record<string, string | boolean | string[]>;

/** Uploads a file of links. */
export const upload = (world: World, file: string | Uint8Array, query: Query = {}, headers = {}) =>
  world.api.post('/imports', file, {
    query,
    headers: { 'content-type': 'text/csv', ...headers },
  });

const AT_REST = ['checked', 'done', 'cancelled', 'undone', 'failed'];

/** Waits until an import needs no more work, and returns it. */
export const rest = (world: World, id: string, ms?: number) =>
  eventually(async () => {
    const { body } = await world.api.get(`/imports/${id}`);
    expect(body.state).to.be.oneOf(AT_REST);
    return body;
  }, ms);

/** Uploads a file, and returns its import once that has ended. */
export async function imported(world: World, file: string | Uint8Array, query: Query = {}) {
  const { status, body } = await upload(world, file, query);
  expect(status, JSON.stringify(body)).to.equal(201);
  return rest(world, body.id);
}

/** Returns the export of another service, with the domain of a workspace as its own. */
export const exportOf = (file: string, domain: string): string =>
  readFileSync(`test/data/peers/${file}`, 'utf8').replaceAll('go.example.com', domain);

/** Reads the link with a key. */
export const linkOf = async (world: World, key: string, domain = world.domain) =>
  (await world.api.get('/links/info', { domain, key })).body;
