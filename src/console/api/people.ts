import { answer, apiOf, type Schemas } from './client.ts';

/** Role of a person in a workspace. */
export type Role = Schemas['Membership']['role'];

const api = apiOf(undefined);

/** Endpoints of the signed-in person, which need no workspace. */
export const people = {
  me: () => answer(api.GET('/me')),
  changeMe: (body: Schemas['MeUpdate']) => answer(api.PATCH('/me', { body })),
  sessions: () => answer(api.GET('/me/sessions')),
  endSession: (id: string) => answer(api.DELETE('/me/sessions/{id}', { params: { path: { id } } })),
  endOtherSessions: () => answer(api.DELETE('/me/sessions')),
  notifications: () => answer(api.GET('/me/notifications')),
  changeNotifications: (projectId: string, body: Schemas['NotificationsUpdate']) =>
    answer(api.PATCH('/me/notifications/{projectId}', { params: { path: { projectId } }, body })),
  methods: () => answer(api.GET('/auth/methods')),
  signIn: (body: Schemas['SignIn']) => answer(api.POST('/auth/sign-in', { body })),
  lookUpLink: (token: string) => answer(api.POST('/auth/links/lookup', { body: { token } })),
  signInByLink: (token: string) => answer(api.POST('/auth/links', { body: { token } })),
  signInBySecondFactor: (code: string) =>
    answer(api.POST('/auth/second-factor', { body: { code } })),
  startSecondFactor: () => answer(api.POST('/me/second-factor/setup')),
  createSecondFactor: (body: Schemas['NewSecondFactor']) =>
    answer(api.POST('/me/second-factor', { body })),
  rotateRecoveryCodes: (body: Schemas['SecondFactorConfirmation']) =>
    answer(api.POST('/me/second-factor/recovery-codes', { body })),
  removeSecondFactor: (body: Schemas['SecondFactorConfirmation']) =>
    answer(api.POST('/me/second-factor/remove', { body })),
  startPasskeySignIn: () => answer(api.POST('/auth/passkeys/start')),
  signInByPasskey: (body: Schemas['PasskeySignIn']) => answer(api.POST('/auth/passkeys', { body })),
  passkeys: () => answer(api.GET('/me/passkeys')),
  startPasskey: (body: Schemas['PasskeySetup']) => answer(api.POST('/me/passkeys/setup', { body })),
  createPasskey: (body: Schemas['NewPasskey']) => answer(api.POST('/me/passkeys', { body })),
  renamePasskey: ({ id, name }: { id: string; name: string }) =>
    answer(api.PATCH('/me/passkeys/{id}', { params: { path: { id } }, body: { name } })),
  removePasskey: ({ id, body }: { id: string; body: Schemas['PasskeyRemoval'] }) =>
    answer(api.POST('/me/passkeys/{id}/remove', { params: { path: { id } }, body })),
  requestPasswordReset: (email: string) =>
    answer(api.POST('/auth/password-resets', { body: { email } })),
  lookUpPasswordReset: (token: string) =>
    answer(api.POST('/auth/password-resets/lookup', { body: { token } })),
  resetPassword: (body: Schemas['PasswordResetCompletion']) =>
    answer(api.POST('/auth/password-resets/complete', { body })),
  signOut: () => api.POST('/auth/sign-out'),
  lookUpInvitation: (token: string) => answer(api.POST('/invitations/lookup', { body: { token } })),
  acceptInvitation: (body: Schemas['InvitationAcceptance']) =>
    answer(api.POST('/invitations/accept', { body })),
  authorization: (query: Schemas['AuthorizationParameters']) =>
    answer(api.GET('/oauth/authorization', { params: { query } })),
  authorize: (body: Schemas['NewAuthorization']) =>
    answer(api.POST('/oauth/authorization', { body })),
  createWorkspace: (body: Schemas['NewWorkspace']) => answer(api.POST('/workspaces', { body })),
};
