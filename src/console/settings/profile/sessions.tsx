import { useMutation, useQuery } from '@tanstack/react-query';
import { Monitor, Smartphone } from 'lucide-react';
import type { Schemas } from '../../api/client.ts';
import { keys } from '../../api/keys.ts';
import { people } from '../../api/people.ts';
import { personClient } from '../../app/session.ts';
import { browserName } from '../../sign-in/browser-name.ts';
import { Button } from '../../ui/button.tsx';
import { Section } from '../../ui/section.tsx';
import { Badge, Failure, Skeleton } from '../../ui/states.tsx';
import { Time } from '../../ui/time.tsx';
import { toastError } from '../../ui/toast-error.ts';
import { toast } from '../../ui/toasts.tsx';

const key = keys.sessions.all;

/** The browsers in which the person is signed in. */
export function Sessions() {
  const sessions = useQuery({ queryKey: key, queryFn: people.sessions }, personClient);
  const ended = (text: string) => ({
    onSuccess: () => {
      void personClient.invalidateQueries({ queryKey: key });
      toast(text);
    },
    onError: toastError,
  });
  const end = useMutation(
    { mutationFn: people.endSession, ...ended('Device signed out') },
    personClient,
  );
  const endOthers = useMutation(
    { mutationFn: people.endOtherSessions, ...ended('All other devices are signed out') },
    personClient,
  );
  const rows = sessions.data ?? [];
  return (
    <Section
      title="Sessions"
      description="Devices signed in to your account. Sign out any you don’t recognize."
      footer={
        rows.length > 1 && (
          <Button look="danger" busy={endOthers.isPending} onClick={() => endOthers.mutate()}>
            Sign out everywhere else
          </Button>
        )
      }
    >
      {sessions.isPending && <Skeleton className="h-12 w-full" />}
      {sessions.error && <Failure error={sessions.error} retry={() => void sessions.refetch()} />}
      <ul aria-label="Sessions">
        {rows.map((session) => (
          <SessionRow
            key={session.id}
            session={session}
            end={() => end.mutate(session.id)}
            isEnding={end.isPending && end.variables === session.id}
          />
        ))}
      </ul>
    </Section>
  );
}

interface SessionRowProps {
  session: Schemas['Session'];
  end(): void;
  isEnding: boolean;
}

function SessionRow({ session, end, isEnding }: SessionRowProps) {
  const { userAgent, network, lastUsedAt, isCurrent } = session;
  const Icon = /Mobi|Android|iPhone/.test(userAgent) ? Smartphone : Monitor;
  const name = browserName(userAgent);
  return (
    <li className="flex items-center gap-3 border-b border-line py-2.5 last:border-0">
      <Icon size={18} aria-hidden className="shrink-0 text-muted" />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span title={userAgent}>{name}</span>
          {isCurrent && <Badge tone="success">This device</Badge>}
        </p>
        <p className="text-xs text-muted">
          {network !== '' && `${network}, `}last used <Time at={lastUsedAt} />
        </p>
      </div>
      {!isCurrent && (
        <Button size="small" busy={isEnding} aria-label={`Sign out ${name}`} onClick={end}>
          Sign out
        </Button>
      )}
    </li>
  );
}
