import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Download, Users } from 'lucide-react';
import { useEffect, useEffectEvent, useState } from 'react';
import { formatCents, formatCount, nameOfCountry, nameOfSource } from '../analytics/names.ts';
import { download, type Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { useRecords } from '../app/resource.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { DocsLink } from '../ui/docs-link.tsx';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { saveFile } from '../ui/save-file.ts';
import { Empty } from '../ui/states.tsx';
import { type Column, Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { useAction } from '../ui/use-action.ts';
import { useDebounced } from '../ui/use-debounced.ts';
import { customerName } from './customer-name.ts';
import { type CustomerSearch, FILTERS, Filters, queryOf, type Sort } from './filters.tsx';

type Customer = Schemas['Customer'];

/** The page that lists customers, the people to whom leads and sales belong. */
export function CustomersPage() {
  const { slug } = useWorkspace();
  const navigate = useNavigate();
  const search: CustomerSearch = useSearch({ from: '/$workspace/customers' });
  const change = (changes: CustomerSearch) =>
    void navigate({
      to: '/$workspace/customers',
      params: { workspace: slug },
      search: (before: CustomerSearch) =>
        Object.fromEntries(
          Object.entries({ ...before, ...changes }).filter(([, value]) => value !== ''),
        ),
      replace: true,
    });
  const [text, setText] = useState(search.search ?? '');
  const typed = useDebounced(text.trim(), 150);
  const onTyped = useEffectEvent((words: string) => {
    if (words !== (search.search ?? '')) change({ search: words });
  });
  useEffect(() => onTyped(typed), [typed]);
  const query = queryOf(search);
  const customers = useRecords('customers', query);
  const [isBusy, run] = useAction();
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
  const save = async () => {
    const { sortBy: _, sortOrder: __, ...filters } = query;
    const file = await download(slug, `/customers/export?${new URLSearchParams(filters)}`);
    saveFile(file, `${slug} customers.csv`);
  };
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <Page
      title="Customers"
      actions={
        <Button icon={Download} busy={isBusy} onClick={() => run(save)}>
          Export
        </Button>
      }
    >
      <Filters text={text} setText={setText} search={search} change={change} />
      <RecordList
        query={customers}
        empty={
          isFiltered ? (
            <Empty icon={Users} title="No matching customers">
              No customer matches the search and the filters.
            </Empty>
          ) : (
            <Empty icon={Users} title="No customers yet">
              Customers appear after their first lead or sale.{' '}
              <DocsLink guide="analytics">How to report leads and sales</DocsLink>
            </Empty>
          )
        }
      >
        {(rows) => (
          <Table
            label="Customers"
            rows={rows}
            keyOf={({ id }) => id}
            columns={columnsOf(slug, search, change)}
          />
        )}
      </RecordList>
    </Page>
  );
}

function columnsOf(
  slug: string,
  search: CustomerSearch,
  change: (changes: CustomerSearch) => void,
): Column<Customer>[] {
  const by = (name: Sort): NonNullable<Column<Customer>['sort']> => {
    const isSorted = (search.sortBy ?? 'createdAt') === name;
    const direction = isSorted ? (search.sortOrder ?? 'desc') : undefined;
    return {
      direction,
      onChange: () => change({ sortBy: name, sortOrder: direction === 'desc' ? 'asc' : 'desc' }),
    };
  };
  return [
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
          <span className="text-xs break-all text-muted">{email ?? externalId}</span>
        </div>
      ),
    },
    {
      name: 'Revenue',
      isNumber: true,
      sort: by('saleAmount'),
      render: ({ saleAmount }) => formatCents(saleAmount),
    },
    {
      name: 'Sales',
      isNumber: true,
      isMinor: true,
      sort: by('sales'),
      render: ({ sales }) => formatCount(sales),
    },
    {
      name: 'Leads',
      isNumber: true,
      isMinor: true,
      sort: by('leads'),
      render: ({ leads }) => formatCount(leads),
    },
    {
      name: 'First click',
      isMinor: 'tablet',
      sort: by('firstClick'),
      render: ({ firstClick }) =>
        firstClick === null ? (
          <span className="text-muted">–</span>
        ) : (
          <div className="flex min-w-0 flex-col">
            <span className="break-all">{withoutScheme(firstClick.shortLink)}</span>
            <span className="text-xs text-muted">
              {nameOfSource(firstClick.source)} · <Time at={firstClick.timestamp} />
            </span>
          </div>
        ),
    },
    {
      name: 'Country',
      isMinor: true,
      sort: by('country'),
      render: ({ country }) =>
        country === null ? <span className="text-muted">–</span> : nameOfCountry(country),
    },
    {
      name: 'Last seen',
      sort: by('lastSeenAt'),
      render: ({ lastSeenAt }) =>
        lastSeenAt === null ? <span className="text-muted">–</span> : <Time at={lastSeenAt} />,
    },
    {
      name: 'Added',
      isMinor: 'tablet',
      sort: by('createdAt'),
      render: ({ createdAt }) => <Time at={createdAt} />,
    },
  ];
}

/** Shortens a short link for lists. */
const withoutScheme = (shortLink: string): string => shortLink.replace(/^https?:\/\//, '');
