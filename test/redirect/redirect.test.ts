import { createConnection } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'chai';
import { browser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import { stack } from '../support/stack.ts';
import { aWorkspace, visit as visitHost } from '../support/world.ts';

const A = 'https://example.com/a';

describe('a redirect', () => {
  it('is a 302 that must not be cached', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a' });
    const { status, headers, body } = await visit('/a');
    expect(status).to.equal(302);
    expect(headers.location).to.equal(A);
    expect(headers['cache-control']).to.equal('private, no-store');
    expect(body).to.equal('');
  });

  const queries: [name: string, url: string, path: string, location: string][] = [
    ['the visitor’s query is passed on', A, '/k?x=1', `${A}?x=1`],
    ['after the destination’s own', `${A}?a=1`, '/k?x=2', `${A}?a=1&x=2`],
    ['and wins over the same names', `${A}?a=1&b=2`, '/k?a=9', `${A}?b=2&a=9`],
    ['byte for byte', `${A}?q=%20+`, '/k?x=%E4%F6+%2B', `${A}?q=%20+&x=%E4%F6+%2B`],
    ['fragments survive', `${A}?a=1#part`, '/k?x=1', `${A}?a=1&x=1#part`],
    ['qr=1 is not passed on', A, '/k?qr=1', A],
    ['nor among others', A, '/k?x=1&qr=1&y=2', `${A}?x=1&y=2`],
    ['an empty query changes nothing', `${A}?a=1`, '/k?', `${A}?a=1`],
    ['app schemes stay as they are', 'mailto:a@example.com', '/k?x=1', 'mailto:a@example.com'],
    ['a trailing slash names the same link', A, '/k/', A],
  ];
  for (const [name, url, path, location] of queries) {
    it(`keeps the query: ${name}`, async () => {
      const { api, visit } = await aWorkspace();
      await api.post('/links', { url, key: 'k' });
      expect((await visit(path)).headers.location).to.equal(location);
    });
  }

  it('ignores the port and case of the host', async () => {
    const { api, domain } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a' });
    for (const host of [`${domain}:8080`, domain.toUpperCase(), `${domain}.`]) {
      expect((await visitHost('/a', { host })).status, host).to.equal(302);
    }
  });

  it('finds keys in any script, and with emoji', async () => {
    const { api, visit } = await aWorkspace();
    const england = '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';
    const others = ['#️⃣', england, 'می‌خواهم', "~!$&'()*+,;=:@", 'a:b', 'c++11', '=1+1'];
    for (const key of ['日本語', 'größe/ä', '👩‍🚀', 'a.b_c-d', 'Ελλάδα', ...others]) {
      const { status, body } = await api.post('/links', { url: A, key });
      expect(status, key).to.equal(201);
      const { pathname } = new URL(body.shortLink);
      for (const path of [pathname, `/${encodeURIComponent(key)}`]) {
        expect((await visit(path)).headers.location, path).to.equal(A);
      }
    }
  });

  it('ignores whether the link is archived', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a', archived: true });
    expect((await visit('/a')).headers.location).to.equal(A);
  });

  it('ends at the second of its expiry: of the link, its domain, or a page', async () => {
    const { api, visit } = await aWorkspace();
    const expiresAt = new Date(Date.now() + 1_500).toISOString();
    await api.post('/links', {
      url: A,
      key: 'own',
      expiresAt,
      expiredUrl: 'https://example.com/over',
    });
    await api.post('/links', { url: A, key: 'plain', expiresAt });
    expect((await visit('/own')).headers.location).to.equal(A);
    await eventually(async () => {
      expect((await visit('/own')).headers.location).to.equal('https://example.com/over');
    });
    const page = await visit('/plain');
    expect(page.status).to.equal(410);
    expect(page.body).not.to.contain('example.com');
    const [domain] = (await api.get('/domains')).body;
    await api.patch(`/domains/${domain.id}`, { expiredUrl: 'https://example.com/all-over' });
    await eventually(async () => {
      expect((await visit('/plain')).headers.location).to.equal('https://example.com/all-over');
    }, 200);
  });

  it('does not reveal the destination of a protected link', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'locked', password: 'open sesame' });
    const { status, headers, body } = await visit('/locked');
    expect(status).to.be.within(401, 403);
    expect(JSON.stringify(headers) + body).not.to.contain('example.com');
  });
});

describe('a change of a link', () => {
  it('is seen by both redirect processes within 100 ms of the answer', async () => {
    const { api, visit } = await aWorkspace();
    const { body: link } = await api.post('/links', { url: A, key: 'a', flexible: true });
    for (let n = 0; n < 20; n += 1) {
      for (const process of [0, 1] as const) await visit('/a', { process });
      await api.patch(`/links/${link.id}`, { url: `${A}?n=${n}` });
      for (const process of [0, 1] as const) {
        await eventually(async () => {
          expect((await visit('/a', { process })).headers.location).to.equal(`${A}?n=${n}`);
        }, 100);
      }
    }
    await api.delete(`/links/${link.id}`);
    for (const process of [0, 1] as const) {
      await eventually(
        async () => expect((await visit('/a', { process })).status).to.equal(404),
        100,
      );
    }
    await api.post('/links', { url: `${A}again`, key: 'a' });
    for (const process of [0, 1] as const) {
      expect((await visit('/a', { process })).headers.location).to.equal(`${A}again`);
    }
  });

  it('is immediate for a creation, also of a key that was requested before', async () => {
    const { api, visit } = await aWorkspace();
    const asking = { on: true };
    const asked = [0, 1].map(async (process) => {
      while (asking.on) await visit('/wanted', { process: process as 0 | 1 });
    });
    await api.post('/links', { url: A, key: 'wanted' });
    const answers = await Promise.all([
      visit('/wanted', { process: 0 }),
      visit('/wanted', { process: 1 }),
    ]);
    asking.on = false;
    await Promise.all(asked);
    expect(answers.map(({ headers }) => headers.location)).to.deep.equal([A, A]);
  });
});

describe('a missing link', () => {
  const paths = ['/nope', '/nope+', '/', '/_', '/_/x', '/.well-known/x', '/a/../b'];
  for (const path of paths) {
    it(`is a 404 page with a strict policy: ${path}`, async () => {
      const { visit } = await aWorkspace();
      const { status, headers, body } = await visit(path);
      expect(status).to.equal(404);
      expect(headers['content-type']).to.contain('text/html');
      expect(headers['content-security-policy']).to.contain("default-src 'none'");
      expect(headers['x-content-type-options']).to.equal('nosniff');
      expect(body).to.contain('<html lang=');
    });
  }

  it('is a 404 for unknown hosts too', async () => {
    expect((await visitHost('/a', { host: 'nobody.example' })).status).to.equal(404);
    expect((await visitHost('/a', { host: '<script>.example' })).status).to.be.within(400, 404);
  });

  it('is a 400 when the path is not well percent-encoded', async () => {
    const { visit } = await aWorkspace();
    for (const path of ['/%', '/%zz', '/%E0%A4', '/%ff']) {
      expect((await visit(path)).status, path).to.be.oneOf([400, 404]);
    }
    expect((await visit('/%00')).status).to.be.oneOf([400, 404]);
  });

  it('shows nothing of the request in its pages', async () => {
    const { visit } = await aWorkspace();
    const { body } = await visit('/%3Cscript%3Ealert(1)%3C/script%3E?x=%3Cscript%3E');
    expect(body).not.to.contain('<script');
  });

  it('is a 405 for methods other than GET and HEAD', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a' });
    for (const [method, path] of [
      ['POST', '/a'],
      ['POST', '/nope'],
      ['PUT', '/a'],
      ['DELETE', '/a'],
    ] as const) {
      const { status, headers } = await visit(path, { method });
      expect(status, `${method} ${path}`).to.equal(405);
      expect(headers.allow).to.equal('GET, HEAD');
    }
  });

  /**
   * Sends raw bytes to the redirect server, and resolves with all received bytes once the server
   * has closed the connection.
   * @param then when the client closes its side: with the server, at once, or never; `drip` also
   * sends a byte every half second
   */
  function exchange(
    text: string,
    then: 'follow' | 'end' | 'keep' | 'drip' = 'follow',
  ): Promise<string> {
    const [port] = stack().redirectPorts;
    return new Promise((resolve) => {
      const allowHalfOpen = then !== 'follow';
      const socket = createConnection({ port, host: '127.0.0.1', allowHalfOpen }, () => {
        socket.write(text);
        if (then === 'end') socket.end();
      });
      const dripping = setInterval(() => {
        if (then === 'drip') socket.write('x');
        // A client with a half-open connection notices only by a write that the server has closed
        // it.
        if (then === 'keep' && socket.readableEnded) socket.write('x');
      }, 500);
      let got = '';
      socket.on('data', (chunk) => {
        got += chunk.toString();
      });
      socket.on('error', () => {});
      socket.on('close', () => {
        clearInterval(dripping);
        resolve(got);
      });
    });
  }
  const HEAD = 'Connection: close\r\n';

  const malformed: [what: string, text: string][] = [
    ['no HTTP', '\x16\x03\x01garbage\r\n\r\n'],
    ['headers over 64 KiB', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(100_000)}\r\n\r\n`],
    ['a request line over 64 KiB', `GET /${'x'.repeat(100_000)} HTTP/1.1\r\nHost: x\r\n\r\n`],
    ['no Host', `GET / HTTP/1.1\r\n${HEAD}\r\n`],
    ['two Hosts', `GET / HTTP/1.1\r\nHost: a.test\r\nHost: b.test\r\n${HEAD}\r\n`],
    ['the same Host twice', `GET / HTTP/1.1\r\nHost: a.test\r\nhOST: a.test\r\n${HEAD}\r\n`],
    ['another host in its target', `GET http://b.test/ HTTP/1.1\r\nHost: a.test\r\n${HEAD}\r\n`],
    ['the same in capitals', `GET HTTP://b.test/k HTTP/1.1\r\nHost: a.test\r\n${HEAD}\r\n`],
    ['a user in it', `GET http://a.test@b.test/ HTTP/1.1\r\nHost: a.test\r\n${HEAD}\r\n`],
    ['a control character in its path', `GET /\x01 HTTP/1.1\r\nHost: a.test\r\n${HEAD}\r\n`],
    ['raw bytes that lead to another host', `GET //b.test/ä HTTP/1.1\r\nHost: a.test\r\n\r\n`],
    ['such bytes and a backslash', `GET /\\b.test/ä HTTP/1.1\r\nHost: a.test\r\n\r\n`],
  ];
  for (const [what, text] of malformed) {
    it(`is a 400 page for a request with ${what}`, async () => {
      const answer = await exchange(text);
      expect(answer).to.match(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer)
        .to.match(/\r\nContent-Type: text\/html/i)
        .and.to.contain('<html lang=');
      expect(stack().restarts('redirect')).to.equal(0);
    });
  }

  it('comes before the 400 for what follows it in the same packet', async () => {
    const { api, domain } = await aWorkspace();
    const keys = ['a', 'b', 'c'];
    for (const key of keys) await api.post('/links', { url: `${A}/${key}`, key });
    await api.post('/links', { url: A, key: 'locked', password: 'open sesame' });
    const request = (key: string) => `GET /${key} HTTP/1.1\r\nHost: ${domain}\r\n\r\n`;
    const body = `POST /locked HTTP/1.1\r\nHost: ${domain}\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n`;
    const cases: [text: string, answers: string[]][] = [
      [`${request('made-up')}GARBAGE\r\n\r\n`, ['404', '400']],
      [`${request('a')}GARBAGE\r\n\r\n`, ['302', '400']],
      [`${keys.map(request).join('')}GARBAGE\r\n\r\n`, ['302', '302', '302', '400']],
      [`${request('b')}${body}`, ['302', '400']],
    ];
    for (const [text, answers] of cases) {
      for (const end of ['follow', 'end', 'keep'] as const) {
        const got = await exchange(text, end);
        const statuses = [...got.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => status);
        expect(statuses, `${end} ${text}`).to.deep.equal(answers);
        expect(got).to.match(/Connection: close\r\n\r\n<!doctype html>(?:(?!HTTP\/).)*$/is);
      }
    }
  });

  it('is followed by the end of the connection once it is a 400 or 408, also where the client keeps its half', async () => {
    const { domain } = await aWorkspace();
    const head = `GET /a HTTP/1.1\r\nHost: ${domain}\r\n`;
    const form = `POST /a HTTP/1.1\r\nHost: ${domain}\r\n`;
    const cases: [text: string, status: number][] = [
      ['GARBAGE\r\n\r\n', 400],
      // The first request reaches the parser for plain requests, the second one Node's parser.
      [`${head}X: `, 408],
      [`${form}X: `, 408],
    ];
    const ends = cases.flatMap(([text, status]) =>
      [false, true].map(async (drips) => {
        const got = await exchange(text, drips ? 'drip' : 'keep');
        expect(got, text).to.match(new RegExp(`^HTTP/1\\.1 ${status} `));
        expect(got.match(/HTTP\/1\.1 /g)).to.have.length(1);
      }),
    );
    await Promise.all(ends);
  });

  it('is not a 400 for a host that is named twice alike, or an unknown Expect', async () => {
    const { api, domain } = await aWorkspace();
    await api.post('/links', { url: A, key: 'a' });
    for (const [target, more] of [
      [`http://${domain}/a`, ''],
      [`HTTP://${domain.toUpperCase()}.:80/a`, ''],
      ['/a', 'Expect: everything\r\n'],
      ['/a', `X: ${'x'.repeat(60_000)}\r\n`],
    ]) {
      const answer = await exchange(
        `GET ${target} HTTP/1.1\r\nHost: ${domain}\r\n${more}${HEAD}\r\n`,
      );
      expect(answer, target)
        .to.match(/^HTTP\/1\.1 302 /)
        .and.to.contain(`\r\nLocation: ${A}\r\n`);
    }
  });

  it('is not assumed for a path with raw UTF-8, which is redirected to its encoded form', async () => {
    const { api, domain, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'größe' });
    const answer = await exchange(`GET /größe?x=ä HTTP/1.1\r\nHost: ${domain}\r\n\r\n`);
    expect(answer).to.match(/^HTTP\/1\.1 302 /);
    const [, path] = /\r\nLocation: (.*)\r\n/.exec(answer)!;
    expect(path).to.equal('/gr%C3%B6%C3%9Fe?x=%C3%A4');
    expect((await visit(path!)).headers.location).to.equal(`${A}?x=%C3%A4`);
  });
});

describe('every process', () => {
  it('answers /healthz, /readyz and /metrics', async () => {
    const { runner, apiUrl, redirectPorts } = stack();
    for (const name of runner.names) {
      for (const path of ['/healthz', '/readyz', '/metrics']) {
        expect((await fetch(runner.healthUrlOf(name) + path)).status, `${name} ${path}`).to.equal(
          200,
        );
      }
    }
    for (const url of [apiUrl, `http://127.0.0.1:${redirectPorts[0]}`]) {
      expect((await fetch(`${url}/healthz`)).status).to.equal(200);
      expect((await fetch(`${url}/readyz`)).status).to.equal(200);
    }
  });

  it('has metrics of its work', async () => {
    const { api, visit } = await aWorkspace();
    await api.post('/links', { url: A, key: 'm' });
    await visit('/m', { userAgent: browser(7) });
    const { metrics: metricsOf } = stack();
    expect(await metricsOf('api')).to.match(
      /shortlinks_http_request_duration_seconds_count\{method="POST",route="\/links",status="201"\} \d/,
    );
    expect(await metricsOf('redirect')).to.match(
      /shortlinks_redirects_total\{outcome="redirect"\} \d/,
    );
    expect(await metricsOf('worker_writes')).to.match(
      /shortlinks_job_duration_seconds_count\{queue="writes",job_name="link.create",outcome="done"\} \d/,
    );
    await eventually(async () => {
      expect(await metricsOf('worker_clicks')).to.match(/shortlinks_visit_lag_seconds_count [1-9]/);
      expect(await metricsOf('worker_writes')).to.match(
        /shortlinks_queue_jobs\{queue="writes",state="waiting"\} \d/,
      );
    }, 10_000);
  });

  it('measures the longest delay of its event loop since the last scrape, and the part of its own computing', async () => {
    const { runner, copies } = stack();
    for (const name of ['api', 'redirect', 'worker_qr'].map((one) => copies(one)[0]!)) {
      const longest = async () => {
        const metrics = await (await fetch(`${runner.healthUrlOf(name)}/metrics`)).text();
        const read = (gauge: string) =>
          Number(new RegExp(`^${gauge} (\\S+)$`, 'm').exec(metrics)?.[1]);
        return {
          delay: read('shortlinks_event_loop_delay_max_seconds'),
          blocked: read('shortlinks_event_loop_blocked_max_seconds'),
        };
      };
      await longest();
      runner.kill(name, 'SIGSTOP');
      // This pause is the measured interruption.
      await pause(1_200);
      runner.kill(name, 'SIGCONT');
      const { delay, blocked } = await longest();
      expect(delay, name).to.be.within(0.5, 10);
      expect(blocked, name).to.be.within(0, 0.3);
      // A busy machine delays the loop as well, but not between all scrapes.
      await eventually(async () => expect((await longest()).delay, name).to.be.below(0.5));
    }
  });
});
