import { fixedNotice } from '../../web/layout.ts';

/** The page for an address without a link, or a host that is no domain of this service. */
export const notFoundPage = fixedNotice(404, {
  title: 'Link not found',
  text: 'There is nothing at this address. Check it for typing errors.',
});
