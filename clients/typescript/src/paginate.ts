/** A function that reads a list, such as `listLinks`. */
type List = (options: never) => Promise<{ data: unknown; response: Response }>;

type ItemOf<L extends List> =
  NonNullable<Awaited<ReturnType<L>>['data']> extends (infer Item)[] ? Item : never;

interface ListOptions {
  query?: Record<string, unknown>;
}

/**
 * Reads all records of a list, page by page, by the cursor of each answer.
 *
 * @param list function of the list
 * @param options its parameters; `pageSize` sets the records per request
 */
export async function* paginate<L extends List>(
  list: L,
  options: NonNullable<Parameters<L>[0]>,
): AsyncGenerator<ItemOf<L>, void, undefined> {
  const { query, ...rest } = options as ListOptions;
  let next: Record<string, unknown> | undefined = query ?? {};
  while (next !== undefined) {
    const page = { ...rest, query: next, throwOnError: true };
    const { data, response } = await list(page as never);
    yield* data as ItemOf<L>[];
    const cursor = cursorOf(response);
    const { page: _, ...filters } = query ?? {};
    next = cursor === undefined ? undefined : { ...filters, ...cursor };
  }
}

/** Returns the query parameter of the next page. */
function cursorOf({ headers, url }: Response): Record<string, string> | undefined {
  const [, link] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? [];
  if (link !== undefined) {
    return { after: new URL(link).searchParams.get('after')! };
  }
  // The API leaves out a long Link.
  const cursor = headers.get('x-next-cursor');
  if (cursor === null) return undefined;
  return /\/(?:events|audit-log)$/.test(new URL(url).pathname) ? { cursor } : { after: cursor };
}
