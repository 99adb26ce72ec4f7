import { Joi, nullable, oneOf, requiredText, requiredTime } from '../http/fields.ts';

/** A DNS record that the owner of a domain sets. */
interface RecordToSet {
  purpose: 'ownership' | 'address';
  type: 'TXT' | 'CNAME' | 'ALIAS' | 'A' | 'AAAA';
  name: string;
  /** Name without its zone, as the form of the DNS host has it; `null` for an unknown zone. */
  hostField: string | null;
  value: string;
  /** True if it replaces the records before it, apart from TXT. */
  isAlternative: boolean;
}

const VERIFICATIONS = ['verified', 'found', 'missing', 'unknown'] as const;
const DNS = ['ok', 'other', 'missing', 'unknown'] as const;
const REACHABLE = ['ok', 'other', 'failed', 'skipped'] as const;
const CERTIFICATES = ['ok', 'expired', 'invalid', 'unknown'] as const;

/** The company that hosts the DNS of a domain; its name is `null` if it is not recognized. */
interface DnsHostRecord {
  name: string | null;
  url: string | null;
  note: string | null;
  zone: string;
  nameServers: string[];
}

/**
 * Results of the live checks of a domain. Reasons and actions are sentences for people, and null if
 * a check passes.
 */
export interface DomainChecks {
  dnsHost: DnsHostRecord | null;
  records: RecordToSet[];
  verification: { status: (typeof VERIFICATIONS)[number] } & Explained;
  dns: {
    status: (typeof DNS)[number];
    found: { type: 'CNAME' | 'A' | 'AAAA'; value: string }[];
  } & Explained;
  reachable: { status: (typeof REACHABLE)[number] } & Explained;
  certificate: { status: (typeof CERTIFICATES)[number] } & Explained;
  checkedAt: string;
}

interface Explained {
  reason: string | null;
  /** Advice to the owner of the domain. */
  action: string | null;
}

const reason = nullable.description('Reason; null if nothing is wrong.');

const checkOf = (statuses: readonly string[], description: string) =>
  Joi.object({
    status: oneOf(statuses).required().description('Result.'),
    reason,
    action: nullable
      .description('What to do about it; null if there is nothing to do.')
      .example('Correct the DNS record first.'),
  })
    .required()
    .description(description);

/** Schema of the checks, for the reference and for checking answers. */
export const domainChecks = Joi.object<DomainChecks>({
  dnsHost: Joi.object({
    name: nullable
      .description('Name; null for name servers that are not recognized.')
      .example('Cloudflare'),
    url: nullable
      .description('URL of its page with the DNS records.')
      .example('https://dash.cloudflare.com/?to=/:account/example.com/dns/records'),
    note: nullable
      .description('Setting of the CNAME, A or AAAA record in its form.')
      .example('Set “Proxy status” to “DNS only”.'),
    zone: requiredText.description('Name of the DNS zone.').example('example.com'),
    nameServers: Joi.array()
      .items(Joi.string())
      .required()
      .description('Name servers of the zone.')
      .example(['ada.ns.cloudflare.com', 'bob.ns.cloudflare.com']),
  })
    .allow(null)
    .required()
    .description(
      'Company that hosts the DNS of the domain; null for a domain without name servers.',
    )
    .meta({ name: 'DnsHost' }),
  records: Joi.array()
    .items(
      Joi.object({
        purpose: Joi.string()
          .valid('ownership', 'address')
          .required()
          .description(
            '`ownership`: proves that the domain is yours; `address`: points it to this service.',
          ),
        type: Joi.string()
          .valid('TXT', 'CNAME', 'ALIAS', 'A', 'AAAA')
          .required()
          .description(
            'Type of the DNS record. `ALIAS`, also called ANAME: like a CNAME, for the root of a zone.',
          ),
        name: requiredText.description('Name of the DNS record.'),
        hostField: Joi.string()
          .allow('', null)
          .required()
          .description(
            'Name without its zone, as the form of the DNS host has it: `@` or empty for the root; ' +
              'null for an unknown zone.',
          ),
        value: requiredText.description('Value of the DNS record.'),
        isAlternative: Joi.boolean()
          .required()
          .description(
            'Alternative to the records before it: A and AAAA instead of a CNAME, or ALIAS ' +
              'instead of A and AAAA.',
          ),
      })
        .example({
          purpose: 'address',
          type: 'CNAME',
          name: 'go.example.com',
          hostField: 'go',
          value: 'links.example.com',
          isAlternative: false,
        })
        .meta({ name: 'DomainDnsRecord' }),
    )
    .required()
    .description(
      'DNS records to set. The `address` records follow from the setting `DNS_TARGET`, or else ' +
        'from the default short domain or `BASE_URL`; there are none if all of these are local.',
    ),
  verification: checkOf(
    VERIFICATIONS,
    'The TXT record. `found`: it is there, and `POST /domains/{id}/verify` will succeed; `unknown`: no name server answers.',
  ),
  dns: checkOf(
    DNS,
    'DNS of the domain. `other`: it points to another server, perhaps a proxy in front of this ' +
      'service; `missing`: it points nowhere; `unknown`: no name server answers, or the service ' +
      'does not know its IP address.',
  ).append({
    found: Joi.array()
      .items(
        Joi.object({
          type: Joi.string()
            .valid('CNAME', 'A', 'AAAA')
            .required()
            .description('Type of the DNS record.'),
          value: requiredText.description('Value of the DNS record.').example('links.example.com'),
        }).meta({ name: 'FoundDnsRecord' }),
      )
      .required()
      .description('Records of the domain.'),
  }),
  reachable: checkOf(
    REACHABLE,
    'A request to the domain. `ok`: this service answers; `other`: another server answers; ' +
      '`failed`: none does; `skipped`: the domain has no IP address yet, or the private one of this ' +
      'service, which is not requested.',
  ),
  certificate: checkOf(
    CERTIFICATES,
    'The TLS certificate of the domain. `expired`: it is no longer valid; `invalid`: it is for ' +
      'another name or not trusted; `unknown`: no server answers over HTTPS.',
  ),
  checkedAt: requiredTime.description('Time of the checks.'),
}).meta({ name: 'DomainChecks' });
