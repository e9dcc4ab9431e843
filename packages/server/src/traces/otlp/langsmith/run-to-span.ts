import { type Fields, isFields, isList, parseJson } from '@spoor/payloads/json'
import type { SpanEvent, Span, SpanOrigin, Value } from '../wire/span.ts'
import { withinDepth } from '../wire/span.ts'
import { emptySpan, type SpanIds, timeOf } from '../mention.ts'
import { callOf } from './run-call.ts'
import { asFields, type Run } from './run.ts'
import { errorOf } from '../map/error-text.ts'

const NS_PER_MS = 1_000_000n

export function toOrigin(run: Run): SpanOrigin {
  const { sdk_version: version } = asFields(asFields(run['extra'])['runtime'])
  const scope = { name: 'langsmith', version: typeof version === 'string' ? version : '', attributes: new Map() }
  return { resource: new Map(), scope }
}

/** Fields of `extra` that say nothing of the run: the machine it ran on, and settings that the model's call repeats. */
const NOT_OF_RUN: ReadonlySet<string> = new Set(['metadata', 'runtime', 'options', 'batch_size', 'invocation_params'])

/** Fields of a run that have a place, or that say nothing beside the others. */
const KNOWN: ReadonlySet<string> = new Set(
  'id trace_id dotted_order parent_run_id name run_type inputs outputs tags error session_name session_id start_time'
    .concat(' end_time extra events serialized child_runs attachments execution_order child_execution_order')
    .split(' '),
)
/** Metadata that counts on runs below the root too. What else they have, the model's settings among it, is theirs. */
const OF_ANY_RUN = /^(session_id|thread_id|conversation_id|user_id|usage_metadata|tool_call_id|ls_.+)$/

/** The span that a run is so far. Throws BadSpan. */
export function toSpan(ids: SpanIds, run: Run, isUpdate: boolean): Span {
  const { name, run_type: kind, inputs, outputs, tags, error, session_name: project } = run
  const [startMs, endMs] = [timeOf(run['start_time']), timeOf(run['end_time'])]
  const extra = asFields(run['extra'])
  const attributes = new Map<string, Value>()
  const set = (key: string, value: unknown) => {
    if (value !== undefined && value !== null) attributes.set(key, withinDepth(value as Value))
  }
  set('langsmith.span.kind', kind)
  set('gen_ai.prompt', unwrapped(inputs, 'input'))
  set('gen_ai.completion', unwrapped(outputs, 'output', 'outputs'))
  const isRoot = ids.parentSpanId === null
  const metadata = asFields(extra['metadata'])
  for (const key of Object.keys(metadata)) {
    set(`langsmith.${isRoot || OF_ANY_RUN.test(key) ? 'metadata' : 'run_metadata'}.${key}`, metadata[key])
  }
  // Frameworks tag the runs below: with their place in a graph, for example.
  if (isList(tags) && tags.length > 0) set(isRoot ? 'langsmith.span.tags' : 'langsmith.run_tags', tags)
  // A root is found by its project, as traces of OpenTelemetry are by their service.
  if (isRoot) set('service.name', project)
  const call = callOf(run)
  for (const key of Object.keys(call)) set(key, call[key])
  for (const key of Object.keys(extra)) if (!NOT_OF_RUN.has(key)) set(`langsmith.extra.${key}`, extra[key])
  for (const key of Object.keys(run)) if (!KNOWN.has(key)) set(`langsmith.run.${key}`, run[key])
  set('langsmith.first_token_time', firstTokenTime(run['events']))
  const failure = typeof error === 'string' && error !== '' ? errorOf(error) : null
  return {
    ...emptySpan(ids),
    ...(endMs === null ? { isPending: true as const } : {}),
    name: typeof name === 'string' ? name : '',
    startNs: BigInt(startMs ?? 0) * NS_PER_MS,
    endNs: BigInt(endMs ?? 0) * NS_PER_MS,
    attributes,
    events: failure === null ? [] : [exception(failure, endMs)],
    statusCode: failure !== null ? 2 : endMs === null ? 0 : 1,
    part: {
      at: isUpdate ? 1 : 0,
      lacks: [...(name === undefined ? ['name' as const] : []), ...(kind === undefined ? ['type' as const] : [])],
    },
  }
}

/** SDKs put a value that is no object, and the message of a tool, into an object of one member. */
function unwrapped(value: unknown, ...names: readonly string[]): unknown {
  const [name, ...others] = isFields(value) ? Object.keys(value) : []
  if (name === undefined || others.length > 0 || !names.includes(name)) return value
  const inner = parseJson((value as Fields)[name])
  // A tool may have an argument of this name.
  return name === 'input' && !isFields(inner) ? value : inner
}

function exception(failure: Readonly<Record<string, string>>, endMs: number | null): SpanEvent {
  const attributes = new Map(Object.entries(failure).map(([key, text]) => [`exception.${key}`, text]))
  return { name: 'exception', timeNs: BigInt(endMs ?? 0) * NS_PER_MS, attributes }
}

/** Of a streamed answer. Its other events say nothing that the run does not. */
function firstTokenTime(events: unknown): unknown {
  const found = isList(events) ? events.find((event) => isFields(event) && event['name'] === 'new_token') : undefined
  return isFields(found) ? found['time'] : undefined
}
