import { fixedNotice } from '../../web/layout.ts';

/** A form is larger than we take. */
export const tooMuchPage = fixedNotice(413, {
  title: 'Too much text',
  text: 'This is more than can be sent at once. Please shorten your answers.',
});
