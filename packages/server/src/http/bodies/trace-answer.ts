import type { Readable } from 'node:stream'
import type { ProjectId } from '@spoor/contract/ids'
import { TRACE_PARTS } from '@spoor/contract/schemas/traces/trace-query'
import { TraceCost } from '../../pricing/trace-cost.ts'
import type { InTurns } from '../../lib/work/work-turns.ts'
import type { StepRecord } from '../../ports/traces/step-record.ts'
import type { TraceRecord } from '../../ports/traces/trace-record.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { streamJson, textPages } from './json-stream.ts'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { pagesWithAttachments } from './step-attachments.ts'
import { type StepWithAttachments, toStep, withoutMessages } from '../../wire/step-to-wire.ts'
import { toAttachment, traceCostMembers, traceDetailMembers, traceMembers } from '../../wire/to-wire.ts'

type TracePart = (typeof TRACE_PARTS)[number]

interface FoundTrace {
  readonly trace: TraceRecord
  readonly steps: AsyncIterable<readonly StepRecord[]>
}

/** The parts that `include` names; all parts without it. */
export function traceParts(include: string | undefined): ReadonlySet<TracePart> {
  const named = include?.split(',')
  const parts = new Set(TRACE_PARTS.filter((part) => named?.includes(part) ?? true))
  return parts.has('messages') ? parts.add('steps') : parts
}

/** The answer for one trace: only the row as text; with steps or metric events a stream that reads them on demand. */
export function traceAnswer({
  media,
  metrics,
  prices,
  work,
}: Pick<HttpDependencies, 'media' | 'metrics' | 'prices' | 'work'>): (
  projectId: ProjectId,
  found: FoundTrace,
  parts: ReadonlySet<TracePart>,
) => Promise<string | Readable> {
  return async (projectId, { trace, steps }, parts) => {
    const count = (await media.countByTrace([trace.id])).get(trace.id) ?? 0
    const row = `{${traceMembers(trace, count)}`
    if (parts.size === 0) return `${row}}`
    const cost = new TraceCost(await prices.pricer(projectId))
    const toText = (found: StepWithAttachments) => {
      const step = parts.has('messages') ? found.step : { ...found.step, body: withoutMessages(found.step.body) }
      return toStep({ ...found, step }, cost.add(found.step))
    }
    const inTurns: InTurns = (step) => work.steps(projectId, step)
    const lists = [
      { part: 'steps' as const, pages: () => textPages(pagesWithAttachments(media, trace.id, steps), toText, inTurns) },
      {
        part: 'metric_events' as const,
        pages: () => textPages(metrics.eventsOf(projectId, trace.id), toMetricEvent, inTurns),
      },
    ].filter(({ part }) => parts.has(part))
    const end = () => (parts.has('steps') ? `,${traceCostMembers(cost)}}` : '}')
    const opening = (at: number) => (lists[at] === undefined ? end() : `,"${lists[at].part}":[`)
    const head = `${row},${traceDetailMembers(trace)}${parts.has('attachments') ? await attachmentsOf(trace) : ''}`
    if (lists.length === 0) return head + end()
    const sections = lists.map(({ pages }, at) => ({ pages: pages(), after: () => `]${opening(at + 1)}` }))
    return streamJson(head + opening(0), sections)
  }

  async function attachmentsOf({ id }: TraceRecord): Promise<string> {
    const attachments = (await media.attachmentsOf(id, [null])).get(null) ?? []
    return `,"attachments":${JSON.stringify(attachments.map(toAttachment))}`
  }
}
