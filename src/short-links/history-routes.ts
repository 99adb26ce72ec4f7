import type { ObjectSchema, Schema } from 'joi';
import { Joi, paging } from '../http/fields.ts';
import { found, ok, pageOf, type Requester, type Route, route } from '../http/route.ts';
import type { Tag } from '../http/tags.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Job } from '../queues/job.ts';
import type { Paging } from '../workspaces/lists.ts';
import { type Framing, withFrameable } from './destination.ts';
import { listVersions, toVersion, versionRecord } from './destination-versions.ts';
import { KEPT_DAYS, MAX_ENTRIES, type StoredChanges } from './history.ts';
import { findChange, listHistory } from './history-queries.ts';
import {
  changeRecord,
  type RevertBody,
  revertBody,
  type ShownChanges,
  toChange,
} from './history-record.ts';
import type { ShortLinkTables } from './model.ts';
import { canReadPasswords, openPassword } from './record.ts';
import { framingBefore, type Revert } from './revert.ts';

/** The parts in which the history of links and that of QR codes differ. */
interface HistorySource<Sealed extends { id: string }> {
  tables: ShortLinkTables;
  tag: Tag;
  /** Path of a record, with the parameter of `params`. */
  path: string;
  params: ObjectSchema;
  record: Schema;
  /** Reads a record by its id, or by `ext_` and the caller's own id. */
  findByRef(projectId: string, ref: string): Promise<Sealed | undefined>;
  /** Converts stored changes to fields. */
  toShown(changes: StoredChanges, canReadPasswords: boolean): ShownChanges;
  revert: Job<Revert, Sealed>;
}

type Params = Record<string, string>;

/** Endpoints of the history of links or QR codes, an extension of the contract. */
export function historyRoutes<Sealed extends { id: string }>({
  tables,
  tag,
  path,
  params,
  record,
  findByRef,
  toShown,
  revert,
}: HistorySource<Sealed>): Route[] {
  const { kind, noun } = tables;
  const refOf = (values: Params) => Object.values(values)[0]!;
  const name = kind === 'link' ? 'Link' : 'QrCode';
  return [
    route<{ params: Params; query: Paging }>({
      method: 'get',
      path: `${path}/history`,
      operationId: `list${name}History`,
      limits: 'records',
      summary: `List the changes of a ${noun}, newest first`,
      description:
        `Returns the changes of a ${noun} with the values before and after each: the newest ` +
        `${MAX_ENTRIES}, for ${KEPT_DAYS} days. A change of other records, such as the deletion of a tag, adds no entry.`,
      extension: true,
      tag,
      scope: `${kind}s.read`,
      params,
      query: Joi.object<Paging>(paging(100)),
      answers: { 200: Joi.array().items(changeRecord) },
      async handle({ caller, params: values, query }) {
        const { projectId } = caller;
        const ref = refOf(values);
        const { id } = found(await findByRef(projectId, ref), `${noun} "${ref}"`);
        const canRead = canReadPasswords(caller, kind);
        return pageOf(await listHistory(projectId, id, query), (row) =>
          toChange(row, toShown(row.changes, canRead)),
        );
      },
    }),
    route<{ params: Params }>({
      method: 'get',
      path: `${path}/destination-versions`,
      operationId: `list${name}DestinationVersions`,
      limits: 'records',
      summary: `List the destination URLs that a ${noun} has had, newest first`,
      description:
        `Returns the values of \`url\` that a ${noun} has had, each with its period, as far as the history is stored. ` +
        'Analytics and events take the period as `start` and `end`: every event is in exactly one.',
      extension: true,
      tag,
      scope: `${kind}s.read`,
      params,
      answers: { 200: Joi.array().items(versionRecord) },
      async handle({ caller: { projectId }, params: values }) {
        const ref = refOf(values);
        const { id } = found(await findByRef(projectId, ref), `${noun} "${ref}"`);
        return ok((await listVersions(tables, projectId, id)).map(toVersion));
      },
    }),
    route<{ params: Params; body: RevertBody }>({
      method: 'post',
      path: `${path}/revert`,
      operationId: `revert${name}`,
      limits: 'records',
      summary: `Revert a change of a ${noun}`,
      description:
        `Sets the fields of one change of a ${noun} back to their values before it; other fields stay. ` +
        'The rules of an update apply. Deleted tags, folders, pages, webhooks and templates are left ' +
        'out. The revert is a change itself, and can be reverted.',
      extension: true,
      tag,
      scope: `${kind}s.write`,
      writes: true,
      record: true,
      isConditional: true,
      params,
      body: revertBody,
      answers: { 200: record },
      handle(request) {
        const { changeId } = request.body;
        const ref = refOf(request.params);
        const before = async () => findByRef(request.caller.projectId, ref);
        const data = async () => ({
          ref,
          changeId,
          frameable: await frameableBefore(request, changeId, before),
        });
        return answerWrite(request, revert, data, (reverted) => ok(openPassword(reverted)));
      },
    }),
  ];
}

/** Finds the destinations that may be shown in a frame once a change is reverted. */
async function frameableBefore(
  request: Requester,
  changeId: string,
  before: () => Promise<{ id: string } | undefined>,
): Promise<string[] | undefined> {
  const { projectId } = request.caller;
  const record = await before();
  if (record === undefined) return undefined;
  // The worker refuses an entry that does not exist.
  const entry = await findChange({ projectId, recordId: record.id, changeId });
  if (entry === undefined) return undefined;
  const framing = framingBefore(entry.changes);
  const { frameable } = await withFrameable(request, framing, async () => [record as Framing]);
  return frameable;
}
