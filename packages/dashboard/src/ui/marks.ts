import type { TracePatch } from '@spoor/contract/schemas/traces/trace-patch'
import type { TraceRow } from '@spoor/contract/schemas/traces/trace-row'
import { type MarkedTrace, patchTrace, readMarkedTrace } from '../api/trace.ts'
import { shownTraces } from '../lib/shown-traces.ts'
import type { Change } from './use-change-traces.ts'

export type Mark = 'flag' | 'unflag' | 'fail' | 'ok' | 'reason'

const NOT_RETRACTED = 'Undo does not retract webhooks.'
const NOTIFIED_AGAIN = 'Undo notifies webhooks again.'

const MARKS: Readonly<Record<Mark, Pick<Change, 'what' | 'note'> & { readonly patch: TracePatch }>> = {
  flag: { patch: { flagged: true }, what: 'flagged', note: NOT_RETRACTED },
  unflag: { patch: { flagged: false }, what: 'no longer flagged', note: NOTIFIED_AGAIN },
  fail: { patch: { status: 'error' }, what: 'marked failed', note: NOT_RETRACTED },
  ok: { patch: { status: 'ok' }, what: 'marked ok', note: NOTIFIED_AGAIN },
  reason: { patch: { flagged: true }, what: 'changed' },
}

/**
 * Marks each trace; an empty reason removes that of its flag. Undo puts back what the mark has changed, as each trace
 * was just before it. `growing`: whether one of them is.
 */
export function markOf(mark: Mark, ids: readonly string[], growing: boolean, reason?: string): Change {
  const { patch, ...words } = MARKS[mark]
  const undone = new Map<string, () => Promise<void>>()
  const hasStatus = patch.status !== undefined
  return {
    ids,
    ...words,
    change: async (id) => {
      const was = await readMarkedTrace(id)
      const row = await patchTrace(id, { ...patch, ...(reason !== undefined && { reason }) })
      show(row, reason ?? was.flag_reason)
      undone.set(id, () => putBack(was, row.state !== was.state, hasStatus, mark === 'unflag' || reason !== undefined))
    },
    undo: (id) => (undone.get(id) as () => Promise<void>)(),
    lost: hasStatus && growing ? 'Later steps no longer change the status.' : undefined,
  }
}

async function putBack(was: MarkedTrace, ofFlag: boolean, ofStatus: boolean, ofReason: boolean): Promise<void> {
  const wasFlagged = was.state === 'flagged'
  const put = {
    ...(ofStatus && { status: was.status }),
    ...(ofFlag && { flagged: wasFlagged }),
    ...(ofReason && wasFlagged && { flagged: true, reason: was.flag_reason ?? '' }),
  }
  if (Object.keys(put).length === 0) return
  const row = await patchTrace(was.id, put)
  const isFlagged = row.state === 'flagged'
  // To become failed again flags a trace.
  const flagged = ofStatus && row.status === 'error' ? wasFlagged : isFlagged
  show(flagged === isFlagged ? row : await patchTrace(was.id, { flagged }), was.flag_reason)
}

function show(row: TraceRow, reason: string | null | undefined): void {
  shownTraces.get(row.id)?.setRow(row, row.state === 'flagged' && reason !== '' ? reason : null)
}
