import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { runInNewContext } from 'node:vm';
import { expect } from 'chai';
import fc from 'fast-check';
import { routes } from '../../src/api/routes.ts';
import { config } from '../../src/config.ts';
import { curlExample } from '../../src/docs/examples/curl.ts';
import { EXAMPLE_LANGUAGES, examplesOf, KEY_PLACEHOLDER } from '../../src/docs/examples/index.ts';
import { type ExampleRequest, ExampleRequests } from '../../src/docs/examples/request.ts';
import { typescriptExample } from '../../src/docs/examples/typescript.ts';
import { readOpenApi } from '../../src/docs/openapi-file.ts';
import { check } from '../../src/http/input.ts';

const document = readOpenApi(config());

const REQUEST: ExampleRequest = {
  operationId: 'createLink',
  operation: 'POST /links',
  method: 'POST',
  baseUrl: 'https://api.example.com',
  url: 'https://api.example.com/links',
  path: {},
  query: {},
  credential: {},
  hasKey: false,
  body: {},
  answer: { kind: 'json' },
  isPaged: false,
};

/** JSON without the name that sets the prototype of a JavaScript object. */
const json = fc
  .jsonValue()
  .filter((value) => !JSON.stringify(value).includes('__proto__'))
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

describe('examples of the reference', () => {
  const examples = examplesOf(document);

  it('are in every language for every operation, with one place for a key if it takes one', () => {
    const operations = Object.entries(document.paths).flatMap(([path, byMethod]) =>
      Object.entries(byMethod).map(([method, operation]) => ({
        name: `${method.toUpperCase()} ${path}`,
        hasKey: operation.security === undefined,
      })),
    );
    expect(Object.keys(examples)).to.deep.equal(operations.map(({ name }) => name));
    for (const { name, hasKey } of operations) {
      expect(Object.keys(examples[name]!)).to.deep.equal(EXAMPLE_LANGUAGES);
      for (const text of Object.values(examples[name]!)) {
        expect(text.split(KEY_PLACEHOLDER).length - 1, text).to.equal(hasKey ? 1 : 0);
        expect(text).not.to.contain('undefined');
      }
    }
  });

  it('have parameters and a body that the operation accepts', () => {
    const byId = new Map(
      [...new ExampleRequests(document).all()].map((one) => [one.operationId, one]),
    );
    for (const { operationId, params, query, body } of routes) {
      const request = byId.get(operationId)!;
      if (params !== undefined)
        expect(() => check(params, request.path, operationId)).not.to.throw();
      if (query !== undefined)
        expect(() => check(query, request.query, operationId)).not.to.throw();
      if (body !== undefined) expect(() => check(body, request.body, operationId)).not.to.throw();
    }
  });

  it('send the cookie of the scheme, and the origin with a write, where they need a session', () => {
    const served = { ...document, servers: [{ url: 'https://api.example.com' }] };
    const { curl } = examplesOf(served)['PATCH /me']!;
    expect(curl).to.contain("-H 'Cookie: __Host-session=SESSION'");
    expect(curl).to.contain("-H 'Origin: https://api.example.com'");
    expect(examplesOf(served)['GET /me']!.curl).not.to.contain('Origin');
  });

  it('name a record by the id of its example', () => {
    expect(examples['GET /links/{linkId}']!.curl).to.match(/\/links\/link_\w+'/);
    expect(examples['DELETE /qrcodes/{qrcodeId}']!.curl).to.match(/\/qrcodes\/qr_\w+'/);
    expect(examples['DELETE /me/sessions/{id}']!.curl).to.match(/\/me\/sessions\/sess_\w+'/);
    expect(examples['GET /logos/{projectId}/{id}']!.curl).to.contain('/logos/PROJECT_ID/ID');
  });

  it('write any body so that TypeScript reads the same', () => {
    fc.assert(
      fc.property(json, (body) => {
        const text = typescriptExample({ ...REQUEST, body });
        const [, options = ''] = /createLink\(([^]*)\);\nconsole/.exec(text) ?? [];
        const read: unknown = runInNewContext(`JSON.stringify((${options}).body)`, { client: 0 });
        expect(JSON.parse(String(read))).to.deep.equal(body);
      }),
    );
  });

  it('write any body and URL so that a shell hands them to curl unchanged', () => {
    const printed = (text: string) =>
      execFileSync('sh', ['-c', text.replace(/^curl/, String.raw`printf '%s\0'`)], {
        encoding: 'utf8',
      }).split('\0');
    const named = fc.string().filter((value) => !value.includes('\0'));
    fc.assert(
      fc.property(json, named, (body, q) => {
        const words = printed(curlExample({ ...REQUEST, body, query: { q } }));
        expect(
          new URL(words.find((word) => word.startsWith('https:'))!).searchParams.get('q'),
        ).to.equal(q);
        expect(JSON.parse(words.at(-2)!)).to.deep.equal(body);
      }),
      { numRuns: 30 },
    );
  });

  it('are in the guide by their names', () => {
    const guide = readFileSync('docs/api.md', 'utf8');
    for (const language of EXAMPLE_LANGUAGES) expect(guide).to.contain(language);
  });
});
