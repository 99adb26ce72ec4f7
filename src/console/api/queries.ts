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

/** Most retries of a request that failed temporarily; being offline does not count as a failure. */
const REPEATS = 3;
const LONGEST_PAUSE_MS = 30_000;

const isWorthRepeating = (count: number, error: Error): boolean =>
  error instanceof ApiError &&
  (error.status === 0 || (error.isPassing && !error.isLong && count < REPEATS));

const pauseOf = (count: number, error: Error): number =>
  (error instanceof ApiError ? error.retryAfterMs : undefined) ??
  Math.min(500 * 2 ** count, LONGEST_PAUSE_MS);

/**
 * Creates a query client. Each workspace has its own, so that none shows another's data.
 *
 * @param onSignedOut called when the API no longer accepts the session
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
        // While offline, writes pause, and are sent when the connection returns.
        networkMode: 'online',
        retry: isWorthRepeating,
        retryDelay: pauseOf,
      },
    },
  });
  // Never unmounted: paused writes must resume even while another workspace is shown.
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

/** A write to the API with its callbacks. */
export interface Write<Input, Result> {
  /**
   * Sends the write.
   *
   * @param key `Idempotency-Key` of a POST: retries after a lost connection write once
   */
  send(input: Input, key: string): Promise<Result>;
  onDone?(result: Result, input: Input): unknown;
  onFailed?(error: Error, input: Input): unknown;
}

/**
 * Works like `useMutation`, and gives each write an idempotency key that its retries share. A
 * refusal that arrives after the form is gone appears as a message.
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
 * Sends a write whose component may be gone by then, like `write` of `useWrite`.
 *
 * @param scope writes of the same scope run one after another
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
  // The mutation cache also receives the error and reports it.
  observer.mutate().catch(() => undefined);
}
