import { page } from './layout.ts';

/** The link led somewhere once, and its owner named no other place. */
export const expiredPage = page(410, {
  title: 'Link expired',
  text: 'This link is no longer active.',
});
