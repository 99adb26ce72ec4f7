import { Refusal } from '../errors.ts';

/** Makes the refusal of a sign-in: equal for a wrong signature and for an unknown passkey. */
export const wrongPasskey = () =>
  new Refusal('unauthorized', 'The passkey is unknown, or its signature is wrong');
