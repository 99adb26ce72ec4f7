import { Refusal } from '../errors.ts';
import { db, rows } from '../infra/db.ts';
import { hashToken } from '../infra/secrets.ts';
import type { Role } from '../workspaces/roles.ts';

/** An invitation that is about to be accepted. */
export interface Offer {
  projectId: string;
  /** SHA-256 of the token. */
  hash: string;
  /** True if the token was only sent by email, so that its holder has verified the address. */
  isMailed: boolean;
  workspace: { name: string; slug: string };
  email: string;
  role: Role;
  /** The account with the address; `null` if there is none. */
  userId: string | null;
  /** True if the address of the account is verified. */
  isProven: boolean;
}

/** Makes the refusal of a token that has ended; one that never existed gets the same. */
export const invitationGone = () =>
  new Refusal('invite_expired', 'The invitation has expired, or has been accepted or withdrawn');

/**
 * Returns true if accepting creates an account, or starts one over, with a name and a password from
 * the holder of the token.
 */
export const beginsAccount = ({ userId, isProven, isMailed }: Offer): boolean =>
  userId === null || (isMailed && !isProven);

const OFFER = `
  SELECT i.project_id AS "projectId", i.hash, i.is_mailed AS "isMailed",
         json_build_object('name', w.name, 'slug', w.slug) AS workspace,
         i.email, i.role, u.id AS "userId", u.email_verified_at IS NOT NULL AS "isProven"
    FROM invitations i JOIN workspaces w ON w.id = i.project_id
    LEFT JOIN users u ON lower(u.email) = lower(i.email)
   WHERE i.expires_at > now()`;

/**
 * Finds the invitation of a token. This is the one look-up without a workspace.
 *
 * @throws Refusal `invite_expired`
 */
export async function findOffer(token: string): Promise<Offer> {
  const [offer] = await rows<Offer>(db(), `${OFFER} AND i.hash = ?`, [hashToken(token)]);
  if (offer === undefined) throw invitationGone();
  return offer;
}

/**
 * Finds an invitation that `GET /me` shows a person, by its id.
 *
 * @throws Refusal `invite_expired`, also when the address of the person is not verified
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
