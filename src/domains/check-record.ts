import { Joi, nullable, oneOf, requiredText, requiredTime } from '../http/fields.ts';

/** A DNS record that the owner of a domain sets. */
interface RecordToSet {
  purpose: 'ownership' | 'address';
  type: 'TXT' | 'CNAME' | 'A' | 'AAAA';
  name: string;
  value: string;
  /** True if it replaces the CNAME. */
  isAlternative: boolean;
}

const VERIFICATIONS = ['verified', 'found', 'missing', 'unknown'] as const;
const DNS = ['ok', 'other', 'missing', 'unknown'] as const;
const REACHABLE = ['ok', 'other', 'failed', 'skipped'] as const;
const CERTIFICATES = ['ok', 'invalid', 'unknown'] as const;

/**
 * Results of the live checks of a domain. Reasons are sentences for people, and null if a check
 * passes.
 */
export interface DomainChecks {
  records: RecordToSet[];
  verification: { status: (typeof VERIFICATIONS)[number]; reason: string | null };
  dns: {
    status: (typeof DNS)[number];
    reason: string | null;
    found: { type: 'CNAME' | 'A' | 'AAAA'; value: string }[];
  };
  reachable: { status: (typeof REACHABLE)[number]; reason: string | null };
  certificate: { status: (typeof CERTIFICATES)[number]; reason: string | null };
  checkedAt: string;
}

const reason = nullable.description('Reason; null if nothing is wrong.');

const checkOf = (statuses: readonly string[], description: string) =>
  Joi.object({
    status: oneOf(statuses).required().description('Result.'),
    reason,
  })
    .required()
    .description(description);

/** Schema of the checks, for the reference and for checking answers. */
export const domainChecks = Joi.object<DomainChecks>({
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
          .valid('TXT', 'CNAME', 'A', 'AAAA')
          .required()
          .description('Type of the DNS record.'),
        name: requiredText.description('Name of the DNS record.'),
        value: requiredText.description('Value of the DNS record.'),
        isAlternative: Joi.boolean()
          .required()
          .description(
            'Alternative to the CNAME, for a name that cannot have one, such as a zone’s root.',
          ),
      })
        .example({
          purpose: 'address',
          type: 'CNAME',
          name: 'go.example.com',
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
      '`failed`: none does; `skipped`: the domain has no IP address yet.',
  ),
  certificate: checkOf(
    CERTIFICATES,
    'The TLS certificate of the domain. `unknown`: no server answers over HTTPS.',
  ),
  checkedAt: requiredTime.description('Time of the checks.'),
}).meta({ name: 'DomainChecks' });
