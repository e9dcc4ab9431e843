import type { ProjectId, TraceId } from '@spoor/contract/ids'
import { creationTime } from '../../ports/journal/creation-time.ts'
import type { JournalFeed } from '../../journal/journal-feed.ts'
import type { JournalRow } from '../../ports/journal/journal.ts'
import { formatSseEvent } from '../../lib/lines/sse.ts'
import { toWireTime } from '../../wire/to-wire.ts'

/** The next bytes for a tail reader. */
export interface TailPage {
  /** Empty if no event is for the reader. */
  readonly bytes: Buffer
  /** The reader's position after it was sent. */
  readonly position: number
  /** Whether the journal may have more after `position`. */
  readonly more: boolean
}

interface Committed {
  readonly position: number
  readonly traceId: TraceId
  readonly committedAt: number
}

/** Traces of a page, and events that are read for it. A reader never has more than one page in flight. */
const EVENTS_PER_PAGE = 250

/**
 * Reads from `after`. Traces that were deleted are omitted; if retention has removed the position, the page starts with
 * a `gap`.
 */
export async function readTailPage(
  journal: Pick<JournalFeed, 'read' | 'prunedThrough' | 'deletedAmong'>,
  projectId: ProjectId,
  after: number,
): Promise<TailPage> {
  const prunedThrough = await journal.prunedThrough()
  const from = Math.max(after, prunedThrough)
  let text = after < prunedThrough ? formatGap(after, prunedThrough) : ''
  const rows = await journal.read(projectId, from, EVENTS_PER_PAGE)
  const { committed, position, more } = committedIn(rows, from)
  const deleted = committed.length === 0 ? NONE : await journal.deletedAmong(committed.map((event) => event.traceId))
  for (const event of committed) if (!deleted.has(event.traceId)) text += formatCommitted(event)
  return { bytes: Buffer.from(text), position, more }
}

const NONE: ReadonlySet<TraceId> = new Set()

function committedIn(rows: readonly JournalRow[], after: number) {
  const committed: Committed[] = []
  let position = after
  let events = 0
  for (const row of rows) {
    let at = row.lastPosition - row.events.length
    for (const event of row.events) {
      at++
      if (at <= after) continue
      events++
      if (event.type === 'trace.committed') {
        if (committed.length === EVENTS_PER_PAGE) return { committed, position, more: true }
        committed.push({ position: at, traceId: event.traceId, committedAt: row.committedAt })
      }
      position = at
    }
  }
  return { committed, position, more: events >= EVENTS_PER_PAGE }
}

/** The time is the creation of the trace, as in the receipt: the row has the time of the whole group commit. */
function formatCommitted({ position, traceId, committedAt }: Committed): string {
  const data = JSON.stringify({ id: traceId, committed_at: toWireTime(creationTime(traceId, committedAt)) })
  return formatSseEvent({ id: String(position), event: 'trace.committed', data })
}

/**
 * The stream continues after `to`. Events after `from` up to `to` are no longer retained; `from` is greater than `to`
 * if the journal ends before it. The id prevents that a reader that reconnects gets the gap again.
 */
export function formatGap(from: number, to: number): string {
  return formatSseEvent({ id: String(to), event: 'gap', data: JSON.stringify({ from, to }) })
}
