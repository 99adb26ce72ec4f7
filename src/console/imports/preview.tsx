import type { Schemas } from '../api/client.ts';
import { Badge } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { reasonInWords } from './fields.ts';

const OUTCOMES = {
  created: { label: 'Create', tone: 'success' },
  updated: { label: 'Update', tone: 'warning' },
  skipped: { label: 'Skip', tone: undefined },
  refused: { label: 'Refuse', tone: 'danger' },
} as const;

type Row = NonNullable<Schemas['ImportDetails']['preview']>['rows'][number];

const nameOf = (link: Row['link']): string => link['shortLink'] ?? link['key'] ?? 'Random slug';

/** The links that an import would create from its first rows. */
export function Preview({ one }: { one: Schemas['ImportDetails'] }) {
  const preview = one.preview;
  if (preview === null) return null;
  return (
    <section aria-labelledby="preview" className="flex flex-col gap-2">
      <h2 id="preview" className="px-4 font-semibold md:px-6">
        First rows
      </h2>
      {preview.newTags.length > 0 && (
        <p className="px-4 text-muted md:px-6">
          New tags will be created: {preview.newTags.slice(0, 12).join(', ')}
          {preview.newTags.length > 12 && ` and ${preview.newTags.length - 12} more`}.
        </p>
      )}
      {preview.otherDomains.length > 0 && (
        <p className="px-4 text-warning md:px-6">
          This workspace doesn’t have these domains: {preview.otherDomains.slice(0, 12).join(', ')}.
          To keep these short links, add your domains under Domains first.
        </p>
      )}
      <Table
        label="First rows"
        rows={preview.rows}
        keyOf={({ row }) => String(row)}
        columns={[
          { name: 'Row', isMinor: true, render: ({ row }) => row },
          {
            name: 'Action',
            render: ({ outcome }) => {
              const { label, tone } = OUTCOMES[outcome];
              return <Badge tone={tone}>{label}</Badge>;
            },
          },
          {
            name: 'Link',
            isMinor: true,
            render: ({ link }) => <span className="break-all">{nameOf(link)}</span>,
          },
          {
            name: 'Destination',
            render: ({ link, outcome, errors }) => (
              <div className="flex flex-col">
                <span className="break-all">{link['url']}</span>
                {/* Phones have no column for the short link. */}
                <span className="text-xs break-all text-muted md:hidden">{nameOf(link)}</span>
                {outcome === 'skipped' && (
                  <span className="text-xs text-muted">
                    This link already exists and stays as it is.
                  </span>
                )}
                {errors.map(({ message }) => (
                  <span key={message} className="text-xs text-danger">
                    {reasonInWords(message)}
                  </span>
                ))}
              </div>
            ),
          },
        ]}
      />
    </section>
  );
}
