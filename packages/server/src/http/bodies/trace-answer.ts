import type { Readable } from 'node:stream'
import type { ProjectId } from '@spoor/contract/ids'
import { TRACE_PARTS } from '@spoor/contract/schemas/traces/trace-query'
import { costOfStep, costOfUsage, unpricedModels } from '../../pricing/trace-cost.ts'
import type { InTurns } from '../../lib/flow/work-turns.ts'
import type { FoundTrace } from '../../traces/use-cases.ts'
import type { ModelUsage, TraceRecord } from '../../ports/traces/trace-record.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { streamJson, textPages } from './json-stream.ts'
import { findingsOf } from '../../traces/rules/run-calls.ts'
import { toFinding } from '../../wire/finding-to-wire.ts'
import { toMetricEvent } from '../../wire/metric-to-wire.ts'
import { pagesWithAttachments, withAttachments } from './step-attachments.ts'
import { type StepWithAttachments, toStep, withoutMessages } from '../../wire/step-to-wire.ts'
import { toAttachment, toTraceRow, toWireCost, traceDetailMembers, traceMembers } from '../../wire/to-wire.ts'

type TracePart = (typeof TRACE_PARTS)[number]

interface TraceList {
  readonly part: 'steps' | 'metric_events'
  readonly pages: () => AsyncIterable<readonly string[]>
}

async function* noPages(): AsyncGenerator<readonly string[]> {
  // No page, for a list that is empty.
}

/** The parts that `include` names; all parts without it. */
export function traceParts(include: string | undefined): ReadonlySet<TracePart> {
  const named = include?.split(',')
  const parts = new Set(TRACE_PARTS.filter((part) => named?.includes(part) ?? true))
  return parts.has('messages') ? parts.add('steps') : parts
}

/**
 * The answer for one trace: text when one read has all of it, otherwise a stream that reads steps and metric events on
 * demand.
 */
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
  return async (projectId, { trace, named, allSteps, steps, countedOn }, parts) => {
    const attached = (await media.countByTrace([trace.id])).get(trace.id) ?? 0
    const price = await prices.pricer(projectId)
    const rowCost = costOfUsage(price, trace.digest.usage)
    if (parts.size === 0) return toTraceRow(trace, attached, rowCost)
    const toText = (found: StepWithAttachments) => {
      const step = parts.has('messages') ? found.step : { ...found.step, body: withoutMessages(found.step.body) }
      return toStep({ ...found, step }, costOfStep(price, prices.contextLimit, found.step), countedOn.get(step.id))
    }
    const own = parts.has('attachments') ? await attachmentsOf(trace, attached) : ''
    const costOf = (usage: readonly ModelUsage[]) => costOfUsage(price, usage)
    const findings = JSON.stringify(findingsOf(trace.digest.calls).map((one) => toFinding(one, named, costOf)))
    let head = `{${traceMembers(trace, attached)},${traceDetailMembers(trace)},"findings":${findings}${own}`
    const lists: TraceList[] = []
    if (parts.has('steps')) {
      if (allSteps === null) {
        const pages = () => textPages(pagesWithAttachments(media, trace.id, steps), toText, inTurns(projectId))
        lists.push({ part: 'steps', pages })
      } else {
        const found =
          attached === 0
            ? allSteps.map((step) => ({ step, attachments: [] }))
            : await withAttachments(media, trace.id, allSteps)
        head += `,"steps":[${found.map(toText).join(',')}]`
      }
    }
    if (parts.has('metric_events')) {
      if (await metrics.hasAny(projectId)) {
        const pages = () => textPages(metrics.eventsOf(projectId, trace.id), toMetricEvent, inTurns(projectId))
        lists.push({ part: 'metric_events', pages })
      } else if (lists.length === 0) head += ',"metric_events":[]'
      else lists.push({ part: 'metric_events', pages: noPages })
    }
    const unpriced = parts.has('steps') ? unpricedModels(price, trace.digest.usage) : null
    const ofSteps = unpriced === null ? '' : `,"unpriced_models":${JSON.stringify(unpriced)}`
    const end = () => `,"cost_usd":${toWireCost(rowCost)}${ofSteps}}`
    const opening = (at: number) => (lists[at] === undefined ? end() : `,"${lists[at].part}":[`)
    if (lists.length === 0) return head + end()
    const sections = lists.map(({ pages }, at) => ({ pages: pages(), after: () => `]${opening(at + 1)}` }))
    return streamJson(head + opening(0), sections)
  }

  function inTurns(projectId: ProjectId): InTurns {
    return (step) => work.steps(projectId, step)
  }

  async function attachmentsOf({ id }: TraceRecord, attached: number): Promise<string> {
    const attachments = attached === 0 ? [] : ((await media.attachmentsOf(id, [null])).get(null) ?? [])
    return `,"attachments":${JSON.stringify(attachments.map(toAttachment))}`
  }
}
