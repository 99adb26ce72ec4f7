import Joi from 'joi';
import { ERRORS } from '../errors.ts';
import { MAX_KEY_LENGTH } from '../jobs/idempotency.ts';

/** Meanings of the errors, as the reference gives them. */
export const MEANINGS: Record<keyof typeof ERRORS, string> = {
  bad_request: 'The request is malformed.',
  unauthorized: 'The API key is missing or invalid.',
  forbidden: 'The API key lacks the scope, or the plan does not include the operation.',
  not_found: 'The record does not exist in the workspace.',
  conflict: 'The request conflicts with the current state.',
  invite_expired: 'The result is no longer stored.',
  unprocessable_entity: 'A field or parameter breaks its rule.',
  rate_limit_exceeded: 'There were too many requests.',
  internal_server_error: 'The service failed.',
  service_unavailable: 'The service has no capacity now; `Retry-After` says when to retry.',
};

/** Schema of the body of every error. */
export const errorBody = Joi.object({
  error: Joi.object({
    code: Joi.string()
      .valid(...Object.keys(ERRORS))
      .required()
      .description('Stable name of the error.')
      .example('unprocessable_entity'),
    message: Joi.string()
      .required()
      .description('Explanation for a person: the field and its rule.')
      .example('url must be a valid URL'),
    doc_url: Joi.string()
      .description('URL of the explanation of the error.')
      .example('https://api.example.com/docs/api-reference/errors#unprocessable-entity'),
  })
    .required()
    .description('The error.'),
}).meta({ name: 'Error' });

/** Schema of the body of 202. */
export const accepted = Joi.object({
  id: Joi.string().required().description('Id of the job.').example('job_4Jx2vQ0aTq'),
  status: Joi.string()
    .valid('queued', 'running', 'done', 'failed')
    .required()
    .description('State of the job.'),
}).meta({ name: 'AcceptedJob' });

/** Parameters and headers of requests in general, not of a single endpoint. */
export const PARAMETERS = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    description:
      'Makes retries of the request safe. Within 24 hours, the same key with the same contents ' +
      'returns the first response with `Idempotent-Replayed: true`, and changes nothing; with ' +
      'other contents it is refused with 409. Contents are compared as values: the order of ' +
      'fields, white space and explicit defaults don’t matter.',
    'x-extension': true,
    schema: { type: 'string', minLength: 1, maxLength: MAX_KEY_LENGTH },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    required: false,
    description:
      'ETag of the record as it was read. If the record has changed since, nothing is written ' +
      'and the response is 409. Counters are not part of the ETag. `*` matches any existing ' +
      'record.',
    'x-extension': true,
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    required: false,
    description: 'ETag of the record as it was read. If nothing has changed, the response is 304.',
    'x-extension': true,
    schema: { type: 'string' },
  },
};

/** Headers of responses that several endpoints have. */
export const HEADERS = {
  ETag: {
    description: 'Changes whenever a field of the record changes.',
    'x-extension': true,
    schema: { type: 'string' },
  },
  IdempotentReplayed: {
    description: '`true` if the response repeats an earlier one.',
    'x-extension': true,
    schema: { type: 'string', enum: ['true'] },
  },
  Link: {
    description:
      'URL of the next page, with `rel="next"` (RFC 8288); absent on the last page. A `Link` longer ' +
      'than 3,000 characters is left out: send `X-Next-Cursor` as `after`.',
    'x-extension': true,
    schema: { type: 'string' },
  },
  XNextCursor: {
    description: 'Cursor of the next page; absent on the last page.',
    'x-extension': true,
    schema: { type: 'string' },
  },
  JobLocation: {
    description: 'Path of the job: `/jobs/{id}`.',
    schema: { type: 'string' },
  },
};
