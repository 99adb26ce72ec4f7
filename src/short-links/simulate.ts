import type { ObjectSchema } from 'joi';
import { dateTime, Joi, nullable, oneOf, text } from '../http/fields.ts';
import { found, ok, type Route, route } from '../http/route.ts';
import type { Tag } from '../http/tags.ts';
import {
  decodeDomain,
  decodeLink,
  decodePage,
  decodeService,
  decodeWorkspace,
} from '../lookup/codec.ts';
import type { LinkEntry } from '../lookup/entry.ts';
import {
  countVisits,
  readDomains,
  readLinks,
  readPage,
  readService,
  readWorkspace,
} from '../lookup/rows.ts';
import { encodedKey, originOf } from '../lookup/short-link.ts';
import {
  type Decision,
  decide,
  decideBlocked,
  decideForOffice,
  decideUsedUp,
} from '../routing/decide.ts';
import type { Facts } from '../routing/facts.ts';
import { leavesConflict } from '../routing/query.ts';
import { COUNTRY_CODES } from '../visitors/countries.ts';
import { DEVICES, platformOf, readDevice, SYSTEMS } from '../visitors/device.ts';
import { UNKNOWN } from '../visitors/places.ts';
import { trafficOf } from '../visitors/traffic.ts';
import { favouriteLanguage } from '../web/language.ts';
import type { ShortLinkTables } from './model.ts';

/*
 * Decides what a described visitor of a link or QR code would get, by the same function as the
 * redirect process and from the stored look-up entries. Nothing is counted.
 */

/** A visitor as a request describes it. */
interface SimulatedVisitor {
  country?: string;
  city?: string;
  device?: string;
  os?: string;
  browser?: string;
  /** `Accept-Language`, or a single tag. */
  language?: string;
  userAgent?: string;
  /** ISO 8601; absent: now. */
  time?: string;
  /** Raw query of the short link, without its question mark. */
  query?: string;
  /** The visitor has passed the password and the page before the destination. */
  passed?: boolean;
  /** Place among all visitors, from 0 to below 100, which chooses the variant of an A/B test. */
  place?: number;
}

const simulationBody = Joi.object<SimulatedVisitor>({
  country: Joi.string()
    .uppercase()
    .valid(...COUNTRY_CODES)
    .meta({ name: 'CountryCode' })
    .description('Country: ISO 3166-1 alpha-2, or XK. Default: unknown.')
    .example('FR'),
  city: text(200).description('City. Default: unknown.').example('Paris'),
  device: oneOf(DEVICES)
    .insensitive()
    .description('Type of device. Default: the one of `userAgent`, else unknown.')
    .example('Mobile'),
  os: text(200)
    .description('Operating system. Default: the one of `userAgent`, else unknown.')
    .example('iOS'),
  browser: text(200)
    .description('Browser. Default: the one of `userAgent`, else unknown.')
    .example('Mobile Safari'),
  language: text(256)
    .description('Preferred language, or a whole `Accept-Language` header.')
    .example('fr-FR'),
  userAgent: text(1_024).description('User agent, as in the header.'),
  time: dateTime().description('Time of the visit. Default: now.').example('2026-11-29T21:00:00Z'),
  query: text(2_048)
    .pattern(/^[^?#\s][^#\s]*$/, { name: 'a query without its question mark' })
    .description('Query of the short link; `qr=1` stands for a scan.')
    .example('utm_source=mail'),
  passed: Joi.boolean()
    .strict()
    .description(
      'True for a visitor who has entered the password and passed the page before the destination. ' +
        'Default: false.',
    ),
  place: Joi.number()
    .strict()
    .min(0)
    .less(100)
    .description(
      'Place of the visitor among all visitors, in percent, which chooses the variant of an A/B ' +
        'test. Default: 0.',
    ),
}).meta({ name: 'SimulatedVisitor' });

/** Names of answers. */
const NAMES = [
  'redirect',
  'frame',
  'displayPage',
  'linkset',
  'page',
  'password',
  'preview',
  'office',
  'notStarted',
  'expired',
  'blocked',
  'notFound',
] as const;
type AnswerName = (typeof NAMES)[number];

/** Name of the answer of a decision that has no URL. */
const NAME_OF: Partial<Record<Decision['kind'], AnswerName>> = {
  display: 'displayPage',
  linkset: 'linkset',
  before: 'page',
  password: 'password',
  card: 'preview',
  office: 'office',
  notStarted: 'notStarted',
  expired: 'expired',
  blocked: 'blocked',
};

/** Parts of a link that can have the destination. */
const PARTS = ['rule', 'ios', 'android', 'geo', 'test', 'link'] as const;

/** The answer that a visitor would get. */
export interface Simulation {
  answer: AnswerName;
  status: number | null;
  url: string | null;
  chosenBy: (typeof PARTS)[number] | null;
  rule: number | null;
  variant: string | null;
}

const position = Joi.number().integer().allow(null).required();

const simulation = Joi.object<Simulation>({
  answer: oneOf(NAMES)
    .required()
    .description(
      '`redirect` to the destination, or the page that the visitor gets: the destination in a ' +
        '`frame`, the `displayPage` of a QR code, the `linkset` of a GS1 Digital Link, the `page` ' +
        'before the destination, the form for the `password`, the `preview` for crawlers, the page ' +
        'for Microsoft `office`, or a notice: `notStarted`, `expired`, `blocked`, `notFound`.',
    ),
  status: position.description('Status of a redirect; null for a page.').example(302),
  url: nullable
    .description('Destination URL, without the id of the click; null for a page without one.')
    .example('https://example.com/fr'),
  chosenBy: oneOf(PARTS)
    .allow(null)
    .required()
    .description(
      'Part of the link that has the destination: a `rule`, `ios`, `android`, `geo`, the variant ' +
        'of the A/B `test`, or the `link` itself; null where the answer is not the destination.',
    ),
  rule: position.description('Position of the matching rule in `rules`, from 0.').example(0),
  variant: nullable.description('Name of the variant of the A/B test.'),
}).meta({ name: 'Simulation' });

/** A link or QR code by its name. */
interface Named {
  id: string;
  projectId: string;
  domain: string;
  key: string;
}

/** The parts in which the endpoints of links and QR codes differ. */
interface SimulatedRecords {
  tables: ShortLinkTables;
  tag: Tag;
  /** Path of a record, with the parameter of `params`. */
  path: string;
  params: ObjectSchema;
  /** Reads a record by its id, or by `ext_` and the caller's own id. */
  findByRef(projectId: string, ref: string): Promise<Named | undefined>;
}

/** The endpoint that simulates a visitor of a link or QR code, an extension of the contract. */
export const simulationRoute = ({
  tables: { kind, noun },
  tag,
  path,
  params,
  findByRef,
}: SimulatedRecords): Route =>
  route<{ params: Record<string, string>; body: SimulatedVisitor }>({
    method: 'post',
    path: `${path}/simulate`,
    operationId: kind === 'link' ? 'simulateLink' : 'simulateQrCode',
    limits: 'records',
    summary: `Simulate a visit of a ${noun}`,
    description:
      `Returns the answer that a visitor of the ${noun} would get, as decided by the redirect. ` +
      'Nothing is counted. Traits that are absent are unknown, and match no condition.',
    extension: true,
    tag,
    scope: `${kind}s.read`,
    params,
    body: simulationBody,
    answers: { 200: simulation },
    async handle({ caller, params: values, body }) {
      const ref = Object.values(values)[0]!;
      const record = found(await findByRef(caller.projectId, ref), `${noun} "${ref}"`);
      return ok(shown(await decideFor(record, body)));
    },
  });

async function decideFor(
  { id, projectId, domain: slug, key }: Named,
  visitor: SimulatedVisitor,
): Promise<Decision> {
  const [stored] = await readDomains([slug]);
  if (stored == null) return { kind: 'notFound' };
  const domain = decodeDomain(stored.entry);
  const [row] = await readLinks([{ domainId: domain.id, key }]);
  const link = row == null ? null : decodeLink(row.entry);
  if (link?.id !== id) return { kind: 'notFound' };
  const facts = await factsOf(link, { slug, key, projectId }, visitor);
  const decision = decide({ domain, link }, facts);
  const isUsedUp =
    link.maxVisits !== undefined && (await countVisits(projectId, id)) >= link.maxVisits;
  const permitted = decideBlocked(
    isUsedUp ? decideUsedUp(decision, link, domain) : decision,
    link,
    decodeService((await readService()).entry),
  );
  return decideForOffice(permitted, facts);
}

async function factsOf(
  link: LinkEntry,
  { slug, key, projectId }: { slug: string; key: string; projectId: string },
  visitor: SimulatedVisitor,
): Promise<Facts> {
  const { userAgent = '', query = '', language = '', time, passed = false, place = 0 } = visitor;
  // An empty user agent would be read as a computer.
  const device = userAgent === '' ? NO_DEVICE : readDevice(userAgent);
  const os = visitor.os === undefined ? undefined : spelled(visitor.os);
  const { before } = link;
  const page =
    before !== undefined && 'pageId' in before ? await readPage(projectId, before.pageId) : null;
  const workspace = leavesConflict(link, query) ? await readWorkspace(projectId) : null;
  const traffic = userAgent === '' ? undefined : trafficOf({ 'user-agent': userAgent }, userAgent);
  return {
    now: time === undefined ? Date.now() : Date.parse(time),
    asks: 'link',
    host: slug,
    isRoot: key === '',
    path: encodedKey(key),
    query,
    accept: '',
    languages: language,
    rest: '',
    isSecure: originOf(slug).startsWith('https:'),
    isCrawler: traffic?.class === 'preview',
    isOffice: traffic?.reason === 'office',
    platform: platformOf(userAgent, os),
    traits: {
      country: visitor.country ?? UNKNOWN,
      city: visitor.city ?? UNKNOWN,
      device: visitor.device ?? device.device,
      os: os ?? device.os,
      browser: visitor.browser ?? device.browser,
      language: favouriteLanguage(language),
    },
    placeIn: () => place / 100,
    isUnlocked: passed,
    page: page === null ? undefined : decodePage(page.entry),
    passed: passed ? 'submitted' : 'no',
    queryConflict:
      workspace === null
        ? 'visitor'
        : (decodeWorkspace(workspace.entry).queryConflict ?? 'visitor'),
    clickId: undefined,
    clickIdParameter: 'click_id',
  };
}

const NO_DEVICE = { device: UNKNOWN, os: UNKNOWN, browser: UNKNOWN };

/** Spells the name of an operating system as visits have it. */
const spelled = (os: string): string =>
  SYSTEMS.find((name) => name.toLowerCase() === os.toLowerCase()) ?? os;

/** Converts a decision to its public form. */
function shown(decision: Decision): Simulation {
  const none = { status: null, url: null, chosenBy: null, rule: null, variant: null };
  if (decision.kind === 'otherUrl') {
    return { ...none, answer: decision.reason, status: 302, url: decision.destination };
  }
  if (decision.kind === 'ownersPage') {
    return { ...none, answer: 'page', status: 302, url: decision.url };
  }
  if (!isDestination(decision)) return { ...none, answer: NAME_OF[decision.kind] ?? 'notFound' };
  const { destination: url, target, variant } = decision;
  const isFrame = decision.kind === 'frame';
  return {
    answer: isFrame ? 'frame' : 'redirect',
    status: isFrame ? null : decision.status,
    url,
    chosenBy: target?.by ?? (variant === undefined ? 'link' : 'test'),
    rule: target?.rule ?? null,
    variant: variant ?? null,
  };
}

type ToDestination = Extract<Decision, { kind: 'redirect' | 'resolve' | 'frame' }>;

const isDestination = (decision: Decision): decision is ToDestination =>
  ['redirect', 'resolve', 'frame'].includes(decision.kind);
