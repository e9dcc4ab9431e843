/** The rows of a list, page after page. Rows that existed at the start come exactly once. */
export async function* rowsOf<Row, Page extends { readonly next_cursor: string | null }>(
  readPage: (cursor: string | undefined) => Promise<Page>,
  rows: (page: Page) => readonly Row[],
): AsyncGenerator<Row, void, void> {
  let cursor: string | undefined
  do {
    const page = await readPage(cursor)
    yield* rows(page)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
}
