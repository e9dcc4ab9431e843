import { type Fields, isFields } from '@spoor/payloads/json'
import { hexOfUuid, lastSaid, type SpanIds } from '../mention.ts'
import { BadSpan } from '../wire/span.ts'

/** A run as it is sent: any field may be missing, or anything. */
export type Run = Fields

/** `20261126T231152434001Z` and the id of a run, for each run from the root on. */
const ORDER = /Z([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:\.|$)/gi

/** 32 lower-case hex digits. Throws BadSpan. */
export function idOfRun(id: unknown, field: string): string {
  const hex = hexOfUuid(id)
  if (hex !== null) return hex
  throw new BadSpan(`the \`${field}\` of a run must be a UUID`)
}

/** `dotted_order` has the ids of all runs above. A run that names neither a trace nor a parent is a root. */
export function idsOf(spanId: string, run: Run): SpanIds {
  const order = typeof run['dotted_order'] === 'string' ? [...run['dotted_order'].matchAll(ORDER)] : []
  const parent = run['parent_run_id'] ?? order.at(-2)?.[1] ?? null
  const trace = run['trace_id'] ?? order[0]?.[1] ?? (parent === null ? spanId : null)
  if (trace === null) throw new BadSpan('a run with a parent needs its `trace_id` or its `dotted_order`')
  return {
    traceId: idOfRun(trace, 'trace_id'),
    spanId,
    parentSpanId: parent === null ? null : idOfRun(parent, 'parent_run_id'),
  }
}

/** What several requests or parts say of one run: the later says what has changed. In time linear in their number. */
export function mergeRuns(runs: readonly Run[]): Run | null {
  if (runs.length === 0) return null
  const merged = lastSaid(runs)
  const extras = runs.map(({ extra }) => extra).filter(isFields)
  if (extras.length < 2) return merged
  const metadata = joined(extras.map((extra) => asFields(extra['metadata'])))
  return { ...merged, extra: { ...joined(extras), metadata } }
}

function joined(all: readonly Fields[]): Fields {
  return Object.fromEntries(all.flatMap((one) => Object.entries(one)))
}

export function asFields(value: unknown): Fields {
  return isFields(value) ? value : {}
}
