import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { Joi, timezone } from '../../http/fields.ts';
import { isDate, startIn, toInstant } from '../../http/iso-time.ts';
import { byteLength } from '../../infra/byte-length.ts';
import { localTime } from '../../infra/time-zones.ts';
import type { ContentType } from './content-type.ts';
import { line, lines, webAddress } from './fields.ts';
import { rowsOf } from './rows.ts';

/** An event of a calendar. */
export interface CalendarEvent {
  title: string;
  /** ISO 8601: a date if it lasts all day; a time without an offset is in `timezone`. */
  start: string;
  /** The last day of an event that lasts all day, otherwise the time at which it ends. */
  end?: string;
  allDay?: boolean;
  timezone: string;
  location?: string;
  description?: string;
  url?: string;
}

/** Maximum length of a line of a file, in bytes (RFC 5545, section 3.1). */
const MAX_LINE_BYTES = 75;
const DAY_MS = 86_400_000;

/** Escapes a text (RFC 5545, section 3.3.11). */
const escape = (value: string): string =>
  value.replaceAll(/[\\;,]/g, (character) => `\\${character}`).replaceAll('\n', '\\n');

const isAllDay = ({ start, allDay }: CalendarEvent): boolean => allDay === true || isDate(start);

/** Formats an instant as `20261224T170000Z`. */
const basic = (at: Date): string => at.toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** Returns a date in the basic format, a number of days later. */
const dateIn = (date: string, days = 0): string =>
  basic(new Date(Date.parse(toInstant(date)!) + days * DAY_MS)).slice(0, 8);

/**
 * Lines with start and end. Times are in UTC, since a local time would need the rules of its zone
 * (RFC 5545, 3.2.19). The end of an event is exclusive, so its last day is one before (3.6.1).
 */
function timesOf(event: CalendarEvent): string[] {
  const { start, end, timezone: zone } = event;
  if (!isAllDay(event)) {
    const at = (value: string) => basic(startIn(zone, value));
    return [`DTSTART:${at(start)}`, ...(end === undefined ? [] : [`DTEND:${at(end)}`])];
  }
  const last = end === undefined ? [] : [`DTEND;VALUE=DATE:${dateIn(end, 1)}`];
  return [`DTSTART;VALUE=DATE:${dateIn(start)}`, ...last];
}

function propertiesOf(event: CalendarEvent): string[] {
  const { title, location, description, url } = event;
  return [
    `SUMMARY:${escape(title)}`,
    ...timesOf(event),
    ...(location === undefined ? [] : [`LOCATION:${escape(location)}`]),
    ...(description === undefined ? [] : [`DESCRIPTION:${escape(description)}`]),
    // A URL is a URI, not a text (RFC 5545, section 3.8.4.6).
    ...(url === undefined ? [] : [`URL:${url}`]),
  ];
}

/**
 * Encodes the event alone: readers of QR codes look for VEVENT ("Barcode Contents" of the ZXing
 * wiki), and a calendar around it would only make the code larger. Lines are not folded.
 */
const encode = (event: CalendarEvent): string =>
  `${['BEGIN:VEVENT', ...propertiesOf(event), 'END:VEVENT'].join('\r\n')}\r\n`;

/**
 * Builds the calendar with the event (RFC 5545). An equal event has an equal UID, so that a second
 * download does not add it again; DTSTAMP is the start, since the content has no other time.
 */
function calendarOf(event: CalendarEvent): string {
  const uid = bytesToHex(sha256(new TextEncoder().encode(encode(event)))).slice(0, 32);
  const stamp = basic(startIn(event.timezone, event.start));
  const all = [
    'BEGIN:VCALENDAR',
    'VERSION:2.0',
    'PRODID:-//shortlinks//QR codes//EN',
    'BEGIN:VEVENT',
    `UID:${uid}`,
    `DTSTAMP:${stamp}`,
    ...propertiesOf(event),
    'END:VEVENT',
    'END:VCALENDAR',
  ];
  return `${all.flatMap(folded).join('\r\n')}\r\n`;
}

/** Folds a line; the parts after the first begin with a space. */
function folded(text: string): string[] {
  const parts = [''];
  for (const character of text) {
    const longer = parts.at(-1)! + character;
    if (byteLength(longer) <= MAX_LINE_BYTES) parts[parts.length - 1] = longer;
    else parts.push(` ${character}`);
  }
  return parts;
}

/** Formats a time for the page: `2026-12-24 18:00 (Europe/Berlin)`. */
function shown(event: CalendarEvent, value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  if (isAllDay(event)) return toInstant(value)!.slice(0, 10);
  const local = localTime(startIn(event.timezone, value).getTime(), event.timezone);
  const text = new Date(local).toISOString().slice(0, 16).replace('T', ' ');
  return `${text} (${event.timezone.replaceAll('_', ' ')})`;
}

/** Link that adds the event to Google's calendar, whose parameters are by convention. */
function googleUrl(event: CalendarEvent): string {
  const [start, end = start] = timesOf(event).map((text) => text.replace(/^[^:]*:/, ''));
  const until = isAllDay(event) && event.end === undefined ? dateIn(event.start, 1) : end;
  const { title, location = '', description = '' } = event;
  const query = Object.entries({
    action: 'TEMPLATE',
    text: title,
    dates: `${start}/${until}`,
    location,
    details: description,
  })
    .filter(([, value]) => value !== '')
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`);
  return `https://calendar.google.com/calendar/render?${query.join('&')}`;
}

/** The rule that the times break, as the end of the sentence "event …". */
function timeFault(event: CalendarEvent): string | undefined {
  const { start, end } = event;
  if (isAllDay(event) ? ![start, end ?? start].every(isDate) : end !== undefined && isDate(end)) {
    return isAllDay(event)
      ? 'must have dates without times as its start and end: it lasts all day'
      : 'must have an end with a time, as its start has one';
  }
  if (end === undefined) return undefined;
  const [from, to] = [start, end].map((value) => startIn(event.timezone, value).getTime());
  return isAllDay(event) ? endFault(to! >= from!) : endFault(to! > from!);
}

const endFault = (isRight: boolean): string | undefined =>
  isRight ? undefined : 'must have an end that is after its start';

const isoTime = () =>
  Joi.string()
    .max(40)
    .custom((value: string, { error }) =>
      toInstant(value) === undefined
        ? error('rule', { rule: 'must be an ISO 8601 date or time, such as 2026-12-24T18:00' })
        : value,
    );

/** An event for the phone's calendar (RFC 5545, VEVENT). */
export const event: ContentType<CalendarEvent> = {
  name: 'event',
  description:
    'An event: `{title, start, end?, allDay?, timezone?, location?, description?, url?}`. `start` and ' +
    '`end` are both dates (the event lasts all day, through `end`) or both times.',
  schema: Joi.object({
    title: line(200).required().description('Title.').example('Opening night'),
    start: isoTime()
      .required()
      .description('Start: a date, or a time, in `timezone` if it has no offset.')
      .example('2026-12-24T18:00'),
    end: isoTime().empty('').description('End: the last day, or a time after `start`.'),
    allDay: Joi.boolean()
      .strict()
      .description('The event lasts all day. Default: whether `start` is a date.'),
    timezone: timezone().empty('').description('IANA time zone. Default UTC.'),
    location: line(300).empty('').description('Place, at most 300 characters.'),
    description: lines(1_000).empty('').description('Text, at most 1,000 characters.'),
    url: webAddress().empty('').description('URL of the event.'),
  })
    .meta({ name: 'EventContent', extension: true })
    .custom((content: CalendarEvent, { error }) => {
      if (content.allDay === false && isDate(content.start)) {
        return error('rule', { rule: 'must have a start with a time: allDay is false' });
      }
      const rule = timeFault(content);
      return rule === undefined
        ? { ...content, allDay: isAllDay(content) }
        : error('rule', { rule });
    }),
  encode,
  onVisit: (content) => ({
    page: {
      type: 'event',
      title: content.title,
      isOwnTitle: true,
      actions: [
        { label: 'Google Calendar', href: googleUrl(content) },
        ...(content.url === undefined ? [] : [{ label: 'Website', href: content.url }]),
      ],
      rows: rowsOf(
        ['Starts', shown(content, content.start)],
        ['Ends', shown(content, content.end)],
        ['Place', content.location, 'copy'],
        ['Description', content.description],
      ),
      file: {
        label: 'Add to calendar',
        name: `${content.title}.ics`,
        type: 'text/calendar',
        text: calendarOf(content),
      },
    },
  }),
};
