import { fixedNotice } from '../../web/layout.ts';

/** The page for an address that cannot be parsed, for instance because of a stray percent sign. */
export const badRequestPage = fixedNotice(400, {
  title: 'Malformed address',
  text: 'This address cannot be read. Check it for typing errors.',
});
