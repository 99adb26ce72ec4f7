import { Joi } from '../../http/fields.ts';
import { webAddress } from '../../short-links/url-field.ts';
import type { ContentType } from './content-type.ts';
import { line, lines } from './fields.ts';

/** A list of links. */
interface LinkList {
  title: string;
  text?: string;
  links: { title: string; url: string }[];
}

/** A page with a list of links. */
export const links: ContentType<LinkList> = {
  name: 'links',
  whyDynamic: 'it opens a page of this service',
  description:
    'A page with links: `{title, text?, links}`, each `{title, url}`. The code must be dynamic.',
  schema: Joi.object({
    title: line(100).required().description('Heading of the page.').example('Northwind'),
    text: lines(500).empty('').description('Text under the heading.'),
    links: Joi.array()
      .items(
        Joi.object({
          title: line(100).required().description('Label of the button.').example('Menu'),
          url: webAddress().required().description('URL.').example('https://example.com/menu'),
        }).meta({ name: 'PageLink' }),
      )
      .min(1)
      .max(50)
      .required()
      .description('Links, 1 to 50.'),
  }).meta({ name: 'LinksContent', extension: true }),
  encode: ({ links: [first] }) => first!.url,
  onVisit: ({ title, text, links: all }) => ({
    page: {
      type: 'links',
      title,
      isOwnTitle: true,
      subtitle: text,
      actions: [],
      rows: [],
      links: all.map((link) => ({ label: link.title, href: link.url })),
    },
  }),
};
