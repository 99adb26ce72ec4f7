import { useQuery, useQueryClient } from '@tanstack/react-query';
import {
  CircleAlert,
  CircleCheck,
  Clock,
  ExternalLink,
  type LucideIcon,
  RefreshCw,
} from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { answer, idempotent, type Schemas } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { useWrite } from '../api/queries.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button, buttonLook, CopyButton } from '../ui/button.tsx';
import { Refused } from '../ui/form-dialog.tsx';
import { Failure, Skeleton } from '../ui/states.tsx';
import { type Checks, checksQuery } from './checks.ts';

type DnsRecord = Schemas['DomainDnsRecord'];

/** Interval between checks while the setup is shown, in ms. */
const REFRESH_MS = 10_000;

interface SetupProps {
  id: string;
  domain: Schemas['Domain'];
  onClose(): void;
}

/**
 * Shows the DNS records to create and the live result of each check, and verifies the domain
 * automatically.
 */
export function Setup({ id, domain, onClose }: SetupProps) {
  const { api, may } = useWorkspace();
  const client = useQueryClient();
  // The checks stay where they are when the domain becomes verified meanwhile.
  const [wasVerified] = useState(domain.verified);
  const query = checksQuery(api, domain.id);
  const checks = useQuery({ ...query, refetchInterval: REFRESH_MS });
  const verify = useWrite({
    send: (_: undefined, key) =>
      answer(api.POST('/domains/{id}/verify', idempotent(key, { id: domain.id }))),
    onDone: () => {
      void client.invalidateQueries({ queryKey: query.queryKey });
      return client.invalidateQueries({ queryKey: keys.domains.all });
    },
  });
  // Automatic checks do not change the button's state.
  const [isChecking, setChecking] = useState(false);
  const mayWrite = may('domains.write');
  const isFound = checks.data?.verification.status === 'found';
  const onFound = useEffectEvent(() => verify.write(undefined));
  useEffect(() => {
    if (isFound && mayWrite) onFound();
  }, [isFound, mayWrite]);
  return (
    <div id={id} className="flex flex-col gap-4 border-t border-line bg-ground p-4">
      {checks.isPending && <Skeleton className="h-40 w-full" />}
      {checks.error && <Failure error={checks.error} retry={() => void checks.refetch()} />}
      {checks.data && wasVerified && <Results checks={checks.data} />}
      {checks.data && !(domain.verified && isWorking(checks.data)) && (
        <Records checks={checks.data} />
      )}
      {checks.data && !wasVerified && <Results checks={checks.data} />}
      <Refused error={verify.error} />
      <div className="flex gap-2">
        <Button
          icon={RefreshCw}
          busy={isChecking || verify.isPending}
          onClick={() => {
            setChecking(true);
            void checks.refetch().finally(() => setChecking(false));
          }}
        >
          Check now
        </Button>
        {domain.verified && (
          <Button look="quiet" onClick={onClose}>
            Close
          </Button>
        )}
      </div>
    </div>
  );
}

/** True when the domain leads to this service, so that its owner has no record to add. */
const isWorking = ({ dns, reachable }: Checks) => dns.status === 'ok' || reachable.status === 'ok';

/** The company that hosts the DNS of the domain, with a link to its page. */
function DnsHost({ host }: { host: Checks['dnsHost'] }) {
  if (host === null) {
    return <p>Add these records at your DNS provider. They can take a few minutes to appear.</p>;
  }
  if (host.name === null || host.url === null) {
    return (
      <p>
        Add these records where the DNS of {host.zone} is hosted. Its name servers are{' '}
        {host.nameServers.join(', ')}. They can take a few minutes to appear.
      </p>
    );
  }
  return (
    <>
      <p>
        The DNS of {host.zone} is hosted by {host.name}. Add these records there. They can take a
        few minutes to appear.
      </p>
      <a
        href={host.url}
        target="_blank"
        rel="noreferrer"
        className={`${buttonLook()} max-w-full self-start`}
      >
        <ExternalLink size={15} aria-hidden />
        Open {host.name}
      </a>
    </>
  );
}

function Records({ checks: { records, dnsHost } }: { checks: Checks }) {
  const first = records.filter(({ isAlternative }) => !isAlternative);
  const others = records.filter(({ isAlternative }) => isAlternative);
  return (
    <>
      <DnsHost host={dnsHost} />
      {first.map((record) => (
        <DnsEntry
          key={`${record.type} ${record.value}`}
          record={record}
          note={record.purpose === 'address' ? (dnsHost?.note ?? null) : null}
        />
      ))}
      {others.length > 0 && (
        <>
          {others[0]?.type === 'ALIAS' ? (
            <p>
              If your provider has the type ALIAS or ANAME, you can add this in place of the A and
              AAAA records:
            </p>
          ) : (
            <p>
              If your provider allows no CNAME for {others[0]?.name}, such as for a domain without a
              subdomain, add these instead:
            </p>
          )}
          {others.map((record) => (
            <DnsEntry key={`${record.type} ${record.value}`} record={record} note={null} />
          ))}
        </>
      )}
      {!records.some(({ purpose }) => purpose === 'address') && (
        <p>
          Then point the domain to this service. Ask your administrator for its host name or IP
          address: they can show it here by setting DNS_TARGET.
        </p>
      )}
    </>
  );
}

interface DnsEntryProps {
  record: DnsRecord;
  /** Setting of the record in the form of the DNS host. */
  note: string | null;
}

function DnsEntry({ record: { type, name, hostField, value }, note }: DnsEntryProps) {
  // Without the zone, the whole name is shown, which most forms accept.
  const field = hostField ?? name;
  return (
    <dl className="flex flex-col gap-1 rounded-md border border-line bg-panel px-3 py-1">
      <Part name="Type" value={type} />
      {field === '' ? (
        <Part name="Name" value="(leave empty)" />
      ) : (
        <Part name="Name" value={field} copyLabel={`Copy name of ${type}`} />
      )}
      <Part name="Value" value={value} copyLabel={`Copy value of ${type}`} />
      {note !== null && (
        <div className="flex min-h-8 items-center gap-3">
          <dt className="w-12 shrink-0 text-xs text-muted">Note</dt>
          <dd className="text-xs">{note}</dd>
        </div>
      )}
    </dl>
  );
}

function Part({ name, value, copyLabel }: { name: string; value: string; copyLabel?: string }) {
  return (
    <div className="flex min-h-8 items-center gap-3">
      <dt className="w-12 shrink-0 text-xs text-muted">{name}</dt>
      <dd className="flex min-w-0 flex-1 items-center justify-between gap-2">
        <code className="text-xs break-all">{value}</code>
        {copyLabel !== undefined && <CopyButton text={value} label={copyLabel} />}
      </dd>
    </div>
  );
}

type Tone = 'good' | 'waiting' | 'bad';
type Results<Status extends string> = Readonly<Record<Status, readonly [Tone, string]>>;

const VERIFICATION: Results<Checks['verification']['status']> = {
  verified: ['good', 'Verified'],
  found: ['good', 'TXT record found'],
  missing: ['waiting', 'Waiting for the TXT record'],
  unknown: ['waiting', 'Can’t be checked now'],
};
const DNS: Results<Checks['dns']['status']> = {
  ok: ['good', 'Points to this service'],
  other: ['bad', 'Points somewhere else'],
  missing: ['waiting', 'Waiting for the DNS record'],
  unknown: ['waiting', 'Can’t be checked now'],
};
const REACHABLE: Results<Checks['reachable']['status']> = {
  ok: ['good', 'This service responds'],
  other: ['bad', 'Another server responds'],
  failed: ['bad', 'No server responds'],
  skipped: ['waiting', 'Checked once the DNS record is there'],
};
const CERTIFICATE: Results<Checks['certificate']['status']> = {
  ok: ['good', 'Valid'],
  expired: ['bad', 'Expired'],
  invalid: ['bad', 'Not valid for this domain'],
  unknown: ['waiting', 'Checked once the domain responds over HTTPS'],
};

const NOT_CHECKED = ['waiting', 'Not checked'] as const;

function Results({ checks }: { checks: Checks }) {
  const { verification, dns, reachable, certificate } = checks;
  const isPrivate = reachable.status === 'skipped' && reachable.reason !== null;
  return (
    <ul aria-label="Checks" className="flex flex-col gap-2">
      <Result name="Ownership" result={VERIFICATION[verification.status]} {...verification} />
      <Result name="DNS" result={DNS[dns.status]} {...dns} />
      <Result
        name="Reachable"
        result={isPrivate ? NOT_CHECKED : REACHABLE[reachable.status]}
        {...reachable}
      />
      <Result
        name="Certificate"
        result={isPrivate ? NOT_CHECKED : CERTIFICATE[certificate.status]}
        {...certificate}
      />
    </ul>
  );
}

const LOOKS: Readonly<Record<Tone, readonly [LucideIcon, string]>> = {
  good: [CircleCheck, 'text-success'],
  waiting: [Clock, 'text-muted'],
  bad: [CircleAlert, 'text-danger'],
};

interface ResultProps {
  name: string;
  result: readonly [Tone, string];
  reason: string | null;
  action: string | null;
}

function Result({ name, result: [tone, text], reason, action }: ResultProps) {
  const [Icon, look] = LOOKS[tone];
  return (
    <li className="flex items-start gap-2">
      <Icon size={16} aria-hidden className={`mt-0.5 shrink-0 ${look}`} />
      <span className="flex min-w-0 flex-col">
        <span>
          <span className="font-medium">{name}:</span> {text}
        </span>
        {reason !== null && tone !== 'good' && (
          <span className="text-xs wrap-anywhere text-muted">{reason}</span>
        )}
        {action !== null && <span className="text-xs wrap-anywhere">{action}</span>}
      </span>
    </li>
  );
}
