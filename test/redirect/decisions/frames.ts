import { AGENTS, by, frame, GERMANY, HTTPS, link, rule, type Topic, to } from './row.ts';

const framed = (path: string) => link({ url: `{site}${path}`, rewrite: true });

export const frames: Topic[] = [
  {
    topic: 'a link with rewrite',
    rows: [
      [
        'is framed without headers of the site',
        framed('/free'),
        {},
        {
          ...frame('{site}/free'),
          headers: { 'content-security-policy': '*frame-src http: https:*' },
        },
      ],
      [
        'is framed when the policy allows any site',
        framed('/everybody'),
        {},
        frame('{site}/everybody'),
      ],
      [
        'is framed when a policy for any site overrides X-Frame-Options',
        framed('/overruled'),
        {},
        frame('{site}/overruled'),
      ],
      [
        'has its title',
        link({ url: '{site}/free', rewrite: true, title: 'Window' }),
        {},
        { ...frame('{site}/free'), shows: ['<title>Window</title>'] },
      ],
      [
        'has its short link as its title without one',
        framed('/free'),
        {},
        { ...frame('{site}/free'), shows: ['<title>{host}/{key}</title>'] },
      ],
      ['redirects with X-Frame-Options: DENY', framed('/deny'), {}, to('{site}/deny')],
      [
        'redirects with X-Frame-Options: SAMEORIGIN',
        framed('/same-origin'),
        {},
        to('{site}/same-origin'),
      ],
      ['redirects when a policy allows no site', framed('/none'), {}, to('{site}/none')],
      [
        'redirects when a policy allows the site itself only',
        framed('/self'),
        {},
        to('{site}/self'),
      ],
      [
        'redirects when one of two policies allows no site',
        framed('/two-policies'),
        {},
        to('{site}/two-policies'),
      ],
      [
        'redirects when the site redirects to a page that forbids frames',
        framed('/moved'),
        {},
        to('{site}/moved'),
      ],
      ['redirects when the page is missing', framed('/missing'), {}, to('{site}/missing')],
      ['redirects to an app', link({ url: 'myapp://open', rewrite: true }), {}, to('myapp://open')],
      ['redirects without rewrite', link({ url: '{site}/free' }), {}, to('{site}/free')],
      [
        'redirects with its status when it cannot be framed',
        link({ url: '{site}/deny', rewrite: true, redirectStatus: 307 }),
        {},
        to('{site}/deny', 307),
      ],
      ['redirects over https when the page is http', framed('/free'), HTTPS, to('{site}/free')],
      [
        'redirects over https behind two proxies',
        framed('/free'),
        { headers: { 'x-forwarded-proto': 'http, https' } },
        to('{site}/free'),
      ],
      [
        'frames the target of a device',
        link({ ios: '{site}/free?ios', rewrite: true }),
        by(AGENTS.iPhone),
        frame('{site}/free?ios'),
      ],
      [
        'frames the target of a rule',
        link({ rules: [rule('DE', '{site}/free?rule')], rewrite: true }),
        GERMANY,
        frame('{site}/free?rule'),
      ],
      [
        'frames a target with the utm parameters of the link',
        link({ ios: '{site}/free', utm_source: 'mail', rewrite: true }),
        by(AGENTS.iPhone),
        frame('{site}/free?utm_source=mail'),
      ],
      [
        'redirects to a target that forbids frames',
        link({ url: '{site}/free', android: '{site}/deny', rewrite: true }),
        by(AGENTS.androidPhone),
        to('{site}/deny'),
      ],
      [
        'redirects to a target that is an app',
        link({ url: '{site}/free', android: 'myapp://open', rewrite: true }),
        by(AGENTS.androidPhone),
        to('myapp://open'),
      ],
    ],
  },
];
