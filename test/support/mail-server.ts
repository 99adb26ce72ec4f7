import { readFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { SMTPServer } from 'smtp-server';
import { eventually } from './eventually.ts';

/** A mail as received by the server. */
export interface ReceivedMail {
  from: string;
  to: string;
  /** Unfolded and decoded headers by lower-case names. */
  headers: Map<string, string>;
  /** The decoded body. */
  body: string;
  isEncrypted: boolean;
  user: string | undefined;
}

const ACCOUNT = { user: 'links', password: 'p@ss word' };

/** Encryption of a connection: from its start, by STARTTLS, or none. */
type Encryption = 'tls' | 'starttls' | 'none';

/**
 * A mail server on loopback, with an account. The recipient's address decides its answers: with
 * `refused` in it, RCPT is answered with 550; with `later`, the first RCPT with 451; with `unread`,
 * the first DATA with 451.
 */
export class MailServer {
  readonly received: ReceivedMail[] = [];
  readonly #asked = new Map<string, number>();
  readonly #servers: Record<Encryption, SMTPServer>;

  private constructor() {
    this.#servers = {
      tls: this.#server('tls'),
      starttls: this.#server('starttls'),
      none: this.#server('none'),
    };
  }

  static async start(): Promise<MailServer> {
    const mail = new MailServer();
    await Promise.all(
      Object.values(mail.#servers).map(
        (server) =>
          new Promise<void>((resolve) => {
            server.listen(0, '127.0.0.1', resolve);
          }),
      ),
    );
    return mail;
  }

  /** The value of SMTP_URL. The certificate is that of `localhost`. */
  url(encryption: Encryption, { host = 'localhost', password = ACCOUNT.password } = {}): string {
    const { port } = this.#servers[encryption].server.address() as AddressInfo;
    const scheme = encryption === 'tls' ? 'smtps' : 'smtp';
    return `${scheme}://${ACCOUNT.user}:${encodeURIComponent(password)}@${host}:${port}`;
  }

  /** Number of RCPT commands with a recipient. */
  asked(recipient: string): number {
    return this.#asked.get(recipient) ?? 0;
  }

  /** Returns the mails to a recipient, in any case: a domain arrives in lower case. */
  to(recipient: string): ReceivedMail[] {
    const address = recipient.toLowerCase();
    return this.received.filter(({ to }) => to.toLowerCase() === address);
  }

  /** Resolves with the mails to a recipient once there are this many. */
  async arrived(recipient: string, count = 1, ms = 20_000): Promise<ReceivedMail[]> {
    return eventually(() => {
      const mails = this.to(recipient);
      if (mails.length < count) throw new Error(`${mails.length} mails to ${recipient}`);
      return mails;
    }, ms);
  }

  async stop(): Promise<void> {
    await Promise.all(
      Object.values(this.#servers).map(
        (server) =>
          new Promise<void>((resolve) => {
            server.close(() => resolve());
          }),
      ),
    );
  }

  #server(encryption: Encryption): SMTPServer {
    const answer = (responseCode: number, text: string) =>
      Object.assign(new Error(text), { responseCode });
    const server = new SMTPServer({
      key: readFileSync('test/data/tls/localhost.key'),
      cert: readFileSync('test/data/tls/localhost.crt'),
      closeTimeout: 500,
      secure: encryption === 'tls',
      ...(encryption === 'none' ? { disabledCommands: ['STARTTLS'], allowInsecureAuth: true } : {}),
      onAuth: ({ username, password }, session, done) => {
        const isRight = username === ACCOUNT.user && password === ACCOUNT.password;
        const isSafe = session.secure || encryption === 'none';
        if (isRight && isSafe) done(null, { user: username });
        else done(answer(535, 'Wrong account'));
      },
      onRcptTo: ({ address }, _session, done) => {
        const times = this.asked(address) + 1;
        this.#asked.set(address, times);
        if (address.includes('refused')) done(answer(550, 'No such person'));
        else if (address.includes('later') && times === 1) done(answer(451, 'Try again later'));
        else done();
      },
      onData: (stream, session, done) => {
        const pieces: Buffer[] = [];
        stream.on('data', (piece: Buffer) => pieces.push(piece));
        stream.on('end', () => {
          const { mailFrom, rcptTo } = session.envelope;
          const to = rcptTo[0]!.address;
          if (to.includes('unread') && this.asked(to) === 1) {
            done(answer(451, 'Try again later'));
            return;
          }
          this.received.push({
            from: mailFrom === false ? '' : mailFrom.address,
            to,
            ...parse(Buffer.concat(pieces).toString()),
            isEncrypted: session.secure,
            user: session.user,
          });
          done();
        });
      },
    });
    // The client has disconnected.
    server.on('error', () => {});
    return server;
  }
}

function parse(raw: string): Pick<ReceivedMail, 'headers' | 'body'> {
  const at = raw.indexOf('\r\n\r\n');
  const lines = raw
    .slice(0, at)
    .replaceAll(/\r\n[ \t]+/g, ' ')
    .split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), decodeWords(line.slice(colon + 1).trim())];
    }),
  );
  return { headers, body: decode(raw.slice(at + 4)) };
}

/** Decodes encoded words (RFC 2047). */
const decodeWords = (text: string): string =>
  text
    .replaceAll(/\?=\s+=\?UTF-8\?Q\?/gi, '')
    .replaceAll(/=\?UTF-8\?Q\?(.*?)\?=/gi, (_, word: string) => decode(word.replaceAll('_', ' ')))
    .replaceAll(/=\?UTF-8\?B\?(.*?)\?=/gi, (_, word: string) =>
      Buffer.from(word, 'base64').toString(),
    );

/** Decodes quoted-printable (RFC 2045, 6.7). */
function decode(text: string): string {
  const bytes = text
    .replaceAll('=\r\n', '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
  return Buffer.from(bytes, 'latin1').toString();
}
