import { fixedNotice } from '../../web/layout.ts';

/** The page for an expired link without another destination. */
export const expiredPage = fixedNotice(410, {
  title: 'Link expired',
  text: 'This link is no longer active.',
});
