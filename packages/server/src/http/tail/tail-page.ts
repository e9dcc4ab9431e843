import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { creationTime } from '../../ports/journal/creation-time.ts'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
import { formatSseEvent } from '../../lib/lines/sse.ts'
import { toWireTime } from '../../wire/to-wire.ts'

/** What a tail reader gets next, ready to be written. */
export interface TailPage {
  /** Empty when nothing of what happened is for the reader. */
  readonly bytes: Buffer
  /** The reader's position once it has been sent. */
  readonly position: number
  /** Whether the journal may hold more behind `position`. */
  readonly more: boolean
}

interface Committed {
  readonly position: number
  readonly traceId: TraceId
  readonly committedAt: number
}

/** About 250 traces. A reader never has more than one page on its way. */
const EVENTS_PER_PAGE = 250
const ROWS_PER_READ = 250

/** Reads on from `after`. Traces deleted since are left out; a position that retention has overtaken begins with a `gap`. */
export async function readTailPage(
  journal: Pick<JournalFeed, 'read' | 'prunedThrough' | 'deletedAmong'>,
  projectId: ProjectId,
  after: number,
): Promise<TailPage> {
  const prunedThrough = await journal.prunedThrough()
  const from = Math.max(after, prunedThrough)
  let text = after < prunedThrough ? formatGap(after, prunedThrough) : ''
  const rows = await journal.read(projectId, from, ROWS_PER_READ)
  const { committed, position, complete } = committedIn(rows, from)
  const deleted = committed.length === 0 ? NONE : await journal.deletedAmong(committed.map((event) => event.traceId))
  for (const event of committed) if (!deleted.has(event.traceId)) text += formatCommitted(event)
  return { bytes: Buffer.from(text), position, more: !complete || rows.length === ROWS_PER_READ }
}

const NONE: ReadonlySet<TraceId> = new Set()

function committedIn(rows: readonly JournalRow[], after: number) {
  const committed: Committed[] = []
  let position = after
  for (const row of rows) {
    let at = row.lastPosition - row.events.length
    for (const event of row.events) {
      at++
      if (at <= after) continue
      if (event.type === 'trace.committed') {
        if (committed.length === EVENTS_PER_PAGE) return { committed, position, complete: false }
        committed.push({ position: at, traceId: event.traceId, committedAt: row.committedAt })
      }
      position = at
    }
  }
  return { committed, position, complete: true }
}

/** The time is the trace's creation, as in the receipt: the row's is that of the whole group commit. */
function formatCommitted({ position, traceId, committedAt }: Committed): string {
  const data = JSON.stringify({ id: traceId, committed_at: toWireTime(creationTime(traceId, committedAt)) })
  return formatSseEvent({ id: String(position), event: 'trace.committed', data })
}

/**
 * The stream goes on behind `to`. Events after `from` and up to `to` are no longer kept; `from` is greater than `to` when the journal ends before it. The id keeps
 * a reader that reconnects from getting the gap again.
 */
export function formatGap(from: number, to: number): string {
  return formatSseEvent({ id: String(to), event: 'gap', data: JSON.stringify({ from, to }) })
}
