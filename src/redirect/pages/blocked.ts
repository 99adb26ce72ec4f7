import { fixedNotice } from '../../web/layout.ts';

/** The link leads to a host that the operator blocks. */
export const blockedPage = fixedNotice(403, {
  title: 'Link blocked',
  text: 'This link leads to a site that is blocked here, so you are not sent on.',
});
