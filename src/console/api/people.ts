import { ApiError } from './error.ts';

/** A workspace that the person is a member of. */
export interface Membership {
  id: string;
  slug: string;
  name: string;
  plan: string;
  role: Role;
}

export type Role = 'owner' | 'member' | 'viewer';

/** The signed-in person. */
export interface Me {
  id: string;
  email: string;
  name: string;
  hasPassword: boolean;
  /** A new password must come with the current one. */
  needsCurrentPassword: boolean;
  isOperator: boolean;
  workspaces: Membership[];
}

/** Changes of a person’s own account. */
export interface MeChanges {
  name?: string;
  password?: string;
  currentPassword?: string;
}

/** A browser in which the person is signed in. */
export interface Session {
  id: string;
  createdAt: string;
  lastUsedAt: string;
  userAgent: string;
  network: string;
  isCurrent: boolean;
}

/** Ways to sign in. */
export interface Methods {
  password: boolean;
  oidc: { name: string } | null;
}

/** An invitation, before it is accepted. */
export interface Invitation {
  workspace: { name: string; slug: string };
  email: string;
  role: Role;
  needsAccount: boolean;
}

async function ask<T>(path: string, body?: unknown, method = 'POST'): Promise<T> {
  const options: RequestInit =
    body === undefined
      ? {}
      : {
          method,
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify(body),
        };
  let response: Response;
  try {
    response = await fetch(path, options);
  } catch {
    throw new ApiError(0, 'offline', 'The service can’t be reached');
  }
  if (!response.ok) throw await ApiError.of(response);
  return (response.status === 204 ? undefined : await response.json()) as T;
}

/** Endpoints of a person, who needs no workspace for them. */
export const people = {
  me: () => ask<Me>('/me'),
  changeMe: (changes: MeChanges) => ask<Me>('/me', changes, 'PATCH'),
  sessions: () => ask<Session[]>('/me/sessions'),
  endSession: (id: string) => ask<unknown>(`/me/sessions/${id}`, {}, 'DELETE'),
  endOtherSessions: () => ask<unknown>('/me/sessions', {}, 'DELETE'),
  methods: () => ask<Methods>('/auth/methods'),
  signIn: (input: { email: string; password: string }) => ask<Me>('/auth/sign-in', input),
  signInByLink: (token: string) => ask<Me>('/auth/links', { token }),
  signOut: () => ask<undefined>('/auth/sign-out', {}),
  lookUpInvitation: (token: string) => ask<Invitation>('/invitations/lookup', { token }),
  acceptInvitation: (input: { token: string; name?: string; password?: string }) =>
    ask<Me>('/invitations/accept', input),
  createWorkspace: (input: { slug: string; name?: string }) =>
    ask<{ slug: string }>('/workspaces', input),
};
