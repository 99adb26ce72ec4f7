import { fixedNotice } from '../../web/layout.ts';

/** We could not look the link up, or could not keep the visit: better asked again than lost. */
export const unavailablePage = fixedNotice(
  503,
  {
    title: 'Please try again',
    text: 'This link cannot be opened just now. Try again in a moment.',
  },
  ['Retry-After', '2'],
);
