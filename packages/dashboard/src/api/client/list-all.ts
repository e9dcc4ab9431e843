import { request } from './request.ts'

/** The maximum of the API. */
const PAGE = 1000

/** All rows of a list that is short by nature (keys, prices), page by page. */
export async function listAll<Row>(path: string, resource: string, signal: AbortSignal): Promise<readonly Row[]> {
  const rows: Row[] = []
  let cursor: string | null = null
  do {
    const query: Record<string, string | number | null> = { limit: PAGE, cursor }
    const page: Record<string, unknown> = await request(path, { query, signal })
    rows.push(...(page[resource] as Row[]))
    cursor = page['next_cursor'] as string | null
  } while (cursor !== null)
  return rows
}
