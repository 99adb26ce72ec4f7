import { expect } from 'chai';
import fc from 'fast-check';
import { readReferrer } from '../../src/events/ingest/pipeline.ts';
import { referersOf, SOURCE_NAMES, SOURCES, sourceOf } from '../../src/visitors/sources.ts';

const values = SOURCES.flatMap(({ hosts, apps = [] }) => [...hosts, ...apps]);

describe('sources of visits', () => {
  it('have a table in which each value belongs to one source, with where it is from', () => {
    expect(new Set(values).size).to.equal(values.length);
    const wrong = values.filter((value) => /^www\.|[A-Z/: ]/.test(value) && value !== 'Unknown');
    expect(wrong).to.deep.equal([]);
    expect(SOURCES.filter(({ source }) => source === '')).to.deep.equal([]);
    for (const { name, hosts, apps = [] } of SOURCES) {
      for (const value of [...hosts, ...apps, name.toLowerCase()]) {
        expect(sourceOf(value), value).to.equal(name);
      }
      expect(referersOf([name]), name).to.include.members([...hosts, ...apps]);
      expect(referersOf([name.toLowerCase()]), name).to.have.members(referersOf([name]));
    }
  });

  const REFERRERS: [header: string, source: string][] = [
    ['', '(direct)'],
    ['android-app://com.google.android.gm', 'Gmail'],
    ['android-app://com.google.android.gm/', 'Gmail'],
    ['android-app://com.google.android.googlequicksearchbox/https/www.google.com', 'Google'],
    ['android-app://com.Slack/', 'Slack'],
    ['android-app://com.pinterest', 'Pinterest'],
    ['android-app://com.linkedin.android/', 'LinkedIn'],
    ['android-app://org.telegram.messenger/', 'Telegram'],
    ['android-app://com.reddit.frontpage/', 'Reddit'],
    ['android-app://com.example.App_2/path', 'com.example.app_2'],
    ['android-app://com', '(direct)'],
    ['android-app://1.2.3.4', '(direct)'],
    ['android-app://com.example.%D0%BF', '(direct)'],
    [`android-app://com.${'a'.repeat(250)}`, '(direct)'],
    ['android-app:com.slack', '(direct)'],
    ['ios-app://544007664/', '(direct)'],
    ['https://l.facebook.com/', 'Facebook'],
    ['https://lm.facebook.com/l.php', 'Facebook'],
    ['http://m.facebook.com', 'Facebook'],
    ['https://www.facebook.com/', 'Facebook'],
    ['https://facebook.com.example/', 'facebook.com.example'],
    ['https://t.co/abc', 'X'],
    ['https://x.com/', 'X'],
    ['https://twitter.com/', 'X'],
    ['https://out.reddit.com/t3', 'Reddit'],
    ['https://old.reddit.com/', 'Reddit'],
    ['https://www.google.de/', 'Google'],
    ['https://www.google.com.br/', 'Google'],
    ['https://google.evil.example/', 'google.evil.example'],
    ['https://news.google.com/', 'Google News'],
    ['https://mail.google.com/mail/u/0/', 'Gmail'],
    ['https://docs.google.com/', 'docs.google.com'],
    ['https://l.instagram.com/', 'Instagram'],
    ['https://lnkd.in/x', 'LinkedIn'],
    ['https://chatgpt.com/', 'ChatGPT'],
    ['https://www.perplexity.ai/', 'Perplexity'],
    ['https://www.example.com/', 'example.com'],
    ['https://www.com/', 'www.com'],
    ['https://192.0.2.1/', '192.0.2.1'],
  ];
  for (const [header, source] of REFERRERS) {
    it(`name ${header.slice(0, 80) || 'no referrer'} ${source}`, () => {
      const { referer, referer_url } = readReferrer(header);
      expect(sourceOf(referer)).to.equal(source);
      expect(referer_url).to.equal(source === '(direct)' ? '(direct)' : header);
    });
  }

  it('stand for exactly the referrers that they are the source of', () => {
    const host = fc
      .array(fc.constantFrom('www', 'facebook', 'x', 'com', 'example', 'google', 'l'), {
        minLength: 1,
        maxLength: 5,
      })
      .map((parts) => parts.join('.'));
    const known = fc.constantFrom(...SOURCE_NAMES.keys());
    fc.assert(
      fc.property(fc.oneof(host, known), fc.oneof(host, known), (one, other) => {
        const isIncluded = referersOf([sourceOf(one)]).includes(other);
        expect(isIncluded).to.equal(sourceOf(other) === sourceOf(one));
        expect(referersOf([sourceOf(one)])).to.include(one);
      }),
      { numRuns: 2_000 },
    );
  });
});
