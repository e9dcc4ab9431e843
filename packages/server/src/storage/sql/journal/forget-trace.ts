import type { ProjectId } from '@spoor/contract/ids'
import type { JournalEvent } from '../../../ports/journal/journal.ts'
import { idFromBytes, idToBytes } from '../../../lib/ids/typeid.ts'
import { withoutTexts } from '../../../ports/journal/without-texts.ts'
import { all, first, run, type Work } from '../kit/sql-database.ts'
import { decodeEvents, encodeEvents } from './event-encoding.ts'
import type { JournalStatements } from './journal-statements.ts'

/**
 * Deletes the client's content of a purged trace from rows that outlive the trace: its events lose the reasons of
 * flags, and files that were announced for it lose their names. Its idempotency key stays: it is a hash, so that a late
 * retry is still recognised.
 */
export function* forgetTrace(sql: JournalStatements, traceId: Uint8Array): Work<void> {
  yield* run(sql.clearFilenames({ traceId }))
  const id = idFromBytes('tr', traceId)
  yield* forgetTexts(sql, traceId, (event) => withoutReason(event, id))
  yield* run(sql.deleteTexts({ contentOf: traceId }))
}

/**
 * The transaction of `Journal.forgetTexts`. Its rows stay recorded: they are pruned with the journal.
 */
export function* forgetProjectTexts(sql: JournalStatements, projectId: ProjectId): Work<number> {
  return yield* forgetTexts(sql, idToBytes(projectId), withoutTexts)
}

function* forgetTexts(
  sql: JournalStatements,
  contentOf: Uint8Array,
  without: (event: JournalEvent) => JournalEvent,
): Work<number> {
  let last = 0
  for (const { last_position: position } of yield* all(sql.textsOf({ contentOf }))) {
    const row = yield* first(sql.readEvents({ position }))
    if (row === undefined) continue
    last = Math.max(last, position)
    const events = decodeEvents(row.events).map(without)
    yield* run(sql.replaceEvents({ position, events: encodeEvents(events) }))
  }
  return last
}

function withoutReason(event: JournalEvent, traceId: string): JournalEvent {
  return event.type === 'trace.flagged' && event.traceId === traceId ? { ...event, reason: null } : event
}
