import { fixedNotice } from '../../web/layout.ts';

/** Nothing stands under this address, or the domain is not ours. */
export const notFoundPage = fixedNotice(404, {
  title: 'Link not found',
  text: 'There is nothing at this address. Check it for typing errors.',
});
