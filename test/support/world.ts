import { type IncomingHttpHeaders, request } from 'node:http';
import { addDomainNow } from '../../src/domains/commands.ts';
import { newId } from '../../src/ids.ts';
import { db } from '../../src/infra/db.ts';
import { createApiKey } from '../../src/workspaces/api-keys.ts';
import {
  createWorkspace,
  updateWorkspace,
  type WorkspaceSettings,
} from '../../src/workspaces/commands.ts';
import type { Plan } from '../../src/workspaces/plans.ts';
import { browser } from './browser.ts';
import { ApiClient } from './client.ts';
import { stack } from './stack.ts';

/** Response of the redirect process. */
export interface VisitAnswer {
  status: number;
  headers: IncomingHttpHeaders;
  body: string;
}

export interface VisitOptions {
  method?: string;
  /** Sent as a form of a browser; makes the request a POST. */
  form?: Record<string, string>;
  /** Sent unchanged. */
  body?: string;
  userAgent?: string;
  headers?: Record<string, string>;
  /** Index of the redirect process to use; absent: any. */
  process?: 0 | 1;
  host?: string;
}

const FORM = { 'content-type': 'application/x-www-form-urlencoded' };

/** Opens a path on the redirect server like a browser, without following redirects. */
export function visit(path: string, options: VisitOptions = {}): Promise<VisitAnswer> {
  const {
    form,
    body = form && new URLSearchParams(form).toString(),
    method = body === undefined ? 'GET' : 'POST',
    userAgent = browser(),
    headers = {},
    process,
    host = 'localhost',
  } = options;
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        host: '127.0.0.1',
        port: process === undefined ? stack().redirectPort : stack().redirectPorts[process],
        path,
        method,
        headers: {
          host,
          ...(userAgent === '' ? {} : { 'user-agent': userAgent }),
          'accept-language': 'en',
          ...(body === undefined ? {} : FORM),
          ...headers,
        },
        agent: false,
        maxHeaderSize: 128 * 1024,
      },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const { 'content-type': type, 'permissions-policy': permissions } = response.headers;
          // Every page has one, whichever test opens it.
          if (type?.startsWith('text/html') === true && permissions === undefined) {
            reject(new Error(`${method} ${path} answered a page without Permissions-Policy`));
            return;
          }
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(chunks).toString('utf8'),
          });
        });
        response.on('error', reject);
      },
    );
    outgoing.on('error', reject);
    outgoing.end(body);
  });
}

/** A workspace of one test. */
export interface World {
  projectId: string;
  slug: string;
  apiKey: string;
  api: ApiClient;
  /** The workspace's verified domain, on which its links are created. */
  domain: string;
  /** Opens a path of the workspace's domain. */
  visit(path: string, options?: VisitOptions): Promise<VisitAnswer>;
  /** Creates a client whose key has only these scopes. */
  withScopes(...scopes: string[]): Promise<ApiClient>;
  set(settings: WorkspaceSettings): Promise<void>;
}

/** Creates a workspace with its own verified primary domain. */
export async function aWorkspace({ plan = 'enterprise' }: { plan?: Plan } = {}): Promise<World> {
  const slug = `w-${newId('workspace').slice(5).toLowerCase()}`;
  const { id: projectId, apiKey } = await createWorkspace(db(), { slug, plan });
  await updateWorkspace(db(), slug, { requestsPerMinute: 0 });
  const domain = `${slug}.test`;
  await addDomainNow(projectId, { slug: domain, primary: true }, true);
  return {
    projectId,
    slug,
    apiKey,
    api: new ApiClient(apiKey),
    domain,
    visit: (path, options) => visit(path, { host: domain, ...options }),
    async withScopes(...scopes) {
      const key = await createApiKey(db(), { workspace: slug, name: 'scoped', scopes });
      return new ApiClient(key.apiKey);
    },
    async set(settings) {
      await updateWorkspace(db(), slug, settings);
    },
  };
}
