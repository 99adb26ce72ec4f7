import { page } from './layout.ts';

/** The link asks for a password. Says nothing about where it leads. */
export const protectedPage = page(403, {
  title: 'Link protected',
  text: 'This link is protected by a password.',
});
