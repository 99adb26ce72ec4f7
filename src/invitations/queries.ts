import { Refusal } from '../errors.ts';
import { db, rows } from '../infra/db.ts';
import { hashToken } from '../infra/secrets.ts';
import type { Role } from '../workspaces/roles.ts';

/** An invitation as it is accepted. */
export interface Offer {
  projectId: string;
  /** SHA-256 of the token. */
  hash: string;
  /** The token went out by email alone: whoever has it proves the address. */
  isMailed: boolean;
  workspace: { name: string; slug: string };
  email: string;
  role: Role;
  /** The account with the address; `null` where there is none. */
  userId: string | null;
  /** The address of the account is proven. */
  isProven: boolean;
}

/** Of a token that was never given out as well: there is no difference to tell. */
export const invitationGone = () =>
  new Refusal('invite_expired', 'The invitation has expired, or has been accepted or withdrawn');

/** True where accepting makes an account, or begins one anew, with a name and a password of whoever has the token. */
export const beginsAccount = ({ userId, isProven, isMailed }: Offer): boolean =>
  userId === null || (isMailed && !isProven);

const OFFER = `
  SELECT i.project_id AS "projectId", i.hash, i.is_mailed AS "isMailed",
         json_build_object('name', w.name, 'slug', w.slug) AS workspace,
         i.email, i.role, u.id AS "userId", u.email_verified_at IS NOT NULL AS "isProven"
    FROM invitations i JOIN workspaces w ON w.id = i.project_id
    LEFT JOIN users u ON lower(u.email) = lower(i.email)
   WHERE i.expires_at > now()`;

/** The invitation of a token. The look-up cannot name a workspace: it finds it. @throws Refusal `invite_expired` */
export async function findOffer(token: string): Promise<Offer> {
  const [offer] = await rows<Offer>(db(), `${OFFER} AND i.hash = ?`, [hashToken(token)]);
  if (offer === undefined) throw invitationGone();
  return offer;
}

/**
 * An invitation that `GET /me` shows a person, by its id.
 *
 * @throws Refusal `invite_expired`, also where the address of the person is not proven
 */
export async function findOwnOffer(id: string, userId: string): Promise<Offer> {
  const [offer] = await rows<Offer>(
    db(),
    `${OFFER} AND i.id = ? AND u.id = ? AND u.email_verified_at IS NOT NULL`,
    [id, userId],
  );
  if (offer === undefined) throw invitationGone();
  return offer;
}
