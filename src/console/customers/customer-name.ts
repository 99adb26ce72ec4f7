import type { Schemas } from '../api/client.ts';

/** Returns the name of a customer for lists and titles. */
export const customerName = ({
  name,
  email,
  externalId,
}: Pick<Schemas['Customer'], 'name' | 'email' | 'externalId'>): string =>
  name ?? email ?? externalId;
