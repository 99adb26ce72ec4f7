import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseCookie } from 'cookie';
import { Provider } from 'oidc-provider';

export const CLIENT = { id: 'shortlinks', secret: 'a-secret-of-the-client-that-nobody-else-has' };

/** Claims of accounts at the provider, by the name with which each signs in. */
export type Claims = Record<
  string,
  {
    email: string;
    email_verified: boolean;
    name?: string;
    groups?: unknown;
    _claim_names?: Record<string, string>;
  }
>;

/** A certified OpenID Connect provider on this machine, with the test's own accounts. */
export class SingleSignOn {
  readonly accounts: Claims = {};
  readonly #server: Server = createServer();
  #port = 0;

  /** Reserves a port; requests before `serve` are not answered. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** @param callback URL to which browsers return */
  serve(callback: string): void {
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
      claims: {
        openid: ['sub'],
        email: ['email', 'email_verified'],
        profile: ['name', 'groups', '_claim_names'],
      },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, ...this.accounts[id] }),
      }),
    });
    this.#server.on('request', provider.callback());
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

/** A browser with cookies per origin, which follows redirects only on request. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** Returns the cookies for an origin, by name. */
  of(url: string): Map<string, string> {
    const { origin } = new URL(url);
    const cookies = this.#cookies.get(origin) ?? new Map<string, string>();
    this.#cookies.set(origin, cookies);
    return cookies;
  }

  async open(url: string, form?: Record<string, string>): Promise<Response> {
    const cookies = this.of(url);
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) {
      const [name, value] = Object.entries(parseCookie(line))[0]!;
      if (value === '' || value === undefined) cookies.delete(name);
      else cookies.set(name, encodeURIComponent(value));
    }
    return answer;
  }

  /** Returns the target of a redirect. */
  static next(answer: Response, from: string): string {
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${from} answered ${answer.status}, no redirect`);
    return new URL(location, from).href;
  }

  /**
   * Follows redirects until one leads to an address with a prefix, and returns that address.
   *
   * @param fill answers to the forms on the way
   */
  async follow(url: string, until: string, fill: Record<string, string>): Promise<string> {
    let at = url;
    for (let steps = 0; steps < 20; steps += 1) {
      if (at.startsWith(until)) return at;
      let answer = await this.open(at);
      if (answer.status === 200) {
        const page = await answer.text();
        const action = /<form[^>]* action="([^"]+)"/.exec(page)?.[1];
        const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1];
        if (action === undefined || prompt === undefined) throw new Error(`no form at ${at}`);
        answer = await this.open(new URL(action, at).href, { prompt, ...fill });
      }
      at = CookieJar.next(answer, at);
    }
    throw new Error(`${url} does not lead to ${until}`);
  }
}
