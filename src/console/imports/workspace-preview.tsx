import type { Schemas } from '../api/client.ts';
import { Table } from '../ui/table.tsx';

const format = new Intl.NumberFormat();

const KINDS: Readonly<Record<Schemas['ImportKind']['kind'], string>> = {
  domain: 'Domains',
  tag: 'Tags',
  folder: 'Folders',
  utmTemplate: 'UTM templates',
  page: 'Pages',
  image: 'Images of QR codes',
  template: 'Templates of QR codes',
  customer: 'Customers',
  link: 'Links',
  qrcode: 'QR codes',
  event: 'Events',
};

/** What the import of a workspace makes, or has made, by kinds of records. */
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
          New domains, which must be verified under Domains before their links lead anywhere:{' '}
          {newDomains.join(', ')}.
        </p>
      )}
      {takenDomains.length > 0 && (
        <p className="px-4 text-warning md:px-6">
          Another workspace has verified {takenDomains.join(', ')}. They can be verified here once
          it has given them up.
        </p>
      )}
      {otherDomains.length > 0 && (
        <p className="px-4 text-warning md:px-6">
          Links on {otherDomains.join(', ')}, which all workspaces there share, get the domain of
          the options.
        </p>
      )}
      <Table
        label="Records"
        rows={kinds}
        keyOf={({ kind }) => kind}
        columns={[
          { name: 'Kind', render: ({ kind }) => KINDS[kind] },
          { name: 'New', isNumber: true, render: ({ created }) => format.format(created) },
          { name: 'Skipped', isNumber: true, render: ({ skipped }) => format.format(skipped) },
          { name: 'Refused', isNumber: true, render: ({ refused }) => format.format(refused) },
        ]}
      />
    </section>
  );
}
