import { fixedNotice } from '../../web/layout.ts';

/** The link led somewhere once, and its owner named no other place. */
export const expiredPage = fixedNotice(410, {
  title: 'Link expired',
  text: 'This link is no longer active.',
});
