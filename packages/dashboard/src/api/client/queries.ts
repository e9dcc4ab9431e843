import { infiniteQueryOptions, type QueryKey, queryOptions } from '@tanstack/react-query'
import { type QueryValue, request } from './request.ts'

type Query = Readonly<Record<string, QueryValue>>

/** The maximum of the API. */
const PAGE = 1000

/** What the service answers to a GET of this path. */
export function readQuery<T>(queryKey: QueryKey, path: string, query?: Query) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => request<T>(path, { query, signal }) })
}

/** A list, page by page. */
export function pagesQuery<Page extends { readonly next_cursor: string | null }>(
  queryKey: QueryKey,
  path: string,
  query: Query,
) {
  return infiniteQueryOptions({
    queryKey,
    queryFn: ({ pageParam, signal }) => request<Page>(path, { query: { ...query, cursor: pageParam }, signal }),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor }) => next_cursor,
  })
}

/** All rows of a list that is short by nature (keys, prices). */
export function allQuery<Row>(queryKey: QueryKey, path: string, resource: string) {
  return queryOptions({ queryKey, queryFn: ({ signal }) => listAll<Row>(path, resource, signal) })
}

async function listAll<Row>(path: string, resource: string, signal: AbortSignal): Promise<readonly Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const page: Record<string, unknown> = await request(path, { query: { limit: PAGE, cursor }, signal })
    rows.push(...(page[resource] as Row[]))
    cursor = page['next_cursor'] as string | null
  } while (cursor !== null)
  return rows
}
