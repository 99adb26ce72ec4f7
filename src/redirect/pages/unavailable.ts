import { fixedNotice } from '../../web/layout.ts';

/**
 * The page for a failed look-up, or a visit that could not be recorded: a retry is better than a
 * loss.
 */
export const unavailablePage = fixedNotice(
  503,
  {
    title: 'Please try again',
    text: 'This link cannot be opened just now. Try again in a moment.',
  },
  ['Retry-After', '2'],
);
