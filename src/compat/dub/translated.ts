import type { Query } from '../../http/input.ts';
import type { OperationId } from '../../http/route.ts';
import { type Call, type CallQuery, type Fields, fieldsOf, type PeerRoute } from '../peer.ts';

/** The differences between an endpoint of Dub and the operation of this API that answers it. */
interface Translation<Output> {
  /** Converts the query, which is not passed on otherwise. */
  query?(query: Query): CallQuery;
  /** Converts the body, which is passed on as it is otherwise. */
  body?(body: Fields): Fields;
  /** Converts the body of the answer, which is the same otherwise. */
  output?(output: Output, query: Query, call: Call): unknown;
  /** Status of the answer. */
  status?: number;
}

/** Makes an endpoint that one operation of this API answers. */
export function translated<Output = unknown>(
  method: PeerRoute['method'],
  path: string,
  operation: OperationId,
  translation: Translation<Output> = {},
): PeerRoute {
  const { output = (same) => same, status = 200 } = translation;
  const hasBody = method !== 'get' && method !== 'delete';
  return {
    method,
    path,
    operation,
    takes: hasBody ? 'json' : undefined,
    async answer({ params, query, body }, call) {
      const fields = hasBody ? fieldsOf(body) : undefined;
      const answer = await call<Output>(operation, {
        params,
        query: translation.query?.(query) ?? {},
        body: fields && (translation.body?.(fields) ?? fields),
      });
      return { status, body: await output(answer.body, query, call) };
    },
  };
}
