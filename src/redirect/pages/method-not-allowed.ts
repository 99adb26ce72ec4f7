import { fixedNotice } from '../../web/layout.ts';

/** The page for methods that short links do not support. */
export const methodNotAllowedPage = fixedNotice(
  405,
  { title: 'Method not allowed', text: 'Short links cannot be asked in this way.' },
  ['Allow', 'GET, HEAD'],
);
