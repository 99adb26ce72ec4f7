import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { line, webAddress } from './fields.ts';

/** An app in its stores. */
export interface AppLinks {
  name?: string;
  ios?: string;
  android?: string;
  /** For other devices. */
  url?: string;
}

/**
 * An app. A scan opens the store of the device; other devices get the URL, or a page with the stores
 * if there is none.
 */
export const app: ContentType<AppLinks> = {
  name: 'app',
  whyDynamic: 'its destination depends on the visitor',
  description:
    'An app in its stores: `{ios?, android?, url?, name?}`, at least one of `ios` and `android`. A scan ' +
    'opens the one of the device, or `url`. The code must be dynamic.',
  schema: Joi.object({
    name: line(100).empty('').description('Name of the app, for the page.').example('Northwind'),
    ios: webAddress()
      .empty('')
      .description('URL in the App Store.')
      .example('https://apps.apple.com/app/id310633997'),
    android: webAddress()
      .empty('')
      .description('URL in Google Play or another store.')
      .example('https://play.google.com/store/apps/details?id=com.example'),
    url: webAddress()
      .empty('')
      .description('URL for other devices. Default: a page with the stores.'),
  })
    .meta({ name: 'AppContent', extension: true })
    .custom((content: AppLinks, { error }) =>
      content.ios === undefined && content.android === undefined
        ? error('rule', { rule: 'must have the URL of a store: ios or android' })
        : content,
    ),
  encode: ({ url, ios, android }) => url ?? ios ?? android ?? '',
  onVisit: ({ name, url, ios, android }) => {
    if (url !== undefined) return { open: url, ios, android };
    return {
      ios,
      android,
      page: {
        type: 'app',
        title: name ?? 'Get the app',
        ...(name === undefined ? {} : { isOwnTitle: true as const }),
        actions: [
          ...(ios === undefined ? [] : [{ label: 'App Store', href: ios }]),
          ...(android === undefined ? [] : [{ label: 'Google Play', href: android }]),
        ],
        rows: [],
      },
    };
  },
};
