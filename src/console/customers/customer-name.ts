import type { Schemas } from '../api/client.ts';

/** The words by which a list or a title names a customer. */
export const customerName = ({
  name,
  email,
  externalId,
}: Pick<Schemas['Customer'], 'name' | 'email' | 'externalId'>): string =>
  name ?? email ?? externalId;
