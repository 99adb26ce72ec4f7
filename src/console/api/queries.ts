import {
  MutationCache,
  MutationObserver,
  QueryCache,
  QueryClient,
  useMutation,
} from '@tanstack/react-query';
import { toast } from '../ui/toasts.tsx';
import { holdWindow } from '../ui/unsaved.ts';
import { useIsShown } from '../ui/use-is-shown.ts';
import { newIdempotencyKey } from './client.ts';
import { ApiError, describe } from './error.ts';

/** Most repeats of a request that failed for a passing reason. Those for want of a connection don't count. */
const REPEATS = 3;
const LONGEST_PAUSE_MS = 30_000;

const isWorthRepeating = (count: number, error: Error): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || (error.isPassing && !error.isLong && count < REPEATS));

const pauseOf = (count: number, error: Error): number =>
  (error instanceof ApiError ? error.retryAfterMs : undefined) ??
  Math.min(500 * 2 ** count, LONGEST_PAUSE_MS);

/**
 * A store of answers: one for each workspace, so that none shows another's.
 *
 * @param onSignedOut called when the API no longer knows the session
 */
export function makeQueryClient(onSignedOut: () => void): QueryClient {
  const onError = (error: Error) => {
    if (error instanceof ApiError && error.status === 401) onSignedOut();
  };
  const client = new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: isWorthRepeating,
        retryDelay: pauseOf,
      },
      mutations: {
        // Without a connection a write waits, and is sent when there is one again.
        networkMode: 'online',
        retry: isWorthRepeating,
        retryDelay: pauseOf,
      },
    },
  });
  // For good: what waits for a connection is sent when it is back, also while another workspace is shown.
  client.mount();
  let release: (() => void) | undefined;
  client.getMutationCache().subscribe(() => {
    if (client.isMutating() > 0) {
      release ??= holdWindow();
    } else {
      release?.();
      release = undefined;
    }
  });
  return client;
}

/** A write to the API, with what is to happen before and after it. */
export interface Write<Input, Result> {
  /** @param key goes as `Idempotency-Key` with a POST: repeats after a lost connection write once */
  send(input: Input, key: string): Promise<Result>;
  onDone?(result: Result, input: Input): unknown;
  onFailed?(error: Error, input: Input): unknown;
}

/**
 * Like `useMutation`; each write has a key of its own, unless it is given one, and keeps it through its repeats. A
 * refusal that comes when the form is gone is said in a message.
 */
export function useWrite<Input, Result>({ send, onDone, onFailed }: Write<Input, Result>) {
  const isShown = useIsShown();
  const mutation = useMutation<Result, Error, { input: Input; key: string }>({
    mutationFn: ({ input, key }) => send(input, key),
    onSuccess: (result, { input }) => onDone?.(result, input),
    onError(error, { input }) {
      if (onFailed !== undefined) onFailed(error, input);
      else if (!isShown.current) toast(`A change is not saved. ${describe(error)}`, 'danger');
    },
  });
  return {
    ...mutation,
    write: (input: Input, key = newIdempotencyKey()) => mutation.mutate({ input, key }),
    writeAsync: (input: Input, key = newIdempotencyKey()) => mutation.mutateAsync({ input, key }),
  };
}

/**
 * Like `write` of `useWrite`, for what is sent after its component is gone.
 *
 * @param scope writes of the same one are sent one after another
 */
export function sendLater<Input, Result>(
  client: QueryClient,
  { send, onDone, onFailed }: Write<Input, Result>,
  input: Input,
  scope?: string,
): void {
  const key = newIdempotencyKey();
  const observer = new MutationObserver<Result>(client, {
    ...(scope !== undefined && { scope: { id: scope } }),
    mutationFn: () => send(input, key),
    onSuccess: (result) => onDone?.(result, input),
    onError: (error) => onFailed?.(error, input),
  });
  // The mutation cache has the error too.
  observer.mutate().catch(() => undefined);
}
