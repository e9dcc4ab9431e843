import { query } from '../../../packages/server/src/storage/sql/postgresql/test-postgresql.test-support.ts'
import { decodeEvents } from '../../../packages/server/src/storage/sql/journal/event-encoding.ts'

/** What is wrong in the journal: positions without an event, or with two. `url` is that of the database. */
export async function checkJournal(url: string): Promise<readonly string[]> {
  const rows = await query(url, 'SELECT last_position, events FROM journal ORDER BY last_position')
  const [state] = await query(url, 'SELECT head_position FROM journal_state')
  const violations: string[] = []
  let before: number | null = null
  for (const { last_position: position, events } of rows) {
    const last = Number(position)
    const first = last - decodeEvents(events as Buffer).length + 1
    if (before !== null && first !== before + 1)
      violations.push(`the journal has position ${first} after position ${before}`)
    before = last
  }
  if (Number(state?.['head_position']) !== (before ?? 0))
    violations.push(`the journal's head is ${String(state?.['head_position'])}, its last position ${before}`)
  return violations
}
