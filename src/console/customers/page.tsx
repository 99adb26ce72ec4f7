import { Link } from '@tanstack/react-router';
import { Users } from 'lucide-react';
import { useState } from 'react';
import { ApiError } from '../api/error.ts';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { SearchInput } from '../ui/search-input.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useDebounced } from '../ui/use-debounced.ts';
import { customerName } from './customer-name.ts';

/** The page that lists customers, the people to whom leads and sales belong. */
export function CustomersPage() {
  const { slug } = useWorkspace();
  const [text, setText] = useState('');
  const search = useDebounced(text.trim(), 150);
  const customers = useRecords('customers', search === '' ? {} : { search });
  if (customers.error instanceof ApiError && customers.error.status === 403) {
    return (
      <Page title="Customers">
        <Empty icon={Users} title="Customers are part of the Business plan">
          See who bought and which link brought them. Ask your administrator to change the plan.{' '}
          <DocsLink guide="workspaces">Compare plans</DocsLink>
        </Empty>
      </Page>
    );
  }
  return (
    <Page title="Customers">
      <div className="px-4 pb-3 md:px-6">
        <SearchInput
          aria-label="Search customers"
          placeholder="Name, email or external ID"
          maxLength={100}
          className="md:w-80"
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </div>
      <RecordList
        query={customers}
        empty={
          search === '' ? (
            <Empty icon={Users} title="No customers yet">
              Customers appear after their first lead or sale.{' '}
              <DocsLink guide="analytics">How to report leads and sales</DocsLink>
            </Empty>
          ) : (
            <Empty icon={Users} title="No matching customers">
              No name, email or ID contains “{search}”.
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            label="Customers"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              {
                name: 'Customer',
                render: ({ id, name, email, externalId }) => (
                  <div className="flex min-w-0 flex-col">
                    <Link
                      to="/$workspace/customers/$customerId"
                      params={{ workspace: slug, customerId: id }}
                      className="font-medium break-words hover:underline max-md:-my-2.5 max-md:py-3"
                    >
                      {customerName({ name, email, externalId })}
                    </Link>
                    <span className="text-xs break-all text-muted">{email}</span>
                  </div>
                ),
              },
              {
                name: 'External ID',
                isMinor: true,
                render: ({ externalId }) => <code className="text-xs">{externalId}</code>,
              },
              { name: 'Added', render: ({ createdAt }) => <Time at={createdAt} /> },
            ]}
          />
        )}
      </RecordList>
    </Page>
  );
}
