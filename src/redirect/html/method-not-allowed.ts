import { page } from './layout.ts';

/** Short links are opened, nothing else. */
export const methodNotAllowedPage = page(
  405,
  { title: 'Method not allowed', text: 'Short links answer GET and HEAD requests.' },
  ['Allow', 'GET, HEAD'],
);
