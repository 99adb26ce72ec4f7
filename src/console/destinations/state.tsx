import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/states.tsx';

/** A badge that shows whether the destination gets events. */
export function DestinationState({ destination }: { destination: Schemas['Destination'] }) {
  const { status, failingSince } = destination;
  if (status === 'disabled') return <Badge tone="danger">Disabled</Badge>;
  if (status === 'paused') return <Badge tone="warning">Paused</Badge>;
  if (failingSince !== null) return <Badge tone="danger">Failing</Badge>;
  return <Badge tone="success">Active</Badge>;
}
