import { type EventRow, INITIAL_EVENT } from '../../src/events/event.ts';

/** A click, of which only this is known besides what is given. */
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
