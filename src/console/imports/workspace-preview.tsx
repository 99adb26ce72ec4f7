import type { Schemas } from '../api/client.ts';
import { Table } from '../ui/table.tsx';

const KINDS: Readonly<Record<Schemas['ImportKind']['kind'], string>> = {
  domain: 'Domains',
  tag: 'Tags',
  folder: 'Folders',
  utmTemplate: 'UTM templates',
  page: 'Pages',
  image: 'QR code images',
  font: 'Fonts',
  template: 'QR code templates',
  customer: 'Customers',
  link: 'Links',
  qrcode: 'QR codes',
  event: 'Events',
};

/** Counts of the records that a workspace import will create or has created, by type. */
export function WorkspacePreview({ one }: { one: Schemas['ImportDetails'] }) {
  const { preview } = one;
  if (preview === null) return null;
  const { newDomains, takenDomains, otherDomains, kinds } = preview;
  return (
    <section aria-labelledby="kinds" className="flex flex-col gap-2">
      <h2 id="kinds" className="px-4 font-semibold md:px-6">
        Records
      </h2>
      {newDomains.length > 0 && (
        <p className="px-4 text-muted md:px-6">
          New domains: {newDomains.join(', ')}. Verify them under Domains so that their links work.
        </p>
      )}
      {takenDomains.length > 0 && (
        <p className="px-4 text-warning md:px-6">
          Another workspace uses {takenDomains.join(', ')}. You can verify them here once it removes
          them.
        </p>
      )}
      {otherDomains.length > 0 && (
        <p className="px-4 text-warning md:px-6">
          Links on {otherDomains.join(', ')}, the shared domain of the other installation, move to
          the domain you choose above.
        </p>
      )}
      <Table
        label="Records"
        rows={kinds}
        keyOf={({ kind }) => kind}
        columns={[
          { name: 'Type', render: ({ kind }) => KINDS[kind] },
          { name: 'New', isNumber: true, render: ({ created }) => created.toLocaleString() },
          { name: 'Skipped', isNumber: true, render: ({ skipped }) => skipped.toLocaleString() },
          { name: 'Refused', isNumber: true, render: ({ refused }) => refused.toLocaleString() },
        ]}
      />
    </section>
  );
}
