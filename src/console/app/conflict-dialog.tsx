import { type Api, answer, type Schemas } from '../api/client.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { openDialog } from '../ui/open-dialogs.tsx';
import { sentenceCase } from '../ui/sentence.ts';
import { fromNow } from '../ui/time.tsx';
import { nameOfField, valueInWords } from './field-words.ts';
import { meQuery, personClient } from './session.ts';

type Fields = Readonly<Record<string, unknown>>;

interface Change {
  api: Api;
  /** Path of the record, which determines the labels of its fields. */
  path: string;
  /** Names of the fields that somebody else changed. */
  fields: readonly string[];
  /** The current record. */
  record: Fields;
}

/**
 * Shows the fields that somebody else changed too.
 *
 * @param mine the values that the person entered @returns `mine` or `theirs` for the values to
 * keep; `undefined` to return to the form
 */
export async function askAboutConflict({
  mine,
  ...change
}: Change & { mine: Fields }): Promise<'mine' | 'theirs' | undefined> {
  const title = await titleOf(change);
  return openDialog<'mine' | 'theirs'>((close) => (
    <Dialog
      title={title}
      size="medium"
      onClose={() => close(undefined)}
      footer={
        <>
          <span className="flex-1">
            <Button onClick={() => close(undefined)}>Back to the form</Button>
          </span>
          <Button onClick={() => close('theirs')}>Take theirs</Button>
          <Button look="primary" data-autofocus onClick={() => close('mine')}>
            Keep yours
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-3">
        <p>You changed it too. Compare, then choose which to keep.</p>
        {change.fields.map((name) => (
          <section
            key={name}
            aria-label={nameOfField(change.path, name)}
            className="flex flex-col gap-1"
          >
            <h3 className="font-medium">{sentenceCase(nameOfField(change.path, name))}</h3>
            <dl className="grid grid-cols-[4rem_minmax(0,1fr)] gap-y-1 rounded-md border border-line p-2">
              <dt className="text-muted">Yours</dt>
              <dd className="wrap-anywhere">{valueInWords(mine[name])}</dd>
              <dt className="text-muted">Theirs</dt>
              <dd className="wrap-anywhere">
                {valueInWords(change.record[name === 'tagIds' ? 'tags' : name])}
              </dd>
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  ));
}

/**
 * Asks before a record that somebody changed is deleted.
 *
 * @returns true to delete it anyway
 */
export async function askBeforeDeletion(change: Change): Promise<boolean> {
  const title = await titleOf(change);
  const isMeant = await openDialog<boolean>((close) => (
    <Dialog
      title={title}
      size="small"
      onClose={() => close(false)}
      footer={
        <>
          <Button data-autofocus onClick={() => close(false)}>
            Don’t delete
          </Button>
          <Button look="danger" onClick={() => close(true)}>
            Delete anyway
          </Button>
        </>
      }
    >
      <p>That was after you opened this page. Delete it anyway?</p>
    </Dialog>
  ));
  return isMeant === true;
}

/**
 * Describes the change, such as "Grace changed the destination 2 minutes ago", as far as the
 * person's rights allow.
 */
async function titleOf({ api, path, fields, record }: Change): Promise<string> {
  const entry = await lastWrite(api, record, fields);
  const at = entry?.at ?? record['updatedAt'];
  const who = entry?.actor.userId === myId() ? 'You, in another window,' : entry?.actor.name;
  const when = typeof at === 'string' ? ` ${fromNow(new Date(at))}` : '';
  return `${who ?? 'Somebody'} changed ${whatOf(path, fields)}${when}`;
}

const myId = () => personClient.getQueryData(meQuery.queryKey)?.id;

function whatOf(path: string, fields: readonly string[]): string {
  const [first = '', second, ...more] = fields.map((name) => nameOfField(path, name));
  if (second === undefined) return `the ${first}`;
  return more.length === 0 ? `the ${first} and the ${second}` : `${fields.length} fields`;
}

/**
 * Finds the audit log entry that last changed any of the fields; `undefined` without the right to
 * read the log.
 */
async function lastWrite(
  api: Api,
  { id, userId }: Fields,
  fields: readonly string[],
): Promise<Schemas['AuditEntry'] | undefined> {
  try {
    const query = { target: String(id ?? userId), limit: 20 };
    const entries = await answer(api.GET('/audit-log', { params: { query } }));
    return entries.find((entry) => entry.fields?.some((name) => fields.includes(name)));
  } catch {
    return undefined;
  }
}
