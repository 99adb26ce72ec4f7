import type { IncomingMessage } from 'node:http';
import { expect } from 'chai';
import { readReferrer } from '../../src/events/ingest/pipeline.ts';
import { TrustedProxies } from '../../src/infra/trusted-proxies.ts';
import { VisitorReader } from '../../src/redirect/visitor.ts';

/** Encodes a text as Node delivers bytes above 127: one character each. */
const raw = (text: string) => Buffer.from(text).toString('latin1');

const readers = new VisitorReader(new TrustedProxies([]));
const read = (referer?: string) =>
  readers.read({
    headers: referer === undefined ? {} : { referer },
    socket: { remoteAddress: '203.0.113.5' },
  } as unknown as IncomingMessage).referer;

describe('the referrer of a visit', () => {
  const rows: [header: string, referrer: string, host: string][] = [
    ['https://news.example/today?id=1', 'https://news.example/today?id=1', 'news.example'],
    ['https://News.example', 'https://News.example', 'news.example'],
    [raw('https://bücher.example/a'), 'https://bücher.example/a', 'xn--bcher-kva.example'],
    [
      raw('https://пример.example/путь?ж=я'),
      'https://пример.example/путь?ж=я',
      'xn--e1afmkfd.example',
    ],
    [raw('https://ref.example/🎉'), 'https://ref.example/🎉', 'ref.example'],
    ['https://xn--bcher-kva.example/a', 'https://xn--bcher-kva.example/a', 'xn--bcher-kva.example'],
    // Latin-1, which is not UTF-8.
    ['https://ref.example/caf\xe9', 'https://ref.example/caf\xe9', 'ref.example'],
    [
      'https://user:pass@ref.example/secret?token=abc#f',
      'https://ref.example/secret?token=abc',
      'ref.example',
    ],
    ['https://user@ref.example', 'https://ref.example/', 'ref.example'],
    ['https://:pass@ref.example:8443/a', 'https://ref.example:8443/a', 'ref.example'],
    ['https://a@b@ref.example/a@b', 'https://ref.example/a@b', 'ref.example'],
    ['https://user:p%40ss@ref.example/', 'https://ref.example/', 'ref.example'],
    ['https:user:pass@ref.example/', 'https://ref.example/', 'ref.example'],
    ['https:\\\\user:pass@ref.example/', 'https://ref.example/', 'ref.example'],
    [
      'https://ref.example/@name?to=a@b.example',
      'https://ref.example/@name?to=a@b.example',
      'ref.example',
    ],
    [raw('https://имя:пароль@ref.example/ё#я'), 'https://ref.example/%D1%91', 'ref.example'],
    ['https://ref.example/#access_token=abc', 'https://ref.example/', 'ref.example'],
    ['https://ref.example/a#user:pass@b', 'https://ref.example/a', 'ref.example'],
    ['#f', '', '(direct)'],
    [
      'android-app://com.google.android.gm',
      'android-app://com.google.android.gm',
      'com.google.android.gm',
    ],
    ['android-app://com.Slack/', 'android-app://com.Slack/', 'com.slack'],
    ['android-app://slack', 'android-app://slack', '(direct)'],
    ['android-app://com.slack:8080/', 'android-app://com.slack:8080/', 'com.slack'],
    ['android-app://com.slack..b/', 'android-app://com.slack..b/', '(direct)'],
    [
      'android-app://user:pass@com.google.android.gm/https/a#f',
      'android-app://com.google.android.gm/https/a',
      'com.google.android.gm',
    ],
    ['javascript:alert(1)', 'javascript:alert(1)', '(direct)'],
    ['javascript:alert("a@b")', '', '(direct)'],
    ['mailto:ada@ref.example', '', '(direct)'],
    ['user:pass@ref.example/a', '', '(direct)'],
    ['//user:pass@ref.example/a', '', '(direct)'],
    ['https://user:pass@', '', '(direct)'],
    ['https://user:pass@ref example/', '', '(direct)'],
    ['not a url', 'not a url', '(direct)'],
    ['about:blank', 'about:blank', '(direct)'],
    ['', '', '(direct)'],
  ];
  for (const [header, referrer, host] of rows) {
    it(`of ${header || 'an empty header'}`, () => {
      expect(read(header)).to.equal(referrer);
      expect(readReferrer(referrer)).to.deep.equal({
        referer: host,
        referer_url: host === '(direct)' ? host : referrer,
      });
    });
  }

  it('is empty without a header', () => expect(read()).to.equal(''));

  it('is cut off after 2,048 characters, and only then', () => {
    const url = (text: string, count: number) => `https://ref.example/${text.repeat(count)}`;
    expect(read(url('x', 5_000))).to.equal(url('x', 5_000).slice(0, 2_048));
    expect(read(raw(url('ж', 3_000)))).to.equal(url('ж', 3_000).slice(0, 2_048));
    const secret = url('x', 5_000).replace('//', '//user:pass@');
    expect(read(secret)).to.equal(url('x', 5_000).slice(0, 2_048));
    expect(read(`https://${'u'.repeat(9_000)}:p@ref.example/a`)).to.equal('');
  });
});
