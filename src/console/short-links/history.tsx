import { useQuery, useQueryClient } from '@tanstack/react-query';
import { History as HistoryIcon, RotateCcw } from 'lucide-react';
import { useState } from 'react';
import { answer, type Schemas } from '../api/client.ts';
import { ApiError } from '../api/error.ts';
import { keys } from '../api/keys.ts';
import { PAGE_SIZE, usePaged } from '../api/paged.ts';
import { useWrite } from '../api/queries.ts';
import type { Call } from '../app/changes.ts';
import { useWorkspace } from '../app/workspace.tsx';
import { Button } from '../ui/button.tsx';
import { FormDialog } from '../ui/form-dialog.tsx';
import { Loaded } from '../ui/loaded.tsx';
import { Panel } from '../ui/panel.tsx';
import { RecordList } from '../ui/record-list.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { Time } from '../ui/time.tsx';
import { toast } from '../ui/toasts.tsx';
import { useScrollTo } from '../ui/use-scroll-to.ts';
import {
  type ChangeNames,
  changesInWords,
  entryTitle,
  type FieldChange,
  revertInWords,
} from './change-words.ts';
import { ChangedFields } from './changed-fields.tsx';
import type { ShortLinkRecord } from './fields.ts';
import type { RecordKind } from './list-kind.ts';
import { apiPathOf } from './record-route.ts';

type Change = Schemas['RecordChange'];

interface RecordProps<Row extends ShortLinkRecord> {
  kind: RecordKind<Row>;
  record: Row;
  names: ChangeNames;
}

interface HistoryProps<Row extends ShortLinkRecord> extends RecordProps<Row> {
  /** True when the URL asks for the history, to which the page then scrolls. */
  isTarget: boolean;
}

/** The changes of a record, newest first, each of which can be reverted. */
export function History<Row extends ShortLinkRecord>(props: HistoryProps<Row>) {
  const { kind, record, names, isTarget } = props;
  const { list, noun } = kind;
  const { api, may } = useWorkspace();
  const { path, of } = apiPathOf(kind, record.id);
  const read = api.GET as unknown as Call;
  const history = usePaged(
    keys[list].one(record.id, 'history'),
    (page, signal) =>
      answer(
        read(`${path}/history`, {
          params: { path: of, query: { page, pageSize: PAGE_SIZE } },
          signal,
        }),
      ) as Promise<Change[]>,
  );
  const [reverted, setReverted] = useState<Change>();
  const section = useScrollTo<HTMLDivElement>(isTarget && !history.isPending);
  const mayRevert = may(`${list}.write`);
  return (
    <div ref={section} className="scroll-mt-3">
      <Panel title="History">
        <RecordList
          query={history}
          empty={
            <p className="flex items-center justify-center gap-2 px-4 pt-8 pb-2 text-muted">
              <HistoryIcon size={15} aria-hidden />
              No changes yet.
            </p>
          }
        >
          {(changes) => (
            <ol>
              {changes.map((change) => (
                <Entry
                  key={change.id}
                  change={change}
                  title={sentenceCase(entryTitle(change, noun.one))}
                  fields={changesInWords(change.changes, names)}
                  onRevert={
                    mayRevert && isRevertible(change) ? () => setReverted(change) : undefined
                  }
                />
              ))}
            </ol>
          )}
        </RecordList>
        {!history.isPending && !history.hasNextPage && (
          <p className="flex flex-wrap justify-between gap-x-4 px-4 py-3 text-muted">
            <span>{sentenceCase(noun.one)} created</span>
            <Time at={record.createdAt} />
          </p>
        )}
        {reverted !== undefined && (
          <RevertDialog
            kind={kind}
            record={record}
            names={names}
            change={reverted}
            onClose={() => setReverted(undefined)}
          />
        )}
      </Panel>
    </div>
  );
}

/** The events of reset counts are gone, and a restoration is undone by a deletion. */
const isRevertible = ({ action }: Change): boolean => action !== 'reset' && action !== 'restored';

interface EntryProps {
  change: Change;
  title: string;
  fields: readonly FieldChange[];
  onRevert: (() => void) | undefined;
}

function Entry({ change, title, fields, onRevert }: EntryProps) {
  return (
    <li className="flex flex-col gap-2 border-b border-line px-4 py-3">
      <div className="flex items-start justify-between gap-x-4">
        <p className="min-w-0 wrap-anywhere">
          <span className="font-medium">{title}</span>{' '}
          <span className="text-muted">
            <Time at={change.at} />
          </span>
        </p>
        {onRevert && (
          <Button
            look="quiet"
            size="small"
            icon={RotateCcw}
            onClick={onRevert}
            aria-label={`Revert the change of ${fields.map(({ label }) => label).join(', ')}`}
            className="-my-1 shrink-0"
          >
            Revert
          </Button>
        )}
      </div>
      <ChangedFields fields={fields} />
    </li>
  );
}

interface RevertDialogProps<Row extends ShortLinkRecord> extends RecordProps<Row> {
  change: Change;
  onClose(): void;
}

/** Shows what a revert changes now, and reverts. */
function RevertDialog<Row extends ShortLinkRecord>(props: RevertDialogProps<Row>) {
  const { kind, record, names, change, onClose } = props;
  const { api } = useWorkspace();
  const client = useQueryClient();
  const { path, of } = apiPathOf(kind, record.id);
  // The page can show an older version than the one that the revert would change.
  const present = useQuery({
    queryKey: keys[kind.list].one(record.id, 'present', change.id),
    queryFn: async ({ signal }) => {
      const read = api.GET as unknown as Call;
      const { data, response } = await read(path, { params: { path: of }, signal });
      return { record: data as Row, etag: response.headers.get('etag') ?? '*' };
    },
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const revert = useWrite({
    send: (etag: string, key) => {
      const post = api.POST as unknown as Call;
      const header = { 'Idempotency-Key': key, 'If-Match': etag };
      const body = { changeId: change.id };
      return answer(
        post(`${path}/revert`, { params: { path: of, header }, body }),
      ) as unknown as Promise<Row>;
    },
    onDone(saved) {
      client.setQueryData(keys[kind.list].one(record.id), saved);
      void client.invalidateQueries({ queryKey: keys[kind.list].all });
      toast('Change reverted');
      onClose();
    },
    onFailed(error) {
      // Somebody changed the record meanwhile: the dialog then shows the new version.
      if (error instanceof ApiError && error.status === 409) void present.refetch();
    },
  });
  const fields = present.data && revertInWords(change.changes, { ...present.data.record }, names);
  const isAgain = fields?.some(({ isChangedSince }) => isChangedSince) === true;
  return (
    <FormDialog
      title="Revert this change?"
      action="Revert"
      size="medium"
      onClose={onClose}
      busy={revert.isPending}
      error={revert.error}
      isDisabled={present.data === undefined}
      onSubmit={() => revert.write(present.data!.etag)}
    >
      <Loaded query={present} skeleton="h-24">
        {() => (
          <>
            <p>
              These fields get back the values from before this change. Other fields stay as they
              are. You can revert the revert too.
            </p>
            {isAgain && (
              <p className="rounded-md bg-warning-soft px-3 py-2 text-warning">
                A later change has set some of these fields too. Its values are replaced as well.
              </p>
            )}
            <div className="rounded-md border border-line p-3">
              <ChangedFields fields={(fields ?? []).map(withSecret)} />
            </div>
          </>
        )}
      </Loaded>
    </FormDialog>
  );
}

/** Describes the revert of a password, whose values are secret. */
const withSecret = <Field extends FieldChange>(field: Field): Field =>
  field.values === undefined
    ? { ...field, values: { from: 'The present password', to: 'The one before this change' } }
    : field;
