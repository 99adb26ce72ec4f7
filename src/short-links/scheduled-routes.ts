import type { ObjectSchema, Schema } from 'joi';
import { deletedRecord } from '../http/deleted.ts';
import { id, Joi, oneOf, paging } from '../http/fields.ts';
import {
  type Answer,
  type ApiRequest,
  created,
  found,
  ok,
  pageOf,
  type Route,
  type RouteInput,
  route,
} from '../http/route.ts';
import type { Tag } from '../http/tags.ts';
import { newId } from '../ids.ts';
import { currentLimits } from '../infra/limits.ts';
import { answerWrite } from '../jobs/answer-write.ts';
import type { Job } from '../queues/job.ts';
import type { Caller } from '../workspaces/api-keys.ts';
import type { Paging } from '../workspaces/lists.ts';
import type { ShortLinkTables } from './model.ts';
import { canReadPasswords } from './record.ts';
import { FAILED_DAYS, noScheduled, type Scheduling, type Unscheduling } from './scheduled.ts';
import { findScheduled, hasScheduled, listScheduled } from './scheduled-queries.ts';
import {
  SCHEDULED_STATES,
  type ScheduledChange,
  type ScheduledRow,
  type ScheduledState,
  scheduledChangeRecord,
  toScheduled,
} from './scheduled-record.ts';

/** Success answers of an endpoint that changes a record, now or at a time. */
export const changeAnswers = (record: Schema) => ({ 200: record, 201: scheduledChangeRecord });

/** Description of the field `at` for the endpoint that changes a record. */
export const SCHEDULING_TEXT =
  'With `at`, the change is stored and applied at that time; the response is 201 with the ' +
  'scheduled change.';

/** A change to schedule. */
interface Requested<Changes> {
  tables: ShortLinkTables;
  /** Id of the record, or `ext_` and its external id. */
  ref: string;
  at: string;
  findByRef(projectId: string, ref: string): Promise<{ id: string } | undefined>;
  changes(): Promise<Changes>;
}

/** Stores a change for later: 201 with the scheduled change. @throws Refusal as the change does */
export function answerScheduled<Changes>(
  request: ApiRequest<RouteInput>,
  job: Job<Scheduling<Changes>, ScheduledChange>,
  { tables: { table, noun }, ref, at, findByRef, changes }: Requested<NoInfer<Changes>>,
): Promise<Answer> {
  const data = async () => {
    const record = found(await findByRef(request.caller.projectId, ref), `${noun} "${ref}"`);
    return { id: record.id, changeId: newId('scheduledChange'), at, changes: await changes() };
  };
  return answerWrite(request, job, data, (scheduled) =>
    created(`/${table}/${scheduled.recordId}/changes/${scheduled.id}`, scheduled),
  );
}

/** The parts in which the scheduled changes of links and those of QR codes differ. */
interface ScheduledSource {
  tables: ShortLinkTables;
  tag: Tag;
  /** Path of a record, with the parameter of `params`. */
  path: string;
  params: ObjectSchema;
  /** Reads a record by its id, or by `ext_` and the caller's own id. */
  findByRef(projectId: string, ref: string): Promise<{ id: string } | undefined>;
  /** Converts stored changes to the fields of a body. */
  toShown(changes: unknown, canReadPasswords: boolean): object;
  unschedule: Job<Unscheduling, { id: string }>;
}

type Params = Record<string, string>;
type ListQuery = Paging & { status?: ScheduledState };

/** Endpoints of the scheduled changes of links or QR codes, an extension of the contract. */
export function scheduledRoutes({
  tables: { kind, noun },
  tag,
  path,
  params,
  findByRef,
  toShown,
  unschedule,
}: ScheduledSource): Route[] {
  const name = kind === 'link' ? 'Link' : 'QrCode';
  const read = { extension: true, tag, scope: `${kind}s.read`, limits: 'records' } as const;
  const ofChange = params.keys({
    changeId: id().required().description('Id of the scheduled change.'),
  });
  /** @throws Refusal `not_found` if neither the record nor a scheduled change of it exists */
  const ownerOf = async ({ projectId }: Caller, values: Params) => {
    const [ref] = Object.values(values);
    const record = await findByRef(projectId, ref!);
    if (record !== undefined) return { projectId, kind, recordId: record.id };
    const owner = { projectId, kind, recordId: ref! };
    // Limits of the caller say nothing about a deleted record.
    const isKnown = currentLimits() === undefined && (await hasScheduled(owner));
    return found(isKnown ? owner : undefined, `${noun} "${ref}"`);
  };
  const shownTo = (caller: Caller) => (row: ScheduledRow) =>
    toScheduled(row, toShown(row.changes, canReadPasswords(caller, kind)));
  return [
    route<{ params: Params; query: ListQuery }>({
      ...read,
      method: 'get',
      path: `${path}/changes`,
      operationId: `list${name}Changes`,
      summary: `List the scheduled changes of a ${noun}, by their time`,
      description:
        `Returns the pending changes of a ${noun}, and those that failed in the last ${FAILED_DAYS} days. Applied ` +
        'changes are in its history. A deleted record has its scheduled changes too.',
      params,
      query: Joi.object<ListQuery>({
        status: oneOf(SCHEDULED_STATES).description('Only changes in this state.'),
        ...paging(100),
      }),
      answers: { 200: Joi.array().items(scheduledChangeRecord) },
      handle: async ({ caller, params: values, query }) =>
        pageOf(await listScheduled(await ownerOf(caller, values), query), shownTo(caller)),
    }),
    route<{ params: Params }>({
      ...read,
      method: 'get',
      path: `${path}/changes/{changeId}`,
      operationId: `retrieve${name}Change`,
      summary: `Retrieve a scheduled change of a ${noun}`,
      description: 'Returns a pending or failed change.',
      record: true,
      params: ofChange,
      answers: { 200: scheduledChangeRecord },
      async handle({ caller, params: { changeId, ...values } }) {
        const row = await findScheduled(await ownerOf(caller, values), changeId!);
        if (row === undefined) throw noScheduled(noun, changeId!);
        return ok(shownTo(caller)(row));
      },
    }),
    route<{ params: Params }>({
      ...read,
      method: 'delete',
      path: `${path}/changes/{changeId}`,
      operationId: `delete${name}Change`,
      summary: `Cancel a scheduled change of a ${noun}`,
      description: 'Deletes a pending change, which is then not applied, or a failed one.',
      scope: `${kind}s.write`,
      writes: true,
      record: true,
      params: ofChange,
      answers: { 200: deletedRecord },
      handle(request) {
        const { changeId, ...values } = request.params;
        const data = async () => {
          const { recordId } = await ownerOf(request.caller, values);
          return { id: recordId, changeId: changeId! };
        };
        return answerWrite(request, unschedule, data, ok);
      },
    }),
  ];
}
