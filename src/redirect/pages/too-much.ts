import { fixedNotice } from '../../web/layout.ts';

/** The page for a form that is too large. */
export const tooMuchPage = fixedNotice(413, {
  title: 'Too much text',
  text: 'This is more than can be sent at once. Please shorten your answers.',
});
