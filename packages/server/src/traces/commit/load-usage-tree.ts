import type { ContextLimit } from '../../ports/prices/bill.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { TraceReads } from '../../ports/traces/trace-store.ts'
import { UsageTree } from '../rules/usage-tree.ts'

/** Steps that are read and added in one turn of the event loop. */
const STEPS_TOGETHER = 2000

/** Of the stored steps of this version of a trace. */
export async function loadUsageTree(
  store: Pick<TraceReads, 'findStepHeads'>,
  { projectId, id: traceId, stepCount, version, spans }: TraceRecord,
  contextLimit: ContextLimit,
): Promise<UsageTree> {
  const tree = new UsageTree(contextLimit, version)
  for (const span of spans?.traceSpans ?? []) tree.set(span.id, span.parentId, null, null)
  for (let fromPosition = 0; fromPosition < stepCount; fromPosition += STEPS_TOGETHER) {
    const range = { projectId, traceId, fromPosition, maxVersion: version }
    tree.addHeads(await store.findStepHeads({ ...range, limit: Math.min(STEPS_TOGETHER, stepCount - fromPosition) }))
    await new Promise((resolve) => setImmediate(resolve))
  }
  return tree
}
