import { expect } from 'chai';
import { ApiError, describe as inSentences } from '../../src/console/api/error.ts';
import { inWords } from '../../src/console/api/error-words.ts';

const refusal = (message: string, status = 422) => new ApiError(status, 'any', message);

describe('a refusal of the API in words for people', () => {
  const sentences: [message: string, sentence: string, status?: number][] = [
    ['rules[0].value.country must contain at least 1 item', 'Country: Choose a country.'],
    ['url must be a valid URL', 'URL: Enter a full URL, such as https://example.com/page.'],
    [
      'url is required; expiresAt must be in the future',
      'URL: Enter a URL. Expires at: Choose a time in the future.',
    ],
    ['country must be one of AD, AE, AF, AG', 'Country: This isn’t one of the choices.'],
    ['linkIds must have magicQuality', 'Link ids: This value isn’t accepted.'],
    [
      'source must be a font whose license lets files embed its outlines (OS/2.fsType)',
      'Source: Its license does not allow a font to be part of pictures.',
    ],
    ['source must not be larger than 1 MiB', 'Source: Use a file of at most 1 MiB.'],
    ['bgColor must differ more', 'Bg color must differ more.'],
    [
      'The role "viewer" lacks the scope "webhooks.read"',
      'You don’t have access to webhooks. Ask an owner.',
      403,
    ],
    [
      'The role "viewer" lacks the scope "links.write"',
      'You can’t change links. Ask an owner.',
      403,
    ],
    ['The key "a" is taken on its domain', 'The slug “a” is taken.', 409],
    [
      'There is no webhook "wh_0aZ9bY8cX7dW6eV"',
      'This doesn’t exist anymore, or you don’t have access to it.',
      404,
    ],
    [
      'The body must be sent without Content-Encoding',
      'The service didn’t accept this. Check what you entered.',
      400,
    ],
    [
      'A workspace has at most 100 UTM templates',
      'A workspace has at most 100 UTM templates.',
      409,
    ],
  ];
  for (const [message, sentence, status] of sentences) {
    it(`says “${sentence}” for “${message}”`, () =>
      expect(inSentences(refusal(message, status))).to.equal(sentence));
  }

  it('tells each field what is wrong with it, with its label where no words are known', () => {
    const { fields } = refusal(
      'url must be one URL, not 20; fgColor must differ more from bgColor',
    );
    expect(fields['url']).to.equal('Enter one URL, not 20.');
    expect(inWords(refusal('color must differ more').fields['color']!, 'Frame color')).to.equal(
      'Frame color must differ more.',
    );
    expect(fields['fgColor']).to.equal('This value isn’t accepted.');
  });
});
