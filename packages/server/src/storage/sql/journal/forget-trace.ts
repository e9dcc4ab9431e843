import type { JournalEvent } from '../../../ports/journal/journal.ts'
import { idFromBytes } from '../../../lib/ids/typeid.ts'
import { hashedKey, wholeKey } from './compact-key.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import type { JournalStatements } from './journal-statements.ts'

/**
 * Removes what a purged trace's client said from rows that outlive the trace: its idempotency key stays as a hash, so
 * that a late retry is still recognised; its events stay without the reasons of flags; names of files that were
 * announced for it go. To be called in a transaction.
 */
export function forgetTrace(sql: JournalStatements, traceId: Uint8Array): void {
  for (const row of sql.wholeTraceKeys.all(traceId)) {
    const [projectId, key] = [row['project_id'] as Uint8Array, row['key'] as Uint8Array]
    sql.replaceTraceKey.run(hashedKey(wholeKey(key)), projectId, key)
  }
  sql.forgetFilenames.run(traceId)
  const positions = sql.flagReasons.all(traceId)
  if (positions.length === 0) return
  const id = idFromBytes('tr', traceId)
  for (const { last_position: position } of positions) {
    const row = sql.readRow.get(position as number)
    if (row === undefined) continue
    const events = decodeEvents(row['events'] as Uint8Array).map((event) => withoutReason(event, id))
    sql.replaceEvents.run(encodeEvents(events), position as number)
  }
  sql.deleteFlagReasons.run(traceId)
}

function withoutReason(event: JournalEvent, traceId: string): JournalEvent {
  return event.type === 'trace.flagged' && event.traceId === traceId ? { ...event, reason: null } : event
}
