import type { JournalEvent } from '../../../ports/journal/journal.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import { hashedKey, wholeKey } from './compact-key.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import type { JournalStatements } from './journal-statements.ts'

/**
 * Deletes the client's content of a purged trace from rows that outlive the trace. Its idempotency key becomes a hash,
 * so that a late retry is still recognised. Its events lose the reasons of flags. Files that were announced for it lose
 * their names.
 */
export function* forgetTrace(sql: JournalStatements, traceId: Uint8Array): Work<void> {
  for (const { project_id: projectId, key } of yield* all(sql.wholeTraceKeys({ traceId }))) {
    yield* run(sql.replaceTraceKey({ projectId, key, by: hashedKey(wholeKey(key)) }))
  }
  yield* run(sql.clearFilenames({ traceId }))
  const reasons = yield* all(sql.flagReasons({ traceId }))
  if (reasons.length === 0) return
  const id = idFromBytes('tr', traceId)
  for (const { last_position: position } of reasons) {
    const row = yield* first(sql.readEvents({ position }))
    if (row === undefined) continue
    const events = decodeEvents(row.events).map((event) => withoutReason(event, id))
    yield* run(sql.replaceEvents({ position, events: encodeEvents(events) }))
  }
  yield* run(sql.deleteFlagReasons({ traceId }))
}

function withoutReason(event: JournalEvent, traceId: string): JournalEvent {
  return event.type === 'trace.flagged' && event.traceId === traceId ? { ...event, reason: null } : event
}
