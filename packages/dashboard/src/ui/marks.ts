import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { patchTrace, readTraceRow } from '../api/trace.ts'
import { shownTraces } from '../lib/shown-traces.ts'
import type { Change } from './use-change-traces.ts'

export type Mark = 'flag' | 'unflag' | 'fail' | 'ok' | 'reason'

interface MarkedTrace extends Pick<TraceRow, 'id' | 'status' | 'state' | 'growing'> {
  /** Lists omit it. No mark that a list offers changes it. */
  readonly flag_reason?: string | null
}

const NOT_RECALLED = 'Undo does not recall messages of webhooks.'
const NOTIFIED_AGAIN = 'Undo notifies webhooks again.'

const MARKS: Readonly<Record<Mark, Pick<Change, 'what' | 'note'> & { readonly patch: TracePatch }>> = {
  flag: { patch: { flagged: true }, what: 'flagged', note: NOT_RECALLED },
  unflag: { patch: { flagged: false }, what: 'no longer flagged', note: NOTIFIED_AGAIN },
  fail: { patch: { status: 'error' }, what: 'marked failed', note: NOT_RECALLED },
  ok: { patch: { status: 'ok' }, what: 'marked ok', note: NOTIFIED_AGAIN },
  reason: { patch: { flagged: true }, what: 'changed' },
}

/**
 * Marks each trace; an empty reason removes that of its flag. Undo puts back the status, flag and reason in `traces`;
 * one that is not there is read first.
 */
export function markOf(mark: Mark, ids: readonly string[], traces: readonly MarkedTrace[], reason?: string): Change {
  const { patch, ...words } = MARKS[mark]
  const before = new Map(traces.map((trace) => [trace.id, trace]))
  const hasStatus = patch.status !== undefined
  return {
    ids,
    ...words,
    change: async (id) => {
      const was: MarkedTrace = before.get(id) ?? (await readTraceRow(id))
      before.set(id, was)
      show(await patchTrace(id, { ...patch, ...(reason !== undefined && { reason }) }), reason ?? was.flag_reason)
    },
    undo: async (id) => {
      const { status, state, flag_reason: old } = before.get(id) as MarkedTrace
      const flagged = state === 'flagged'
      const put = { flagged, ...(hasStatus && { status }), ...(old !== undefined && { reason: old ?? '' }) }
      const row = await patchTrace(id, put)
      // To become failed flags a trace.
      show(row.state === state ? row : await patchTrace(id, { flagged }), old)
    },
    lost: hasStatus && traces.some(({ growing }) => growing) ? 'Later steps no longer change the status.' : undefined,
  }
}

function show(row: TraceRow, reason: string | null | undefined): void {
  shownTraces.get(row.id)?.setRow(row, row.state === 'flagged' && reason !== '' ? reason : null)
}
