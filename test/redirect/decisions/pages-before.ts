import {
  A,
  BEFORE,
  by,
  CARD,
  card,
  FACEBOOK,
  HTTPS,
  hiding,
  link,
  PAGE,
  page,
  SECRET,
  type Topic,
  to,
} from './row.ts';

const FORM = page(200, 'Tell us first');
const OWN_PAGE = { preRedirection: true, pageUrl: 'https://example.com/own' };

export const pagesBefore: Topic[] = [
  {
    topic: 'a page before the destination',
    rows: [
      [
        'is shown with a link to continue',
        link(PAGE),
        {},
        page(200, 'Please read this', 'href="/_/continue/', '/{key}"'),
      ],
      ['does not reveal the destination', link({ ...PAGE, url: SECRET.url }), {}, hiding(BEFORE)],
      [
        'with fields has a form and may be skipped',
        link({ preRedirection: true, pageId: '{questions}' }),
        {},
        { ...FORM, shows: ['<form', 'Skip'] },
      ],
      [
        'with fields must not be skipped when it is mandatory',
        link({ preRedirection: true, pageId: '{questions}', isFormMandatory: true }),
        {},
        { ...FORM, shows: ['<form'], hides: ['skip'] },
      ],
      [
        'without fields is shown without a form, even when a form is mandatory',
        link({ ...PAGE, isFormMandatory: true }),
        {},
        BEFORE,
      ],
      ['is not shown without preRedirection', link({ pageId: '{page}' }), {}, to(A)],
      [
        'is not shown when preRedirection is false',
        link({ pageId: '{page}', preRedirection: false }),
        {},
        to(A),
      ],
      ['is not shown without pageId', link({ preRedirection: true }), {}, to(A)],
      [
        'of the owner gets the URL to continue',
        link(OWN_PAGE),
        {},
        to('https://example.com/own?continue=http%3A%2F%2F{host}%2F_%2Fcontinue%2F*%2F{key}'),
      ],
      [
        'of the owner keeps its query',
        link({ ...OWN_PAGE, pageUrl: 'https://example.com/own?x=1#top' }),
        {},
        to('https://example.com/own?x=1&continue=http*{key}#top'),
      ],
      [
        'of the owner gets the URL to continue over https',
        link(OWN_PAGE),
        HTTPS,
        to('https://example.com/own?continue=https%3A%2F%2F{host}%2F*'),
      ],
      [
        'of the owner gets the URL to continue with the query',
        link(OWN_PAGE),
        { path: '/{key}?x=1' },
        to('https://example.com/own?continue=*{key}%3Fx%3D1'),
      ],
      [
        'of the owner is redirected to with 302 whatever the status',
        link({ ...OWN_PAGE, redirectStatus: 308 }),
        {},
        to('https://example.com/own?continue=*', 302),
      ],
      [
        'of the owner is not shown without preRedirection',
        link({ pageUrl: OWN_PAGE.pageUrl }),
        {},
        to(A),
      ],
      [
        'of pageId takes precedence over pageUrl',
        link({ ...OWN_PAGE, pageId: '{page}' }),
        {},
        BEFORE,
      ],
      [
        'is announced by the preview',
        link(PAGE),
        { path: '/{key}+' },
        page(200, 'Where this link leads', 'A page is shown before the destination.'),
      ],
      [
        'is shown again for an invalid URL to continue',
        link(PAGE),
        { path: '/_/continue/forged/{key}' },
        to('/{key}', 303),
      ],
      [
        'of the owner is shown again for an invalid URL to continue',
        link(OWN_PAGE),
        { path: '/_/continue/forged/{key}?x=1' },
        to('/{key}?x=1', 303),
      ],
      [
        'is not shown to crawlers that get a preview',
        link({ ...OWN_PAGE, ...CARD }),
        by(FACEBOOK),
        card('A card'),
      ],
    ],
  },
];
