import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseCookie } from 'cookie';
import { Provider } from 'oidc-provider';

export const CLIENT = { id: 'shortlinks', secret: 'a-secret-of-the-client-that-nobody-else-has' };

/** What an account at the provider claims, by the name with which its person signs in there. */
export type Claims = Record<string, { email: string; email_verified: boolean; name?: string }>;

/** An OpenID Connect provider on this machine, certified by its makers, with accounts of the test's own. */
export class SingleSignOn {
  readonly accounts: Claims = {};
  readonly #server: Server = createServer();
  #port = 0;

  /** Takes a port; what comes before `serve` is not answered. */
  async listen(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  get issuer(): string {
    return `http://127.0.0.1:${this.#port}`;
  }

  /** @param callback where browsers return to */
  serve(callback: string): void {
    const provider = new Provider(this.issuer, {
      clients: [{ client_id: CLIENT.id, client_secret: CLIENT.secret, redirect_uris: [callback] }],
      claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
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

/** A browser that keeps cookies, by origin, and follows redirects only when it is told to. */
export class CookieJar {
  readonly #cookies = new Map<string, Map<string, string>>();

  /** The cookies that an origin would get, as name and value. */
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

  /** Where an answer leads. */
  static next(answer: Response, from: string): string {
    const location = answer.headers.get('location');
    if (location === null) throw new Error(`${from} answered ${answer.status}, no redirect`);
    return new URL(location, from).href;
  }

  /**
   * Follows redirects until one leads to an address that begins so, and returns that.
   *
   * @param fill answers the forms on the way
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
