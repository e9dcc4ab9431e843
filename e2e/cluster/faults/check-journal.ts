import { decodeEvents } from '../../../packages/server/src/storage/sql/journal/event-encoding.ts'
import { openSharedDatabase } from './open-shared-database.ts'

/** What is wrong in the journal: positions without an event, or with two. `url` is that of the database. */
export async function checkJournal(url: string): Promise<readonly string[]> {
  const { database, close } = await openSharedDatabase(url)
  try {
    const rows = await database.read<{ last_position: number; events: Uint8Array }>({
      sql: 'SELECT last_position, events FROM journal ORDER BY last_position',
      parameters: [],
    })
    const [state] = await database.read<{ head_position: number }>({
      sql: 'SELECT head_position FROM journal_state',
      parameters: [],
    })
    const violations: string[] = []
    let before: number | null = null
    for (const { last_position: last, events } of rows) {
      const first = last - decodeEvents(events).length + 1
      if (before !== null && first !== before + 1)
        violations.push(`the journal has position ${first} after position ${before}`)
      before = last
    }
    if (state?.head_position !== (before ?? 0))
      violations.push(`the journal's head is ${state?.head_position}, its last position ${before}`)
    return violations
  } finally {
    await close()
  }
}
