declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http';

  interface Account {
    accountId: string;
    claims(): Record<string, unknown> & { sub: string };
  }

  /** The part of the provider's interface that tests use. */
  export class Provider {
    constructor(
      issuer: string,
      configuration: {
        clients: object[];
        claims: Record<string, string[]>;
        findAccount(context: unknown, id: string): Account;
      },
    );
    callback(): RequestListener;
  }
}
