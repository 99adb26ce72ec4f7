import { useNavigate, useSearch } from '@tanstack/react-router';
import { Link2, QrCode, RotateCcw, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { answer } from '../api/client.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { actorName } from '../short-links/change-words.ts';
import { Button } from '../ui/button.tsx';
import { countOf } from '../ui/count-of.ts';
import { DocsLink } from '../ui/docs-link.tsx';
import { inputLook, Options } from '../ui/field.tsx';
import { RowMenu } from '../ui/menu.tsx';
import { deleteItem } from '../ui/menu-items.ts';
import { Page } from '../ui/page.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { Empty } from '../ui/states.tsx';
import { Table } from '../ui/table.tsx';
import { Time } from '../ui/time.tsx';
import { EraseDialog } from './erase-dialog.tsx';
import { Refusals } from './refusals.tsx';
import { nameOf, type Trashed, useRestore } from './restore.ts';
import { RestoreDialog } from './restore-dialog.tsx';

/** Choices of the filter by kind. */
const TYPES = { link: 'Links', qrcode: 'QR codes' } as const;
type Type = keyof typeof TYPES;

const isType = (value: string | undefined): value is Type => value !== undefined && value in TYPES;

/** The page that lists deleted links and QR codes and restores them; the URL holds the filter. */
export function TrashPage() {
  const { api, slug, may } = useWorkspace();
  const navigate = useNavigate();
  const search = useSearch({ from: '/$workspace/trash' });
  const type = isType(search['type']) ? search['type'] : undefined;
  const filter = type === undefined ? {} : { type };
  const trash = usePaged(keys.trash.list(filter), (page, signal) =>
    answer(
      api.GET('/trash', { params: { query: { ...filter, page, pageSize: PAGE_SIZE } }, signal }),
    ),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [renamed, setRenamed] = useState<Trashed>();
  const [erased, setErased] = useState<Trashed>();
  const restore = useRestore(() => setChosen(new Set()));
  const mayChange = ({ type: kind }: Trashed) =>
    may('links.write') && (kind === 'link' || may('qrcodes.write'));
  const changeable = trash.rows.filter(mayChange);
  const selected = changeable.filter(({ id }) => chosen.has(id));
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return (
    <Page title="Trash">
      <div className="flex flex-wrap items-center gap-2 px-4 pb-3 md:px-6">
        <select
          aria-label="Kind of record"
          className={`${inputLook} md:w-52`}
          value={type ?? ''}
          onChange={({ target }) => {
            setChosen(new Set());
            void navigate({
              to: '/$workspace/trash',
              params: { workspace: slug },
              search: target.value === '' ? {} : { type: target.value },
            });
          }}
        >
          <option value="">Links and QR codes</option>
          <Options of={Object.entries(TYPES)} />
        </select>
        {selected.length > 0 && (
          <Button
            look="primary"
            icon={RotateCcw}
            busy={restore.isPending}
            onClick={() => restore.write(selected)}
          >
            Restore {countOf(selected.length, 'record')}
          </Button>
        )}
      </div>
      <Refusals
        refusals={restore.refusals}
        onRename={setRenamed}
        onDismiss={() => restore.dismiss()}
      />
      <RecordList
        query={trash}
        empty={
          <Empty
            icon={Trash2}
            title={type === undefined ? 'The trash is empty' : `No ${TYPES[type]} in the trash`}
          >
            Deleted links and QR codes stay here for 30 days, and can be restored with their clicks
            and history. <DocsLink guide="history#trash">How the trash works</DocsLink>
          </Empty>
        }
      >
        {(rows) => (
          <Table
            label="Deleted records"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              ...(changeable.length > 0
                ? [
                    {
                      name: 'Selection',
                      isBare: true,
                      render: (record: Trashed) =>
                        mayChange(record) && (
                          <label className="grid size-6 place-items-center max-md:-mx-2 max-md:size-11">
                            <span className="sr-only">Select {nameOf(record)}</span>
                            <input
                              type="checkbox"
                              checked={chosen.has(record.id)}
                              onChange={() => toggle(record.id)}
                              className="size-4 accent-accent"
                            />
                          </label>
                        ),
                    },
                  ]
                : []),
              { name: 'Record', render: (record) => <Name record={record} /> },
              {
                name: 'Deleted',
                isMinor: true,
                render: ({ deletedAt, deletedBy }) => (
                  <div className="flex flex-col">
                    <Time at={deletedAt} />
                    <span className="text-xs text-muted">by {actorName({ actor: deletedBy })}</span>
                  </div>
                ),
              },
              {
                name: 'Gone for good',
                isMinor: true,
                render: ({ expiresAt }) => <Time at={expiresAt} />,
              },
              {
                name: 'Actions',
                isBare: true,
                render: (record) =>
                  mayChange(record) && (
                    <span className="flex items-center justify-end gap-1">
                      <Button
                        size="small"
                        disabled={restore.isPending}
                        aria-label={`Restore ${nameOf(record)}`}
                        onClick={() => restore.write([record])}
                      >
                        Restore
                      </Button>
                      <RowMenu
                        label={`Actions for ${nameOf(record)}`}
                        items={[
                          record.type === 'link' && {
                            label: 'Restore under another slug',
                            icon: RotateCcw,
                            onSelect: () => setRenamed(record),
                          },
                          deleteItem(() => setErased(record), 'Delete for good'),
                        ]}
                      />
                    </span>
                  ),
              },
            ]}
          />
        )}
      </RecordList>
      {renamed !== undefined && (
        <RestoreDialog
          record={renamed}
          onRestored={() => restore.dismiss(renamed.id)}
          onClose={() => setRenamed(undefined)}
        />
      )}
      {erased !== undefined && (
        <EraseDialog
          record={erased}
          onErased={() => restore.dismiss(erased.id)}
          onClose={() => setErased(undefined)}
        />
      )}
    </Page>
  );
}

/** The name of a deleted record, its destination, and on phones its times. */
function Name({ record }: { record: Trashed }) {
  const { type, title, url, deletedAt, deletedBy, expiresAt } = record;
  const Icon = type === 'link' ? Link2 : QrCode;
  return (
    <div className="flex min-w-0 items-start gap-2.5">
      <Icon
        size={16}
        role="img"
        aria-label={type === 'link' ? 'Link' : 'QR code'}
        className="mt-0.5 shrink-0 text-muted"
      />
      <div className="flex min-w-0 flex-col">
        <span className="font-medium">{title ?? nameOf(record)}</span>
        {title !== null && <span>{nameOf(record)}</span>}
        {url !== null && <span className="text-muted max-md:hidden">{url}</span>}
        <span className="text-xs text-muted md:hidden">
          Deleted <Time at={deletedAt} /> by {actorName({ actor: deletedBy })}, gone for good{' '}
          <Time at={expiresAt} />
        </span>
      </div>
    </div>
  );
}
