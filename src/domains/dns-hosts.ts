/** A company that hosts DNS, and the words of its forms. */
export interface DnsHost {
  name: string;
  /** Pattern of the names of its name servers, in lower case. */
  servers: RegExp;
  /** URL of the page with the records of a zone; `{zone}` stands for its name; absent if unknown. */
  url?: string;
  /** Text in the field for the name of a record of the zone itself. */
  root: '@' | '';
  /** Type of a record at the root of a zone that names a host; absent if there is none. */
  rootAlias?: 'CNAME' | 'ALIAS';
  /** Sentence about a setting of the record. */
  note?: string;
  /** Documentation of its records and name servers. */
  source: string;
}

/** DNS hosts that are recognized by their name servers. */
export const DNS_HOSTS: readonly DnsHost[] = [
  {
    name: 'Cloudflare',
    servers: /\.ns\.cloudflare\.com$/,
    url: 'https://dash.cloudflare.com/?to=/:account/{zone}/dns/records',
    root: '@',
    rootAlias: 'CNAME',
    note: 'Set “Proxy status” to “DNS only”.',
    source: 'https://developers.cloudflare.com/dns/',
  },
  {
    name: 'Amazon Route 53',
    servers: /\.awsdns-\d+\.(?:com|net|org|co\.uk)$/,
    url: 'https://console.aws.amazon.com/route53/v2/hostedzones',
    root: '',
    source: 'https://docs.aws.amazon.com/Route53/latest/DeveloperGuide/',
  },
  {
    name: 'GoDaddy',
    servers: /\.domaincontrol\.com$/,
    url: 'https://dcc.godaddy.com/control/portfolio/{zone}/settings?tab=dns',
    root: '@',
    source: 'https://www.godaddy.com/help',
  },
  {
    name: 'Namecheap',
    servers: /\.registrar-servers\.com$/,
    url: 'https://ap.www.namecheap.com/Domains/DomainControlPanel/{zone}/advancedns',
    root: '@',
    rootAlias: 'ALIAS',
    source: 'https://www.namecheap.com/support/knowledgebase/',
  },
  {
    name: 'Gandi',
    servers: /\.gandi\.net$/,
    url: 'https://admin.gandi.net/domain/',
    root: '@',
    rootAlias: 'ALIAS',
    source: 'https://docs.gandi.net/',
  },
  {
    name: 'Squarespace or Google Cloud',
    servers: /\.(?:googledomains|squarespacedns)\.com$/,
    url: 'https://account.squarespace.com/domains/managed/{zone}/dns/dns-settings',
    root: '@',
    source: 'https://support.squarespace.com/',
  },
  {
    name: 'IONOS',
    servers: /\.ui-dns\.(?:com|de|org|biz)$/,
    url: 'https://my.ionos.com/domains',
    root: '@',
    source: 'https://www.ionos.com/help/',
  },
  {
    name: 'Hetzner',
    servers: /(?:\.ns\.hetzner\.(?:com|de)|\.first-ns\.de|\.second-ns\.(?:de|com))$/,
    url: 'https://dns.hetzner.com/',
    root: '@',
    source: 'https://docs.hetzner.com/dns-console/',
  },
  {
    name: 'OVHcloud',
    servers: /\.(?:ovh\.net|ovh\.ca|anycast\.me)$/,
    url: 'https://www.ovh.com/manager/#/web/domain/{zone}/zone',
    root: '',
    source: 'https://help.ovhcloud.com/',
  },
  {
    name: 'STRATO',
    servers: /\.rzone\.de$/,
    url: 'https://www.strato.de/apps/CustomerService',
    root: '',
    source: 'https://www.strato.de/faq/',
  },
  {
    name: 'Porkbun',
    servers: /\.porkbun\.com$/,
    url: 'https://porkbun.com/account/domainsSpeedy',
    root: '',
    rootAlias: 'ALIAS',
    source: 'https://kb.porkbun.com/',
  },
  {
    name: 'DigitalOcean',
    servers: /\.digitalocean\.com$/,
    url: 'https://cloud.digitalocean.com/networking/domains/{zone}',
    root: '@',
    source: 'https://docs.digitalocean.com/products/networking/dns/',
  },
  {
    name: 'Vercel',
    servers: /\.vercel-dns\.com$/,
    url: 'https://vercel.com/dashboard/domains',
    root: '@',
    rootAlias: 'ALIAS',
    source: 'https://vercel.com/docs/domains',
  },
  {
    name: 'NS1 or Netlify',
    servers: /\.nsone\.net$/,
    root: '@',
    source: 'https://docs.netlify.com/',
  },
  {
    name: 'Azure DNS',
    servers: /\.azure-dns\.(?:com|net|org|info)$/,
    url: 'https://portal.azure.com/#view/HubsExtension/BrowseResource/resourceType/Microsoft.Network%2FdnsZones',
    root: '@',
    source: 'https://learn.microsoft.com/azure/dns/',
  },
  {
    name: 'DNSimple',
    servers: /\.dnsimple(?:-edge)?\.(?:com|net|org|io)$/,
    url: 'https://dnsimple.com/dashboard',
    root: '',
    rootAlias: 'ALIAS',
    source: 'https://support.dnsimple.com/',
  },
  {
    name: 'Hover',
    servers: /\.hover\.com$/,
    url: 'https://www.hover.com/control_panel/domain/{zone}/dns',
    root: '@',
    source: 'https://help.hover.com/',
  },
  {
    name: 'Name.com',
    servers: /\.name\.com$/,
    url: 'https://www.name.com/account/domain/details/{zone}#dns',
    root: '',
    source: 'https://www.name.com/support',
  },
];

/** Finds the DNS host that all of these name servers belong to. */
export const dnsHostOf = (nameServers: readonly string[]): DnsHost | undefined =>
  DNS_HOSTS.find(
    ({ servers }) =>
      nameServers.length > 0 && nameServers.every((name) => servers.test(name.toLowerCase())),
  );

/** Returns the text in the field for the name of a record: the name without its zone. */
export function hostFieldOf(name: string, zone: string, root: DnsHost['root'] = '@'): string {
  return name === zone ? root : name.slice(0, -zone.length - 1);
}
