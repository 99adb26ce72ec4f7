import { Refusal } from '../errors.ts';
import { db, rows } from '../infra/db.ts';
import { hashToken } from '../infra/secrets.ts';
import type { Role } from '../workspaces/roles.ts';

/** An invitation as whoever has its token sees it. */
export interface Offer {
  projectId: string;
  workspace: { name: string; slug: string };
  email: string;
  role: Role;
  /** The person with the address; `null` where nobody has an account with it. */
  userId: string | null;
}

/** Of a token that was never given out as well: there is no difference to tell. */
export const invitationGone = () =>
  new Refusal('invite_expired', 'The invitation has expired, or has been accepted or withdrawn');

/** The invitation of a token. The one look-up that cannot name a workspace: it finds it. @throws Refusal `invite_expired` */
export async function findOffer(token: string): Promise<Offer> {
  const [offer] = await rows<Offer>(
    db(),
    `SELECT i.project_id AS "projectId", json_build_object('name', w.name, 'slug', w.slug) AS workspace,
            i.email, i.role, u.id AS "userId"
       FROM invitations i JOIN workspaces w ON w.id = i.project_id
       LEFT JOIN users u ON lower(u.email) = lower(i.email)
      WHERE i.hash = ? AND i.expires_at > now()`,
    [hashToken(token)],
  );
  if (offer === undefined) throw invitationGone();
  return offer;
}
