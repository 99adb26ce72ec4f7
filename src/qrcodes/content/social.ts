import { Joi } from '../../http/fields.ts';
import type { ContentType } from './content-type.ts';
import { line, lines } from './fields.ts';
import { type Profile, profileLink, profilesField, profileUrl } from './profiles.ts';

/** Profiles of a person or company in social networks. */
interface SocialProfiles {
  title: string;
  text?: string;
  profiles: Profile[];
}

/** A page with the profiles of a person or company. */
export const social: ContentType<SocialProfiles> = {
  name: 'social',
  whyDynamic: 'it opens a page of this service',
  description:
    'Profiles in social networks: `{title, text?, profiles}`, each `{network, handle or url}`. The code must ' +
    'be dynamic.',
  schema: Joi.object({
    title: line(100).required().description('Heading of the page.').example('Northwind'),
    text: lines(500).empty('').description('Text under the heading.'),
    profiles: profilesField().min(1).required().description('Profiles, 1 to 30.'),
  }).meta({ name: 'SocialContent', extension: true }),
  encode: ({ profiles: [first] }) => profileUrl(first!),
  onVisit: ({ title, text, profiles }) => ({
    page: {
      type: 'social',
      title,
      isOwnTitle: true,
      subtitle: text,
      actions: [],
      rows: [],
      links: profiles.map(profileLink),
    },
  }),
};
