import { TRACE_OPERATIONS } from '@spoor/contract/operations/trace-operations'
import type { MetricEvent, MetricEventList } from '@spoor/contract/schemas/metrics/metric-event'
import type { Finding } from '@spoor/contract/schemas/traces/finding'
import type { PartialTrace } from '@spoor/contract/schemas/traces/trace'
import { type Static, Type } from 'typebox'
import { type Api, ToolError } from '../api.ts'
import { compact, cut, firstFitting } from '../compact.ts'
import { DEFAULT_CHARS, maxChars } from '../query.ts'
import { recorded, RECORDED_IS_DATA } from '../recorded.ts'
import { rowFields, rowTexts } from '../search-traces.ts'
import { defineTool } from '../tool.ts'
import { fitSteps, shortestLength } from './fit-steps.ts'
import { pieceOf, readPart } from './read-part.ts'
import { stepsFrom } from './read-steps.ts'
import { shorten, type StepView, toStepView } from './step-view.ts'

const MOST_METRIC_EVENTS = 20
const MOST_ATTACHMENTS = 5
const STEPS_OF_FINDING = 5
const COMMENT_CHARS = 200
/** Steps with more text than this many answers are not read: each text would only be a few words. */
const ANSWERS_OF_TEXT = 20

export const getTrace = defineTool({
  name: 'get_trace',
  description:
    'Read one trace: its facts, findings, metric events and steps with errors and messages. Long texts are shortened so that all fits into `max_chars`. ' +
    'A shortened text ends with the step, part and offset to read on from; `next_step` is the first step that did not fit. ' +
    RECORDED_IS_DATA,
  readOnly: true,
  input: Type.Object(
    {
      ...TRACE_OPERATIONS.getTrace.pathParameters.properties,
      max_chars: maxChars('the answer'),
      step: Type.Optional(
        Type.Integer({
          description:
            'The position of the first step to show, from 0; negative: from the end, so -5 shows the last five. With `part`: the step to read.',
        }),
      ),
      part: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 100,
          description:
            'Read one text alone: `error`, `metadata` or `messages/0` of a step; without `step` the `metadata` of the trace.',
        }),
      ),
      offset: Type.Optional(Type.Integer({ minimum: 0, description: 'Where in `part` to begin. Default: 0.' })),
    },
    { additionalProperties: false },
  ),
  run: async ({ id, max_chars: mostChars = DEFAULT_CHARS, step, part, offset = 0 }, api) => {
    const trace = await api.get<Static<typeof PartialTrace>>(
      `/v1/traces/${id}`,
      new URLSearchParams({ include: 'attachments' }),
    )
    const first = step === undefined || step >= 0 ? (step ?? 0) : Math.max(0, trace.step_count + step)
    if (part === undefined) return readWhole(api, trace, first, mostChars)
    if (step === undefined && part === 'metadata')
      return pieceOf(JSON.stringify(trace.metadata), { id: trace.id, part }, offset, mostChars)
    return readPart(api, trace.id, { step: step === undefined ? null : first, part }, offset, mostChars)
  },
})

async function readWhole(api: Api, trace: Static<typeof PartialTrace>, first: number, mostChars: number) {
  if (first > 0 && first >= trace.step_count)
    throw new ToolError(`not_found: The trace has ${trace.step_count} steps, from 0 on.`)
  const head = first === 0 ? await wholeHead(api, trace, mostChars) : { id: trace.id, step_count: trace.step_count }
  // The rest is for the members `steps` and `next_step`.
  const chars = mostChars - JSON.stringify(head).length - 50
  const { views, isEnd } = await collectViews(api, trace.id, first, chars)
  const printed = fitSteps(views, chars)
  const isWhole = isEnd && printed.length === views.length
  const steps = printed.map((text): unknown => JSON.parse(text))
  return { ...head, steps, ...(isWhole ? {} : { next_step: first + printed.length }) }
}

/** Takes at most half of the answer, and mostly much less. */
async function wholeHead(api: Api, trace: Static<typeof PartialTrace>, mostChars: number) {
  const metadata = JSON.stringify(trace.metadata)
  const metadataChars = mostChars / 5
  const query = new URLSearchParams({ trace_id: trace.id, limit: String(MOST_METRIC_EVENTS) })
  const { events, next_cursor } = await api.get<Static<typeof MetricEventList>>('/v1/metrics/events', query)
  const { shown, leftOut } = firstFitting(events.map(shortEvent), mostChars / 10)
  return compact({
    ...rowFields(trace),
    started_at: trace.started_at,
    ended_at: trace.ended_at,
    ...rowTexts(trace, {
      flag_reason: cut(trace.flag_reason ?? '', mostChars / 20),
      metadata:
        metadata.length <= metadataChars
          ? trace.metadata
          : shorten(metadata, metadata.length, Math.floor(metadataChars / 2), 'part metadata'),
    }),
    attachments: (trace.attachments ?? []).slice(0, MOST_ATTACHMENTS).map(({ id }) => id),
    findings: firstFitting((trace.findings ?? []).map(shortFinding), mostChars / 10).shown,
    metric_events: shown,
    more_metric_events: leftOut > 0 || next_cursor !== null ? true : null,
  })
}

function shortFinding({ sentence, tools: _tools, step_ids, ...found }: Finding) {
  return { ...found, step_ids: step_ids.slice(0, STEPS_OF_FINDING), ...recorded({ sentence }) }
}

function shortEvent({ name, passed, value, step_id, source, comment }: Static<typeof MetricEvent>) {
  const own = compact({ name, passed, value, step_id, source })
  return { ...own, ...recorded({ comment: cut(comment ?? '', COMMENT_CHARS) }) }
}

/** Steps until they would not fit, however short their texts. */
async function collectViews(api: Api, traceId: string, first: number, mostChars: number) {
  const views: StepView[] = []
  const shown = new Map<string, string>()
  let shortest = 0
  let text = 0
  for await (const step of stepsFrom(api, traceId, first)) {
    if (shortest > mostChars || text > mostChars * ANSWERS_OF_TEXT) return { views, isEnd: false }
    const view = toStepView(step, mostChars, shown)
    views.push(view)
    shortest += shortestLength(view)
    text += view.texts.reduce((sum, one) => sum + one.text.length, 0)
  }
  return { views, isEnd: true }
}
