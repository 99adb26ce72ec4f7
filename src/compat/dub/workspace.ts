import { Refusal } from '../../errors.ts';
import { ok } from '../../http/route.ts';
import { listDomains } from '../links.ts';
import { type Call, type Fields, ifReadable, type PeerRoute } from '../peer.ts';
import { emptyUtmAsNull } from './link.ts';
import { translated } from './translated.ts';
import { refuseLonger, refuseLongUtm } from './utm.ts';

/** A limit that this service does not have. */
const UNLIMITED = 1_000_000_000;

/** Fields of Dub's workspaces without a counterpart here. */
const ABSENT = {
  inviteCode: null,
  defaultProduct: 'links',
  planTier: 1,
  planPeriod: null,
  stripeId: null,
  trialEndsAt: null,
  subscriptionCanceledAt: null,
  billingCycleEndsAt: null,
  billingCycleStart: 1,
  paymentFailedAt: null,
  stripeConnectId: null,
  usageLimit: UNLIMITED,
  linksLimit: UNLIMITED,
  payoutsUsage: 0,
  payoutsLimit: 0,
  payoutFee: 0,
  payoutFeeWaiverLimit: 0,
  payoutFeeWaiverUsage: 0,
  domainsLimit: UNLIMITED,
  tagsLimit: UNLIMITED,
  partnerTagsLimit: 0,
  foldersUsage: 0,
  foldersLimit: UNLIMITED,
  partnersUsage: 0,
  partnersLimit: 0,
  groupsLimit: 0,
  networkInvitesLimit: 0,
  usersLimit: UNLIMITED,
  aiUsage: 0,
  aiLimit: 0,
  conversionEnabled: false,
  dotLinkClaimed: false,
  users: [],
  flags: {},
  store: null,
  allowedHostnames: null,
  ssoEmailDomain: null,
  ssoEnforcedAt: null,
} as const;

/** The workspace of this API, limited to what Dub has as well. */
interface Workspace extends Fields {
  id: string;
  slug: string;
  usage: { links: number; eventsThisMonth: number };
}

async function toDubWorkspace(call: Call, { usage, ...workspace }: Workspace): Promise<Fields> {
  const { id, name, slug, logo, plan, createdAt } = workspace;
  const domains = (await ifReadable(listDomains(call))) ?? [];
  return {
    ...ABSENT,
    id,
    name,
    slug,
    logo,
    plan,
    createdAt,
    totalLinks: usage.links,
    linksUsage: usage.links,
    usage: usage.eventsThisMonth,
    domains: domains.map((domain) => ({
      slug: domain.slug,
      primary: domain.primary,
      verified: domain.verified,
    })),
  };
}

/** Maximum length of the name of a UTM template at Dub. */
const MAX_NAME = 50;

/** @throws Refusal `unprocessable_entity` for texts that are too long for Dub */
function fromDubTemplate(template: Fields): Fields {
  refuseLonger(template, ['name'], MAX_NAME);
  refuseLongUtm(template);
  return emptyUtmAsNull(template);
}

const toDubTemplate = ({ createdAt, ...template }: Fields): Fields => ({
  ...template,
  createdAt,
  updatedAt: createdAt,
});

/** Names who created a template; nobody for one of an earlier version, or from an import. */
const withUser = (template: Fields): Fields => ({
  ...toDubTemplate(template),
  user: template['userId'] === null ? null : { id: template['userId'] },
});

/** Routes for the workspace of the key and its UTM templates. */
export const workspaceRoutes: PeerRoute[] = [
  {
    method: 'get',
    path: '/workspaces/{idOrSlug}',
    operation: 'retrieveWorkspace',
    async answer({ params: { idOrSlug } }, call) {
      const { body: workspace } = await call<Workspace>('retrieveWorkspace');
      if (![workspace.id, workspace.slug].includes(idOrSlug!)) {
        throw new Refusal('not_found', `The API key is not of a workspace "${idOrSlug}"`);
      }
      return ok(await toDubWorkspace(call, workspace));
    },
  },
  translated('post', '/utm', 'createUtmTemplate', {
    body: fromDubTemplate,
    output: toDubTemplate,
    status: 201,
  }),
  translated('get', '/utm', 'listUtmTemplates', {
    output: (templates: Fields[]) => templates.map(withUser),
  }),
  translated('patch', '/utm/{id}', 'updateUtmTemplate', {
    body: fromDubTemplate,
    output: (template: Fields) => ({ ...toDubTemplate(template), partnerGroup: null }),
  }),
  translated('delete', '/utm/{id}', 'deleteUtmTemplate'),
];
