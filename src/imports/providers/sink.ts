import { isTrue, type Provider, tags, text } from './provider.ts';

/** Passwords that are no longer readable: their digest, or what is shown instead of them. */
const HIDDEN = /^\S{1,40}:[\w-]+:[\w-]+:|\*{3}|•{3}/;

/** Links of Sink, in the JSON of its export. */
export const sink: Provider = {
  title: 'Sink',
  marks: [
    ['slug', 'url', 'redirectwithquery'],
    ['slug', 'url', 'cloaking'],
    ['slug', 'url', 'apple', 'google'],
  ],
  looseMarks: [['id', 'slug', 'url', 'createdat', 'updatedat']],
  fields: [
    'key',
    'url',
    'title',
    'description',
    'image',
    'comments',
    'tagNames',
    'createdAt',
    'expiresAt',
    'password',
    'hasPassword',
    'ios',
    'android',
    'geo',
    'rewrite',
    'forwardQuery',
    'externalId',
  ],
  links(record) {
    const password = text(record, 'password');
    const isHidden = password !== undefined && HIDDEN.test(password);
    return [
      {
        key: text(record, 'slug'),
        url: text(record, 'url'),
        title: text(record, 'title'),
        description: text(record, 'description'),
        image: text(record, 'image'),
        comments: text(record, 'comment'),
        tagNames: tags(record['tags']),
        createdAt: text(record, 'createdat'),
        expiresAt: text(record, 'expiration'),
        password: isHidden ? undefined : password,
        hasPassword: isHidden,
        ios: text(record, 'apple'),
        android: text(record, 'google'),
        geo: record['geo'],
        rewrite: isTrue(record, 'cloaking'),
        forwardQuery: isTrue(record, 'redirectwithquery'),
        externalId: text(record, 'id'),
      },
    ];
  },
};
