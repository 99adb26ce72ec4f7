import { expect } from 'chai';
import type { ApiClient } from './client.ts';
import { eventually } from './eventually.ts';

type Kind = 'links' | 'qrcodes';

/** A bulk change, as the endpoint returns it. */
// oxlint-disable-next-line typescript/no-explicit-any -- the body of an answer
type Body = any;

const AT_REST = ['checked', 'done', 'cancelled', 'undone'];

/** Waits until a bulk change needs no more work, and returns it. */
export const settled = (
  api: ApiClient,
  id: string,
  kind: Kind = 'links',
  ms?: number,
): Promise<Body> =>
  eventually(async () => {
    const { body } = await api.get(`/bulk-changes/${kind}/${id}`);
    expect(body.state, JSON.stringify(body)).to.be.oneOf(AT_REST);
    return body;
  }, ms);

/** Makes a bulk change, and returns it once it has ended. */
export async function changedInBulk(
  api: ApiClient,
  body: object,
  kind: Kind = 'links',
  ms?: number,
): Promise<Body> {
  const { status, body: created } = await api.post(`/bulk-changes/${kind}`, body);
  expect(status, JSON.stringify(created)).to.equal(201);
  return settled(api, created.id, kind, ms);
}

/** Undoes a bulk change, and returns it once it is undone. */
export async function undoneInBulk(
  api: ApiClient,
  id: string,
  kind: Kind = 'links',
  ms?: number,
): Promise<Body> {
  const { status, body } = await api.post(`/bulk-changes/${kind}/${id}/undo`);
  expect(status, JSON.stringify(body)).to.equal(200);
  return settled(api, id, kind, ms);
}
