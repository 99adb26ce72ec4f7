import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { ConfigError, configWarnings, readConfig, SETTINGS } from '../../src/config.ts';
import { readReferrer, truncateIp } from '../../src/events/ingest/pipeline.ts';
import { toHostName } from '../../src/http/domain-name.ts';
import { toInstant } from '../../src/http/iso-time.ts';
import { newId } from '../../src/ids.ts';
import { seal, unseal } from '../../src/infra/seal.ts';
import { readUtm, writeUtm } from '../../src/short-links/destination.ts';
import { parseDestination } from '../../src/short-links/url-field.ts';
import { clickId } from '../../src/visitors/click-id.ts';

describe('points in time', () => {
  const good: [text: string, instant: string][] = [
    ['2026-01-31', '2026-01-31T00:00:00.000Z'],
    ['2024-02-29T12:30Z', '2024-02-29T12:30:00.000Z'],
    ['2026-01-31T12:30:15.123456', '2026-01-31T12:30:15.123Z'],
    ['2026-01-31T12:30:00+02:00', '2026-01-31T10:30:00.000Z'],
    ['2026-01-31T12:30:00-0530', '2026-01-31T18:00:00.000Z'],
  ];
  for (const [text, instant] of good) {
    it(`reads ${text}`, () => expect(toInstant(text)).to.equal(instant));
  }
  for (const text of [
    '2026-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-01-32',
    '26-01-01',
    'now',
    '2026-01-01T25:00Z',
    '',
  ]) {
    it(`refuses "${text}"`, () => expect(toInstant(text)).to.equal(undefined));
  }
});

describe('destinations', () => {
  it('are unchanged when they are well-formed', () => {
    for (const url of [
      'https://a.b/c?d=e%20f+g#h',
      'http://[::1]:80/',
      'tel:+1',
      'HTTPS://A.B/',
      'a.b://x?y',
      'tel:112',
      'sms:12345?body=x',
      'myapp:open/1',
      'steam://run/440',
    ]) {
      expect(parseDestination(url)).to.equal(url);
    }
  });
  it('have nothing invisible at their ends, and keep it inside', () => {
    const ends = '\u200b\u200e\u200f\u2060\u202a\u202b\u202c\u202d\u202e\u00ad\ufeff\u00a0 \u2068';
    for (const end of ends) {
      expect(
        parseDestination(`${end}https://a.b/x${end}${end}`),
        end.codePointAt(0)!.toString(16),
      ).to.equal('https://a.b/x');
    }
    expect(parseDestination(`${ends}a.b:81/x${ends}`)).to.equal('https://a.b:81/x');
    expect(parseDestination('https://a.b/x\u200by')).to.equal('https://a.b/x%E2%80%8By');
    expect(() => parseDestination(ends)).to.throw('must not be empty');
  });
  it('are converted to ASCII', () => {
    expect(parseDestination('myapp://größe/x y')).to.match(/^[\x21-\x7e]+$/);
    expect(parseDestination('bücher.example/ä')).to.equal('https://xn--bcher-kva.example/%C3%A4');
  });
  const bad = [
    '',
    ' ',
    'a',
    'http://',
    'https:///x',
    'http:x',
    'javascript:x',
    ' JavaScript:x',
    'data:x',
    'about:blank',
    'a\u0000b.c',
    '//',
  ];
  for (const url of bad) {
    it(`refuses ${JSON.stringify(url)}`, () => expect(() => parseDestination(url)).to.throw());
  }

  const web = 'must be a URL that begins with http:// or https://';
  const hints: [url: string, rule: string][] = [
    ['intranet:8080/x', `${web}: for a host with a port, write http://intranet:8080`],
    ['javascript:1', 'must not use the scheme javascript:'],
    ['nas:5000', `${web}: for a host with a port, write http://nas:5000`],
    ['my_host-1:80?x', `${web}: for a host with a port, write http://my_host-1:80`],
    ['raspberrypi:8123/lovelace', `${web}: for a host with a port, write http://raspberrypi:8123`],
    ['htps://a.b', `${web}, not with htps:`],
    ['HTTTPS://a.b', `${web}, not with htttps:`],
    ['ttp://a.b', `${web}, not with ttp:`],
    ['https://https://a.b', 'must not begin with http:// or https:// twice'],
    ['http://https//a.b', 'must not begin with http:// or https:// twice'],
    ['https://http:a.b', 'must be a valid URL'],
    ['C:\\Users\\x', 'must not be the path of a file'],
    ['d:/x.pdf', 'must not be the path of a file'],
  ];
  for (const [url, rule] of hints) {
    it(`refuses ${url} and names the fault`, () =>
      expect(() => parseDestination(url)).to.throw(rule));
  }
});

describe('UTM fields', () => {
  it('are read from a destination, and replaced in it without other changes', () => {
    const url = 'https://a.b/?x=%zz&utm_source=a%20b&utm_term=#f?utm_medium=no';
    expect(readUtm(url)).to.include({ utm_source: 'a b', utm_medium: null, utm_term: '' });
    expect(writeUtm(url, { utm_source: null, utm_medium: 'm&m' })).to.equal(
      'https://a.b/?x=%zz&utm_term=&utm_medium=m%26m#f?utm_medium=no',
    );
    expect(writeUtm('https://a.b/?utm_source=x', { utm_source: null })).to.equal('https://a.b/');
    expect(writeUtm('mailto:a@b.c', { utm_source: 'x' })).to.equal('mailto:a@b.c');
    expect(writeUtm(url, {})).to.equal(url);
  });
});

describe('host names', () => {
  it('are lower-case and ASCII', () => {
    expect(toHostName('Go.Example.COM')).to.equal('go.example.com');
    expect(toHostName('münchen.de')).to.equal('xn--mnchen-3ya.de');
    expect(toHostName('a.b.')).to.equal('a.b');
  });
  for (const text of [
    '',
    'a b',
    'a/b',
    'a:80',
    'http://a.b',
    '1.2.3.4',
    '[::1]',
    '0x7f.1',
    'a@b',
    'a%2eb',
    '2130706433',
  ]) {
    it(`refuses ${JSON.stringify(text)}`, () => expect(toHostName(text)).to.equal(undefined));
  }
});

describe('ids', () => {
  it('are sorted by their time', () => {
    const ids = [0, 1, 61, 62, 1e6, Date.now(), Date.now() + 1, 2e14].map((at) =>
      newId('link', at),
    );
    expect(ids.toSorted()).to.deep.equal(ids);
    for (const id of ids) expect(id).to.match(/^link_[0-9A-Za-z]{24}$/);
  });

  it('of one millisecond are sorted by the order of their making', () => {
    const ids = Array.from({ length: 10_000 }, () => newId('link', 1e12));
    expect(ids.toSorted()).to.deep.equal(ids);
    expect(new Set(ids.map((id) => id.slice(-12)))).to.have.lengthOf(ids.length);
  });
});

describe('encryption of secrets', () => {
  it('differs each time, and detects changes', () => {
    const context = { purpose: 'password', owner: 'proj_a' } as const;
    const sealed = seal(context, 'pässword');
    expect(unseal(context, sealed)).to.equal('pässword');
    expect(seal(context, 'pässword')).not.to.equal(sealed);
    const at = sealed.lastIndexOf(':') + 1;
    const bytes = Buffer.from(sealed.slice(at), 'base64url');
    for (const [index, byte] of bytes.entries()) {
      bytes[index] = byte ^ 1;
      const changed = sealed.slice(0, at) + bytes.toString('base64url');
      expect(() => unseal(context, changed), `byte ${index}`).to.throw();
      bytes[index] = byte;
    }
    expect(() => unseal(context, 'plain')).to.throw();
  });

  it('holds for one purpose and one owner', () => {
    const sealed = seal({ purpose: 'password', owner: 'proj_a' }, 'pässword');
    expect(() => unseal({ purpose: 'password', owner: 'proj_b' }, sealed)).to.throw();
    expect(() => unseal({ purpose: 'mail', owner: 'proj_a' }, sealed)).to.throw();
  });
});

describe('visitors', () => {
  const ips: [ip: string, truncated: string][] = [
    ['192.0.2.77', '192.0.2.0'],
    ['::ffff:192.0.2.77', '192.0.2.0'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1::'],
    ['not an address', ''],
    ['', ''],
  ];
  for (const [ip, truncated] of ips) {
    it(`have their address ${ip || 'nothing'} truncated`, () =>
      expect(truncateIp(ip)).to.equal(truncated));
  }
  it('have the host of their referrer, or "(direct)"', () => {
    expect(readReferrer('https://News.example:8080/x').referer).to.equal('news.example');
    for (const header of ['', 'nonsense', 'about:blank', 'android-app:']) {
      expect(readReferrer(header).referer).to.equal('(direct)');
    }
  });
  it('have the same hash within a window only', () => {
    const visitor = {
      target: 'link_1',
      ip: '192.0.2.1',
      userAgent: 'x',
      at: 3_600_000,
      visitId: 'v',
    };
    const id = clickId(visitor, 3600);
    expect(clickId({ ...visitor, at: 7_199_999, visitId: 'w' }, 3600)).to.equal(id);
    const others = [
      { at: 7_200_000 },
      { at: 3_599_999 },
      { ip: '192.0.2.2' },
      { userAgent: 'y' },
      { target: 'link_2' },
    ];
    for (const other of others) expect(clickId({ ...visitor, ...other }, 3600)).not.to.equal(id);
    expect(clickId(visitor, 0)).to.equal(clickId({ ...visitor, at: 9e9, ip: 'z' }, 0));
    expect(clickId(visitor, 0)).not.to.equal(clickId({ ...visitor, visitId: 'w' }, 0));
  });
});

describe('the configuration', () => {
  it('has valid defaults', () => {
    const config = readConfig({ API_PORT: '4000' });
    expect(config).to.include({
      BASE_URL: 'http://localhost:4000',
      DOCS_URL: 'http://localhost:4000/docs',
    });
    expect(
      readConfig({ REDIS_URL: 'redis://a', SECRET_KEY: 'x'.repeat(32) }).CACHE_REDIS_URL,
    ).to.equal('redis://a');
  });

  it('derives the origin of the default short domain', () => {
    const origin = (env: Record<string, string>) => readConfig(env).DEFAULT_SHORT_ORIGIN;
    expect(origin({ REDIRECT_PORT: '8081' })).to.equal('http://localhost:8081');
    const DEFAULT_SHORT_DOMAIN = 'go.example';
    expect(origin({ DEFAULT_SHORT_DOMAIN })).to.equal('https://go.example');
    const DEFAULT_SHORT_ORIGIN = 'http://go.example:8080/';
    expect(origin({ DEFAULT_SHORT_DOMAIN, DEFAULT_SHORT_ORIGIN })).to.equal(
      'http://go.example:8080',
    );
  });

  it('gives a platform’s PORT to the server that has none of its own, and leaves addresses as they are', () => {
    const config = readConfig({ PORT: '8080', REDIRECT_PORT: '8081' });
    expect(config).to.include({
      API_PORT: 8080,
      REDIRECT_PORT: 8081,
      BASE_URL: 'http://localhost:3000',
      DEFAULT_SHORT_ORIGIN: 'http://localhost:8081',
    });
  });

  const wrong: [env: Record<string, string>, message: string][] = [
    [{ API_PORT: 'x' }, 'API_PORT must be a whole number from 0 to 65535'],
    [{ API_PORT: '70000' }, 'API_PORT'],
    [{ LOG_LEVEL: 'loud' }, 'LOG_LEVEL must be one of'],
    [{ SMTP_URL: 'smtp://mail.test' }, 'MAIL_FROM is required when SMTP_URL is set'],
    [{ SMTP_URL: 'https://mail.test' }, 'SMTP_URL must be a URL that starts with smtp://'],
    [{ SMTP_URL: 'smtp://a:%@mail.test' }, 'SMTP_URL must have a percent-encoded user name'],
    [{ OIDC_ROLE_MAP: 'admins' }, 'OIDC_ROLE_MAP must be of the form group=workspace:role; …'],
    [{ OIDC_ROLE_MAP: '=acme:owner' }, 'OIDC_ROLE_MAP must be of the form'],
    [{ OIDC_ROLE_MAP: 'a=acme:admin' }, 'OIDC_ROLE_MAP must be of the form'],
    [{ OIDC_ROLE_MAP: 'a=acme:owner, b=acme:viewer' }, 'OIDC_ROLE_MAP must be of the form'],
    [{ OIDC_SECOND_FACTOR: 'true' }, 'OIDC_SECOND_FACTOR must be one of amr, always'],
    [{ MAIL_FROM: 'a\r\nBcc: b@mail.test' }, 'MAIL_FROM must be an email address'],
    [{ SECURITY_CONTACT: 'security@mail.test' }, 'SECURITY_CONTACT must be a URL that starts with'],
    [{ REDIS_URL: 'http://x' }, 'REDIS_URL must be a URL that starts with redis://'],
    [{ REDIS_URL: 'redis+sentinel://a,b' }, 'REDIS_URL must be of the form redis+sentinel://'],
    [{ REDIS_URL: 'redis+cluster://a,,b' }, 'REDIS_URL must be of the form redis+cluster://'],
    [{ REDIS_URL: 'redis+cluster://a,b/1' }, 'REDIS_URL must be of the form redis+cluster://'],
    [{ REDIS_URL: 'redis+sentinel://a,,b/main' }, 'REDIS_URL must be of the form'],
    [{ REDIS_URL: 'redis+sentinel://a,b:x/main' }, 'REDIS_URL must be of the form'],
    [{ CACHE_REDIS_URL: 'redis://a:x' }, 'CACHE_REDIS_URL must be a URL'],
    [{ DATABASE_URL: 'postgres://x/y' }, 'SECRET_KEY is required'],
    [{ SECRET_KEY: 'short' }, 'SECRET_KEY must have at least 32 characters'],
    [{ TRUST_PROXY: '10.0.0.0/8,here' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: 'proxy.example' }, 'TRUST_PROXY'],
    [{ TRUST_PROXY: 'true' }, 'TRUST_PROXY must be a count of proxies up to 99, or'],
    [{ TRUST_PROXY: 'loopback,toString' }, 'not "toString"'],
    [{ TRUST_PROXY: '2,cloudflare' }, 'uniquelocal, cloudflare, IP addresses'],
    [{ PROXY_HEADER: 'x-real-ip' }, 'PROXY_HEADER must be one of x-forwarded-for, forwarded'],
    [{ PORT: 'http' }, 'PORT must be a whole number'],
    [{ OUTBOUND_ALLOW: 'https://hooks.example' }, 'OUTBOUND_ALLOW'],
    [{ DNS_SERVERS: 'dns.example' }, 'DNS_SERVERS'],
    [{ DEFAULT_SHORT_DOMAIN: 'https://x' }, 'DEFAULT_SHORT_DOMAIN must be a host name'],
    [{ DEFAULT_SHORT_ORIGIN: 'go.example' }, 'DEFAULT_SHORT_ORIGIN must be a URL'],
    [
      { DEFAULT_SHORT_ORIGIN: 'https://go.example' },
      'DEFAULT_SHORT_ORIGIN must be a scheme, "localhost"',
    ],
    [{ DEFAULT_SHORT_ORIGIN: 'http://localhost:80/x' }, 'DEFAULT_SHORT_ORIGIN'],
    [{ BASE_URL: 'https://acme.test/links-api/' }, 'BASE_URL must have no path'],
    [{ BASE_URL: 'https://acme.test/?a=b' }, 'BASE_URL must have no path'],
    [{ BASE_URL: 'ftp://acme.test' }, 'BASE_URL must be a URL that starts with http:// or https'],
    [{ API_PORT: 'x', LOG_LEVEL: 'y' }, 'LOG_LEVEL'],
  ];
  for (const [env, message] of wrong) {
    it(`refuses ${JSON.stringify(env)}`, () => {
      expect(() => readConfig(env)).to.throw(ConfigError, message);
    });
  }

  describe('of secrets in files', () => {
    const folder = mkdtempSync(path.join(tmpdir(), 'secrets-'));
    const fileOf = (content: string) => {
      const file = path.join(folder, randomUUID());
      writeFileSync(file, content);
      return file;
    };
    const key = 'k'.repeat(32);

    after(() => rmSync(folder, { recursive: true }));

    it('is that of the variables without _FILE, for all secrets and for them alone', () => {
      const values: Record<string, string> = {
        DATABASE_URL: 'postgres://a:b@c/d',
        DATABASE_READ_URLS: 'postgres://a:b@e/d',
        EVENTS_URL: 'clickhouse://a:b@c:8123/d',
        REDIS_URL: 'redis://:b@c',
        CACHE_REDIS_URL: 'redis://:b@d',
        CACHE_PRIMARY_URL: 'redis://:b@e',
        SECRET_KEY: key,
        SECRET_KEY_OTHER: 'o'.repeat(32),
        OIDC_CLIENT_SECRET: 'hush',
        SMTP_URL: 'smtp://a:b@mail.test',
        S3_SECRET_ACCESS_KEY: 'bucket',
      };
      const secrets = Object.entries(SETTINGS).filter(
        ([, setting]) => 'secret' in setting && setting.secret,
      );
      expect(Object.keys(values)).to.have.members(secrets.map(([name]) => name));
      const sender = { MAIL_FROM: 'links@mail.test' };
      const files = Object.entries(values).map(([name, value]) => [
        `${name}_FILE`,
        fileOf(`${value}\n`),
      ]);
      expect(readConfig({ ...sender, ...Object.fromEntries(files) })).to.deep.equal(
        readConfig({ ...sender, ...values }),
      );
      expect(readConfig({ LOG_LEVEL_FILE: fileOf('loud') }).LOG_LEVEL).to.equal('info');
    });

    const cases: [what: string, env: () => Record<string, string>, message: string][] = [
      [
        'together with the variable',
        () => ({ SECRET_KEY: key, SECRET_KEY_FILE: fileOf(key) }),
        'SECRET_KEY must not be set together with SECRET_KEY_FILE: unset one of them',
      ],
      [
        'that are missing',
        () => ({ DATABASE_URL: 'postgres://a/b', SECRET_KEY_FILE: '/run/nothing' }),
        'SECRET_KEY_FILE must name a file that can be read, not "/run/nothing" (ENOENT)',
      ],
      [
        'that are empty',
        () => ({ SECRET_KEY_FILE: fileOf('\n') }),
        'SECRET_KEY_FILE must name a file with a value: "',
      ],
      [
        'that break a rule',
        () => ({ SECRET_KEY_FILE: fileOf('short') }),
        'SECRET_KEY_FILE must have at least 32 characters',
      ],
    ];
    for (const [what, env, message] of cases) {
      it(`refuses those ${what}, without their content`, () => {
        expect(() => readConfig(env())).to.throw(ConfigError, message);
        expect(() => readConfig(env())).not.to.throw(/required|k{32}|short/);
      });
    }

    it('counts an empty name of a file as none', () => {
      expect(readConfig({ SECRET_KEY: key, SECRET_KEY_FILE: '' }).SECRET_KEY).to.equal(key);
    });
  });

  it('reads variables by their earlier names, with a warning', () => {
    const old = { QR_REQUESTS_PER_MINUTE: '7' };
    expect(readConfig(old).PUBLIC_REQUESTS_PER_MINUTE).to.equal(7);
    expect(configWarnings(old)).to.deep.equal([
      'QR_REQUESTS_PER_MINUTE is deprecated: set PUBLIC_REQUESTS_PER_MINUTE instead',
    ]);
    expect(() => readConfig({ QR_REQUESTS_PER_MINUTE: 'x' })).to.throw(
      ConfigError,
      'QR_REQUESTS_PER_MINUTE must be a whole number',
    );

    const both = { ...old, PUBLIC_REQUESTS_PER_MINUTE: '8' };
    expect(readConfig(both).PUBLIC_REQUESTS_PER_MINUTE).to.equal(8);
    expect(configWarnings(both)).to.have.length(1);
    expect(configWarnings({ PUBLIC_REQUESTS_PER_MINUTE: '8' })).to.deep.equal([]);
  });

  it('never logs a secret', () => {
    expect(() => readConfig({ SECRET_KEY: 'hidden' }))
      .to.throw()
      .and.satisfy((error: Error) => !error.message.includes('hidden'));
  });
});

describe('a URL with characters beyond ASCII', () => {
  it('is valid at every validation', () => {
    for (let time = 0; time < 20_000; time += 1) {
      expect(parseDestination('https://münchen.example/straße')).to.equal(
        'https://xn--mnchen-3ya.example/stra%C3%9Fe',
      );
    }
  });
});
