import type { Schemas } from '../api/client.ts';

export type DestinationType = Schemas['Destination']['type'];

/** The settings of each kind of destination. */
interface SettingsOf {
  matomo: Schemas['MatomoSettings'];
  ga4: Schemas['Ga4Settings'];
  plausible: Schemas['PlausibleSettings'];
  umami: Schemas['UmamiSettings'];
  redis: Schemas['RedisSettings'];
}

/** The control of a setting. */
export interface SettingField {
  label: string;
  hint?: string;
  placeholder?: string;
  /** Value of a new destination. */
  initial?: string;
  isNumber?: true;
  isUrl?: true;
}

interface Kind<Settings> {
  label: string;
  /** The settings in the order of the form. */
  settings: Readonly<Record<keyof Settings & string, SettingField>>;
  secret?: { label: string; hint: string; isRequired: boolean };
  /** Anchor in the guide. */
  guide: string;
  /** Limits of sending earlier events; false if the receiver takes none. */
  backfill: string | false;
  /** Where to look for the test event. */
  testHint: string;
}

/** Kinds of destinations with the fields of their forms. */
export const KINDS: Readonly<{ [Type in DestinationType]: Kind<SettingsOf[Type]> }> = {
  matomo: {
    label: 'Matomo',
    settings: {
      url: {
        label: 'URL of Matomo',
        hint: 'The part before matomo.php.',
        placeholder: 'https://matomo.example.com/',
        isUrl: true,
      },
      siteId: { label: 'Site ID', isNumber: true, placeholder: '1' },
    },
    secret: {
      label: 'Token',
      hint: 'The token_auth of a user with write access: Administration → Personal → Security.',
      isRequired: true,
    },
    guide: 'matomo',
    backfill: 'Matomo counts what you send again twice, except sales.',
    testHint: 'It appears in the visits log as “Test event”.',
  },
  ga4: {
    label: 'Google Analytics 4',
    settings: {
      measurementId: {
        label: 'Measurement ID',
        hint: 'Admin → Data streams.',
        placeholder: 'G-ABCD123456',
      },
      url: {
        label: 'Collection URL',
        hint: 'For the EU: https://region1.google-analytics.com/',
        initial: 'https://www.google-analytics.com/',
        isUrl: true,
      },
    },
    secret: {
      label: 'API secret',
      hint: 'Admin → Data streams → Measurement Protocol API secrets.',
      isRequired: true,
    },
    guide: 'google-analytics-4',
    backfill: 'Google Analytics accepts only events of the last 72 hours.',
    testHint:
      'Google Analytics also accepts a wrong measurement ID or secret: look at DebugView or the ' +
      'realtime report.',
  },
  plausible: {
    label: 'Plausible',
    settings: {
      domain: { label: 'Domain of the site', placeholder: 'go.example.com' },
      url: { label: 'URL of Plausible', initial: 'https://plausible.io/', isUrl: true },
    },
    guide: 'plausible',
    backfill: false,
    testHint: 'It is a page view of a page named test-event.',
  },
  umami: {
    label: 'Umami',
    settings: {
      websiteId: {
        label: 'Website ID',
        placeholder: '4fb7fa4c-5b46-438d-94b3-3a8fb9bc2e8b',
      },
      url: { label: 'URL of Umami', initial: 'https://cloud.umami.is/', isUrl: true },
    },
    guide: 'umami',
    backfill: 'Umami counts what you send again twice.',
    testHint: 'It is a page view with the tag “test”.',
  },
  redis: {
    label: 'Redis stream',
    settings: {
      url: {
        label: 'URL of the server',
        hint: 'With the user name, without the password. Your administrator must allow the host.',
        placeholder: 'rediss://events@redis.example.com:6379',
      },
      stream: { label: 'Stream', placeholder: 'visits' },
      maxLength: {
        label: 'Entries to keep',
        hint: 'Older ones are deleted.',
        initial: '1000000',
        isNumber: true,
      },
    },
    secret: { label: 'Password', hint: 'Leave empty if there is none.', isRequired: false },
    guide: 'redis',
    backfill: 'Entries that you send again have the same ID.',
    testHint: 'Its data has “test”: true.',
  },
};

export const TYPES = Object.keys(KINDS) as DestinationType[];

/** Returns the controls of the settings of a kind, in order. */
export const settingsOf = (type: DestinationType): [name: string, field: SettingField][] =>
  Object.entries(KINDS[type].settings);
