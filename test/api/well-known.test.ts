import { expect } from 'chai';
import { stack } from '../support/stack.ts';

const get = (path: string, method = 'GET') =>
  fetch(`${stack().apiUrl}/.well-known/${path}`, { method, redirect: 'manual' });

describe('well-known files of the API', () => {
  it('have a contact for reports of vulnerabilities, and a date of expiry within a year', async () => {
    const answer = await get('security.txt');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal('text/plain; charset=utf-8');
    const fields = new Map(
      (await answer.text())
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/: (.*)/s, 2) as [string, string]),
    );
    expect(fields.get('Contact')).to.equal('mailto:security@example.com');
    expect(fields.get('Canonical')).to.match(/\/\.well-known\/security\.txt$/);
    const days = (Date.parse(fields.get('Expires')!) - Date.now()) / 86_400_000;
    expect(days).to.be.within(90, 365);
  });

  it('lead password managers to the profile', async () => {
    const answer = await get('change-password');
    expect(answer.status).to.equal(302);
    expect(answer.headers.get('location')).to.equal('/console/sign-in/profile');
  });

  it('list the APIs as a linkset, whose descriptions can be read', async () => {
    const answer = await get('api-catalog');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('content-type')).to.equal(
      'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
    );
    expect(answer.headers.get('access-control-allow-origin')).to.equal('*');
    const { linkset } = (await answer.json()) as {
      linkset: ({ anchor: string } & Record<string, { href: string; type: string }[]>)[];
    };
    expect(linkset.map(({ anchor }) => new URL(anchor).pathname)).to.include.members([
      '/',
      '/compat/dub',
    ]);
    for (const { anchor: _, ...relations } of linkset) {
      for (const { href, type } of Object.values(relations).flat()) {
        const { pathname } = new URL(href);
        const target = await fetch(stack().apiUrl + pathname);
        expect(target.status, pathname).to.equal(200);
        expect(target.headers.get('content-type'), pathname).to.contain(type);
      }
    }
  });

  it('name the catalog in answers to HEAD', async () => {
    const answer = await get('api-catalog', 'HEAD');
    expect(answer.status).to.equal(200);
    expect(answer.headers.get('link')).to.match(/\/\.well-known\/api-catalog>; rel="api-catalog"$/);
  });

  it('are 404 with the error body if there is no such file', async () => {
    const answer = await get('nothing');
    expect(answer.status).to.equal(404);
  });
});
