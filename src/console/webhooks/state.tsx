import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/states.tsx';
import { isPast } from '../ui/time.tsx';

/** A badge that shows whether the webhook currently receives deliveries. */
export function WebhookState({ webhook }: { webhook: Schemas['Webhook'] }) {
  const { enabled, pausedUntil, failingSince } = webhook;
  if (!enabled) return <Badge>Disabled</Badge>;
  if (pausedUntil !== null && !isPast(pausedUntil)) return <Badge tone="warning">Paused</Badge>;
  if (failingSince !== null) return <Badge tone="danger">Failing</Badge>;
  return <Badge tone="success">Enabled</Badge>;
}

const STATES = {
  delivered: { label: 'Delivered', tone: 'success' },
  failed: { label: 'Failed', tone: 'danger' },
  held: { label: 'Held', tone: 'warning' },
  pending: { label: 'Pending', tone: undefined },
} as const;

/** The state of a delivery; one that waits for another attempt has failed so far. */
export function DeliveryState({
  state,
  attempts,
}: Pick<Schemas['Delivery'], 'state' | 'attempts'>) {
  if (state === 'pending' && attempts > 0) return <Badge tone="warning">Retrying</Badge>;
  return <Badge tone={STATES[state].tone}>{STATES[state].label}</Badge>;
}
