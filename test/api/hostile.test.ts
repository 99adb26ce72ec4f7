import { expect } from 'chai';
import { routes } from '../../src/api/routes.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, type World } from '../support/world.ts';

/*
 * Wrong inputs by the hundred: every field of every body and every parameter of every query gets every
 * hostile value. Whatever comes, the answer is one of the contract, never a 500, and the service goes on.
 */

const CONTRACT = [200, 201, 202, 400, 401, 403, 404, 409, 410, 422, 429];

const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);

/** As JSON texts, since some can't be written otherwise. */
const HOSTILE_JSON: [name: string, json: string][] = [
  ['null', 'null'],
  ['a number', '42'],
  ['a fraction below zero', '-0.5'],
  ['a number beyond doubles', '1e999'],
  ['true', 'true'],
  ['an empty text', '""'],
  ['a null character', '"a\\u0000b"'],
  ['half a surrogate pair', '"\\ud800"'],
  ['a long text', JSON.stringify('x'.repeat(100_000))],
  ['SQL', '"\'; DROP TABLE links; --"'],
  ['markup', '"<script>alert(1)</script>"'],
  ['line feeds', '"a\\r\\nSet-Cookie: x=1"'],
  ['right to left', '"\\u202eabc"'],
  ['an empty array', '[]'],
  ['an array of anything', '[1,null,"",{},[]]'],
  ['an object', '{"a":{"b":{"c":[]}}}'],
  ['a prototype', '{"__proto__":{"admin":true},"constructor":{"prototype":{}}}'],
  ['a deep array', deep(200)],
];

const HOSTILE_TEXT: [name: string, text: string][] = [
  ['nothing', ''],
  ['a null character', '%00'],
  ['bad UTF-8', '%ff%fe'],
  ['half an escape', '%e'],
  ['SQL', '%27%20OR%201%3D1--'],
  ['LIKE marks', '%25_%5C'],
  ['a long text', 'x'.repeat(20_000)],
  ['a number beyond doubles', '1e999'],
  ['a big integer', '99999999999999999999'],
  ['minus one', '-1'],
  ['not a number', 'NaN'],
  ['null', 'null'],
  ['JSON', '%7B%22a%22%3A%5B%5D%7D'],
  ['a date far off', '99999-12-31'],
  ['commas', ',,,,'],
];

interface Described {
  keys?: Record<string, unknown>;
  items?: Described[];
}

describe('hostile inputs', function () {
  this.timeout(300_000);
  let world: World;
  const seen = new Map<number, number>();

  const PROCESSES = ['api', 'worker_writes', 'worker_bulk'];
  const restarts = () => PROCESSES.map((name) => stack().runner.restarts(name));
  let restartsBefore: number[];

  before(async () => {
    world = await aWorkspace();
    restartsBefore = restarts();
  });

  async function send(method: string, path: string, body?: string): Promise<void> {
    const response = await fetch(stack().apiUrl + path, {
      method: method.toUpperCase(),
      headers: {
        authorization: `Bearer ${world.apiKey}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body }),
    });
    const text = await response.text();
    const about = `${method} ${path.slice(0, 200)} ${body?.slice(0, 200) ?? ''} → ${text.slice(0, 300)}`;
    expect(CONTRACT, about).to.include(response.status);
    seen.set(response.status, (seen.get(response.status) ?? 0) + 1);
    if (response.status < 400) return;
    const { error } = JSON.parse(text) as { error: { code: string; message: string } };
    expect(error.code, about).to.be.a('string');
    expect(error.message, about)
      .to.be.a('string')
      .and.not.match(/select |insert |relation|syntax|undefined/i);
  }

  const withIds = (path: string) => path.replaceAll(/\{\w+\}/g, 'x_1');

  for (const route of routes) {
    const { method, path } = route;
    it(`${method} ${path} answers as the contract says`, async () => {
      const described = route.body?.describe() as Described | undefined;
      const fields = Object.keys(described?.keys ?? described?.items?.[0]?.keys ?? {});
      const wrap = (json: string) => (described?.items === undefined ? json : `[${json}]`);
      const attempts: Promise<void>[] = [];
      const attempt = async (...args: Parameters<typeof send>) => {
        attempts.push(send(...args));
        if (attempts.length % 40 === 0) await Promise.all(attempts.splice(0));
      };
      if (route.body !== undefined) {
        for (const [, json] of HOSTILE_JSON) {
          await attempt(method, withIds(path), json);
          await attempt(method, withIds(path), `{"nope":${json}}`);
          for (const field of fields) {
            const url = field === 'url' ? '' : '"url":"https://example.com",';
            await attempt(method, withIds(path), wrap(`{${url}${JSON.stringify(field)}:${json}}`));
          }
        }
      }
      for (const name of Object.keys(route.query?.describe().keys ?? { nope: 1 })) {
        for (const [, text] of HOSTILE_TEXT) {
          await attempt(method, `${withIds(path)}?${name}=${text}`);
          await attempt(method, `${withIds(path)}?${name}=a&${name}=${text}`);
        }
      }
      if (route.params !== undefined) {
        for (const [, text] of HOSTILE_TEXT) {
          await attempt(
            method,
            path.replaceAll(/\{\w+\}/g, text === '' ? '%20' : text),
            route.body === undefined ? undefined : '{}',
          );
          await attempt(
            method,
            path.replaceAll(/\{\w+\}/g, `ext_${text}`),
            route.body === undefined ? undefined : '{}',
          );
        }
      }
      await Promise.all(attempts);
    });
  }

  it('have left the service in good health', async () => {
    expect((await world.api.get('/links')).status).to.equal(200);
    expect(restarts()).to.deep.equal(restartsBefore);
    expect((await fetch(`${stack().apiUrl}/readyz`)).status).to.equal(200);
    const total = [...seen.values()].reduce((sum, count) => sum + count, 0);
    expect(total).to.be.greaterThan(1_000);
  });
});
