import type { EventRow } from '../../src/events/event.ts';

/** An event of which nothing is known but what is given. */
export function anEvent(
  projectId: string,
  fields: Partial<EventRow> & Pick<EventRow, 'id' | 'occurred_at'>,
): EventRow {
  return {
    project_id: projectId,
    event: 'click',
    link_id: null,
    domain: 'x.test',
    key: 'x',
    url: 'https://example.com/',
    continent: '',
    country: 'Unknown',
    region: 'Unknown',
    city: 'Unknown',
    device: 'Desktop',
    browser: 'Chrome',
    os: 'Linux',
    referer: '(direct)',
    referer_url: '(direct)',
    via: 'link',
    ip: '',
    page_id: null,
    click_id: null,
    event_name: null,
    metadata: null,
    customer_id: null,
    amount_cents: null,
    sale: null,
    ...fields,
  };
}
