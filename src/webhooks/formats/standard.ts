import type { Format } from './format.ts';

/** The payload as it is stored, signed by Standard Webhooks. */
export const standard: Format = {
  contentType: 'application/json',
  isChat: false,
  bodyOf: ({ payload }) => payload,
};
