import { fixedNotice } from '../../web/layout.ts';

/** Short links are opened, nothing else. */
export const methodNotAllowedPage = fixedNotice(
  405,
  { title: 'Method not allowed', text: 'Short links cannot be asked in this way.' },
  ['Allow', 'GET, HEAD'],
);
