import { Refusal } from '../../errors.ts';
import type { PeerRoute } from '../peer.ts';

const PARTNERS =
  'This service has no partners, commissions, payouts, bounties, discount codes or embed tokens';
const REGISTRATION =
  'This service registers no domains: register it elsewhere, and add it with POST /domains';

/** Endpoints of Dub without a counterpart here. */
const ENDPOINTS: readonly (readonly [PeerRoute['method'], string, string])[] = [
  ['post', '/domains/register', REGISTRATION],
  ['get', '/domains/status', REGISTRATION],
  ['post', '/partners', PARTNERS],
  ['get', '/partners', PARTNERS],
  ['get', '/partners/applications', PARTNERS],
  ['post', '/partners/applications/approve', PARTNERS],
  ['post', '/partners/applications/reject', PARTNERS],
  ['post', '/partners/links', PARTNERS],
  ['get', '/partners/links', PARTNERS],
  ['put', '/partners/links/upsert', PARTNERS],
  ['get', '/partners/analytics', PARTNERS],
  ['post', '/partners/ban', PARTNERS],
  ['post', '/partners/deactivate', PARTNERS],
  ['get', '/discount-codes', PARTNERS],
  ['post', '/discount-codes', PARTNERS],
  ['delete', '/discount-codes/{idOrCode}', PARTNERS],
  ['post', '/commissions', PARTNERS],
  ['get', '/commissions', PARTNERS],
  ['patch', '/commissions/bulk', PARTNERS],
  ['patch', '/commissions/{id}', PARTNERS],
  ['get', '/payouts', PARTNERS],
  ['post', '/tokens/embed/referrals', PARTNERS],
  ['get', '/bounties/{bountyId}/submissions', PARTNERS],
  ['post', '/bounties/{bountyId}/submissions/{submissionId}/approve', PARTNERS],
  ['post', '/bounties/{bountyId}/submissions/{submissionId}/reject', PARTNERS],
];

/** Routes that answer with an error which explains that there is no counterpart. */
export const unsupportedRoutes: PeerRoute[] = ENDPOINTS.map(([method, path, why]) => ({
  method,
  path,
  answer: () => Promise.reject(new Refusal('forbidden', why)),
}));
