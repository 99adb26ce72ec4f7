import { type EventRow, INITIAL_EVENT } from '../../src/events/event.ts';

/** Builds a click with minimal fields, and the given ones. */
export function anEvent(
  projectId: string,
  fields: Partial<EventRow> & Pick<EventRow, 'id' | 'occurred_at'>,
): EventRow {
  return {
    ...INITIAL_EVENT,
    project_id: projectId,
    domain: 'x.test',
    key: 'x',
    url: 'https://example.com/',
    device: 'Desktop',
    browser: 'Chrome',
    os: 'Linux',
    referer: '(direct)',
    referer_url: '(direct)',
    ...fields,
  };
}
