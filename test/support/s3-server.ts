import { createHash, createHmac } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

const ACCESS_KEY = { id: 'AKIDEXAMPLE', secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
/** Number of keys of one answer to a list. */
const PAGE = 7;

/**
 * A server with the part of the API of S3 that stores, lists and deletes objects
 * (https://docs.aws.amazon.com/AmazonS3/latest/API). It verifies signatures of version 4 and the
 * checksums of bodies.
 */
export class S3Server {
  readonly objects = new Map<string, Buffer>();
  /** Methods and paths of all requests. */
  readonly requests: string[] = [];
  readonly #parts = new Map<string, Map<number, Buffer>>();
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => {
      void this.#handle(request, response);
    });
  }

  static async start(): Promise<S3Server> {
    const s3 = new S3Server();
    await new Promise<void>((resolve) => {
      s3.#server.listen(0, '127.0.0.1', resolve);
    });
    return s3;
  }

  /** Settings of a service that uses the server. */
  get settings(): Record<string, string> {
    const { port } = this.#server.address() as AddressInfo;
    return {
      S3_ENDPOINT: `http://127.0.0.1:${port}`,
      S3_ACCESS_KEY_ID: ACCESS_KEY.id,
      S3_SECRET_ACCESS_KEY: ACCESS_KEY.secret,
    };
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  async #handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await bytesOf(request);
    this.requests.push(`${request.method} ${request.url}`);
    const fault = faultOf(request, body);
    const refused = `<Error><Code>${fault}</Code><Message>no</Message></Error>`;
    const answer =
      fault === undefined ? this.#answer(request, body) : { status: 403, text: refused };
    const { status = 200, text = '', bytes, etag }: Answer = answer;
    if (etag !== undefined) response.setHeader('ETag', `"${etag}"`);
    response.writeHead(status, { 'content-type': 'application/xml' }).end(bytes ?? text);
  }

  #answer(request: IncomingMessage, body: Buffer): Answer {
    const url = new URL(request.url!, 'http://s3');
    const key = decodeURIComponent(url.pathname.slice(1));
    const query = url.searchParams;
    const upload = query.get('uploadId');
    if (request.method === 'GET') {
      return query.has('list-type') ? this.#list(key, query) : this.#get(key);
    }
    if (request.method === 'PUT') {
      if (upload === null) this.objects.set(key, body);
      else this.#parts.get(upload)!.set(Number(query.get('partNumber')), body);
      return { etag: createHash('md5').update(body).digest('hex') };
    }
    if (query.has('delete')) return this.#delete(key, body.toString());
    return query.has('uploads') ? this.#begin(key) : this.#complete(key, upload!);
  }

  #get(key: string): Answer {
    const bytes = this.objects.get(key);
    return bytes === undefined ? { status: 404 } : { bytes };
  }

  #list(bucket: string, query: URLSearchParams): Answer {
    const start = `${bucket.replace(/\/$/, '')}/`;
    const keys = [...this.objects.keys()]
      .filter((key) => key.startsWith(start + (query.get('prefix') ?? '')))
      .map((key) => key.slice(start.length))
      .toSorted();
    const from = Number(query.get('continuation-token') ?? 0);
    const page = keys.slice(from, from + PAGE);
    const isTruncated = from + PAGE < keys.length;
    const contents = page.map((key) => `<Contents><Key>${key}</Key><Size>1</Size></Contents>`);
    const next = isTruncated ? `<NextContinuationToken>${from + PAGE}</NextContinuationToken>` : '';
    return {
      text: `<ListBucketResult><IsTruncated>${isTruncated}</IsTruncated><KeyCount>${page.length}</KeyCount>${contents.join('')}${next}</ListBucketResult>`,
    };
  }

  #delete(bucket: string, body: string): Answer {
    const keys = [...body.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key]) => key!);
    for (const key of keys) this.objects.delete(`${bucket.replace(/\/$/, '')}/${key}`);
    const deleted = keys.map((key) => `<Deleted><Key>${key}</Key></Deleted>`);
    return { text: `<DeleteResult>${deleted.join('')}</DeleteResult>` };
  }

  #begin(key: string): Answer {
    const id = `upload-${this.#parts.size}`;
    this.#parts.set(id, new Map());
    return {
      text: `<InitiateMultipartUploadResult><Key>${key}</Key><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
    };
  }

  #complete(key: string, upload: string): Answer {
    const parts = [...this.#parts.get(upload)!].toSorted(([a], [b]) => a - b);
    this.objects.set(key, Buffer.concat(parts.map(([, bytes]) => bytes)));
    return {
      text: `<CompleteMultipartUploadResult><Key>${key}</Key><ETag>"x"</ETag></CompleteMultipartUploadResult>`,
    };
  }
}

interface Answer {
  status?: number;
  text?: string;
  bytes?: Buffer;
  etag?: string;
}

async function bytesOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

const sha256 = (data: Buffer | string): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: Buffer | string, data: string): Buffer =>
  createHmac('sha256', key).update(data).digest();

/**
 * Returns the code of an error if the signature is wrong
 * (https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html).
 */
function faultOf(request: IncomingMessage, body: Buffer): string | undefined {
  const [, id, day, region, signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=(\w+)$/.exec(
      request.headers.authorization ?? '',
    ) ?? [];
  if (id !== ACCESS_KEY.id) return 'InvalidAccessKeyId';
  const checksum = String(request.headers['x-amz-content-sha256']);
  if (checksum !== 'UNSIGNED-PAYLOAD' && checksum !== sha256(body)) {
    return 'XAmzContentSHA256Mismatch';
  }
  const url = new URL(request.url!, 'http://s3');
  const encode = (text: string) =>
    encodeURIComponent(text).replaceAll(
      /[!'()*]/g,
      (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
    );
  const query = [...url.searchParams]
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .toSorted()
    .join('&');
  const headers = signed
    .split(';')
    .map((name) => `${name}:${String(request.headers[name]).trim()}\n`)
    .join('');
  const canonical = [request.method, url.pathname, query, headers, signed, checksum].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const time = String(request.headers['x-amz-date']);
  const toSign = ['AWS4-HMAC-SHA256', time, scope, sha256(canonical)].join('\n');
  const key = [region!, 's3', 'aws4_request'].reduce<Buffer>(
    (previous, part) => hmac(previous, part),
    hmac(`AWS4${ACCESS_KEY.secret}`, day!),
  );
  return hmac(key, toSign).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}
