import type { Schemas } from '../api/client.ts';
import { Dialog } from '../ui/dialog.tsx';
import { browserTimezone } from './days.ts';
import { kindOfEvent, placeOf, sourceOf, subjectOf } from './event-facts.ts';
import { momentFormat, nameOfDevice, nameOfSource } from './names.ts';

/** A dialog with all details of an event. */
export function EventDialog({ event, onClose }: { event: Schemas['Event']; onClose(): void }) {
  const { click } = event;
  const time = momentFormat(browserTimezone(), { dateStyle: 'full', timeStyle: 'medium' });
  const customer = 'customer' in event ? event.customer : null;
  const facts: [name: string, value: string | null | undefined][] = [
    ['Time', time(event.timestamp)],
    ['Link or QR code', subjectOf(event)],
    ['Event', 'eventName' in event ? sourceOf(event) : undefined],
    ['Customer', customer?.name ?? customer?.email],
    ['Location', placeOf(event)],
    ['Region', click?.region],
    ['Device', click && nameOfDevice(click.device)],
    ['Browser', click?.browser],
    ['System', click?.os],
    ['Referrer', click && nameOfSource(click.refererUrl || click.referer)],
    ['Destination', click?.url],
    ['Variant', click?.variant],
    ['Suspect', click?.suspect],
    ['IP address', click?.ip],
    ['Click ID', click?.id],
  ];
  return (
    <Dialog title={kindOfEvent(event).name} isText onClose={onClose}>
      <dl className="grid grid-cols-[6.5rem_minmax(0,1fr)] gap-x-4 gap-y-2">
        {facts.map(
          ([name, value]) =>
            value != null &&
            value !== '' && (
              <div key={name} className="contents">
                <dt className="text-muted">{name}</dt>
                <dd className="break-words">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </Dialog>
  );
}
