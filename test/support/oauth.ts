import { createHash, randomBytes, randomInt } from 'node:crypto';
import type { Person } from './people.ts';
import { stack } from './stack.ts';

/** Redirect URI of the apps of tests. Nothing listens there. */
export const CALLBACK = 'https://app.test/callback?tenant=1';

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into bodies of every shape
type Body = any;

/** Answer of an endpoint of OAuth. */
export interface OauthAnswer {
  status: number;
  headers: Headers;
  body: Body;
}

/** An app without the official client, for requests that it would not send. */
export class RawApp {
  readonly #address = `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`;
  readonly verifier = randomBytes(32).toString('base64url');
  id = '';

  /** Registers an app with a network of its own. */
  static async register(metadata: object = {}): Promise<RawApp> {
    const app = new RawApp();
    const { body } = await app.tryRegister({ redirect_uris: [CALLBACK], ...metadata });
    app.id = body.client_id;
    return app;
  }

  tryRegister(metadata: unknown): Promise<OauthAnswer> {
    return this.#send('register', 'application/json', JSON.stringify(metadata));
  }

  /** Sends a form, with the id of the app unless it names another. */
  post(endpoint: 'token' | 'revoke', form: Record<string, string>): Promise<OauthAnswer> {
    const body = new URLSearchParams({ client_id: this.id, ...form }).toString();
    return this.#send(endpoint, 'application/x-www-form-urlencoded', body);
  }

  async #send(endpoint: string, type: string, body: string): Promise<OauthAnswer> {
    const response = await fetch(`${stack().apiUrl}/oauth/${endpoint}`, {
      method: 'POST',
      headers: { 'content-type': type, 'x-forwarded-for': this.#address },
      body,
    });
    const { status, headers } = response;
    const text = await response.text();
    return { status, headers, body: text === '' ? undefined : JSON.parse(text) };
  }

  /** Parameters of an authorization request. */
  parameters(others: Record<string, string> = {}): Record<string, string> {
    return {
      response_type: 'code',
      client_id: this.id,
      redirect_uri: CALLBACK,
      code_challenge: createHash('sha256').update(this.verifier).digest('base64url'),
      code_challenge_method: 'S256',
      state: 'state of the app',
      ...others,
    };
  }

  /** Resolves with the code that a person gives to the app. */
  async codeFrom(
    person: Pick<Person, 'api'>,
    consent: { workspace: string; scopes: string[] },
    others: Record<string, string> = {},
  ): Promise<string> {
    const url = await allow(person, this.parameters(others), consent);
    return url.searchParams.get('code')!;
  }

  /** Exchanges a code. */
  exchange(code: string, others: Record<string, string> = {}): Promise<OauthAnswer> {
    return this.post('token', {
      grant_type: 'authorization_code',
      code,
      code_verifier: this.verifier,
      redirect_uri: CALLBACK,
      ...others,
    });
  }

  /** Exchanges a refresh token. */
  refresh(refreshToken: string, others: Record<string, string> = {}): Promise<OauthAnswer> {
    return this.post('token', {
      grant_type: 'refresh_token',
      refresh_token: refreshToken,
      ...others,
    });
  }
}

/** Resolves with the URL to which the browser goes once a person has allowed a request. */
export async function allow(
  { api }: Pick<Person, 'api'>,
  parameters: Record<string, string>,
  consent: { workspace: string; scopes: string[] },
): Promise<URL> {
  const { status, body } = await api.post('/oauth/authorization', { parameters, ...consent });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return new URL(body.redirectUrl);
}
