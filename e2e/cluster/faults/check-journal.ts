import { Client } from 'pg'
import { decodeEvents } from '../../../packages/server/src/storage/sql/journal/event-encoding.ts'

/** What is wrong in the journal: positions without an event, or with two. `url` is that of the database. */
export async function checkJournal(url: string): Promise<readonly string[]> {
  const client = new Client({ connectionString: url })
  await client.connect()
  try {
    const { rows } = await client.query<{ last_position: string; events: Buffer }>(
      'SELECT last_position, events FROM journal ORDER BY last_position',
    )
    const violations: string[] = []
    let before: number | null = null
    for (const { last_position, events } of rows) {
      const last = Number(last_position)
      const first = last - decodeEvents(events).length + 1
      if (before !== null && first !== before + 1)
        violations.push(`the journal has position ${first} after position ${before}`)
      before = last
    }
    const state = await client.query<{ head_position: string }>('SELECT head_position FROM journal_state')
    if (Number(state.rows[0]?.head_position ?? 0) !== (before ?? 0))
      violations.push(`the journal's head is ${state.rows[0]?.head_position}, its last position ${before}`)
    return violations
  } finally {
    await client.end()
  }
}
