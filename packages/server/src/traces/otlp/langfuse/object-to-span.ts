import type { ProjectId } from '@spoor/contract/ids'
import { type Fields, isFields, isList } from '@spoor/payloads/json'
import { emptySpan, lastSaid, type SpanIds, timeOf } from '../mention.ts'
import { type Span, type SpanPart, type Value, withinDepth } from '../wire/span.ts'
import type { Body } from './ids.ts'
import { withMedia } from './media-reference.ts'

const NS_PER_MS = 1_000_000n

/** What events say of one object, in their order: the later wins field by field, and of times the outermost. */
export function mergeBodies(bodies: readonly Body[]): Body {
  const merged: Record<string, unknown> = { ...lastSaid(bodies) }
  if (bodies.length > 1 && isFields(merged['metadata'])) {
    const metadata = bodies.flatMap((body) => (isFields(body['metadata']) ? Object.entries(body['metadata']) : []))
    merged['metadata'] = Object.fromEntries(metadata)
  }
  const starts = bodies.flatMap(({ timestamp }) => (timestamp === undefined ? [] : [String(timestamp)])).sort()
  if (starts.length > 0) merged['timestamp'] = starts[0]
  return merged
}

/** What a trace or an observation has beside the fields of both. */
interface Own extends Pick<Span, 'statusCode'> {
  readonly start: unknown
  readonly end: unknown
  readonly part: SpanPart
  readonly attributes: Fields
  /** An object, or one value. */
  readonly metadata?: unknown
}

/** Fields that have a place. */
const KNOWN: ReadonlySet<string> = new Set(
  'id traceId parentObservationId kind type name timestamp startTime endTime userId sessionId input output metadata tags'
    .concat(' release version environment model modelParameters usage usageDetails costDetails level statusMessage')
    .concat(' completionStartTime promptName promptVersion')
    .split(' '),
)

/** A trace as the root step. It has no end of its own: its last event is one. */
export function traceSpan(projectId: ProjectId, ids: SpanIds, body: Body, at: number): Span {
  const { name, timestamp, userId, sessionId, input, output, tags, release, version, environment } = body
  return toSpan(projectId, ids, body, {
    start: timestamp ?? body['endTime'],
    end: body['endTime'],
    part: { at, lacks: name === undefined || name === null ? ['name'] : [] },
    statusCode: 0,
    attributes: {
      'langfuse.observation.type': 'chain',
      'langfuse.trace.name': name,
      'langfuse.user.id': userId,
      'langfuse.session.id': sessionId,
      'langfuse.trace.tags': isList(tags) && tags.length > 0 ? tags : undefined,
      'langfuse.trace.metadata': body['metadata'],
      'langfuse.trace.input': input,
      'langfuse.trace.output': output,
      'langfuse.release': release,
      'langfuse.version': version,
      'langfuse.environment': environment === 'default' ? undefined : environment,
    },
  })
}

/** Kinds that are not typed: a span is a unit of work. */
const CHAINS: ReadonlySet<string> = new Set(['span', 'observation'])

export function observationSpan(projectId: ProjectId, ids: SpanIds, body: Body, at: number): Span {
  const { kind, type, name, startTime, metadata, model, level } = body
  const of = String(kind === 'observation' && typeof type === 'string' ? type : kind).toLowerCase()
  const isEvent = of === 'event'
  const lacks: SpanPart['lacks'][number][] = []
  if (name === undefined || name === null) lacks.push('name')
  if (of === 'observation') lacks.push('type')
  if (body['parentObservationId'] === undefined) lacks.push('parent')
  return toSpan(projectId, ids, body, {
    start: startTime,
    end: body['endTime'] ?? (isEvent ? startTime : undefined),
    part: { at, lacks },
    // An end alone does not say that it went well.
    statusCode: typeof level === 'string' ? 1 : 0,
    attributes: {
      'langfuse.observation.type': CHAINS.has(of) ? 'chain' : of,
      'langfuse.observation.input': body['input'],
      // LiteLLM repeats the error there.
      'langfuse.observation.output': body['output'] === body['statusMessage'] ? undefined : body['output'],
      'langfuse.observation.model.name': model,
      'langfuse.observation.model.parameters': body['modelParameters'],
      'langfuse.observation.usage_details': usageOf(body),
      'langfuse.observation.cost_details': costOf(body),
      'langfuse.observation.level': level === 'DEFAULT' ? undefined : level,
      'langfuse.observation.status_message': body['statusMessage'],
      'langfuse.observation.completion_start_time': body['completionStartTime'],
      'langfuse.observation.prompt.name': body['promptName'],
      'langfuse.observation.prompt.version': body['promptVersion'],
      'langfuse.version': body['version'],
    },
    metadata,
  })
}

function toSpan(
  projectId: ProjectId,
  ids: SpanIds,
  body: Body,
  { start, end, part, statusCode, attributes, metadata }: Own,
): Span {
  const { name } = body
  const [startMs, endMs] = [timeOf(start), timeOf(end)]
  const present = new Map<string, Value>()
  const set = (key: string, value: unknown) => {
    if (value !== undefined && value !== null) present.set(key, withMedia(projectId, withinDepth(value as Value)))
  }
  for (const key of Object.keys(attributes)) set(key, attributes[key])
  const ofMetadata = isFields(metadata) ? metadata : { value: metadata }
  for (const key of Object.keys(ofMetadata)) set(`langfuse.observation.metadata.${key}`, ofMetadata[key])
  for (const key of Object.keys(body)) if (!KNOWN.has(key)) set(`langfuse.${key}`, body[key])
  return {
    ...emptySpan(ids),
    ...(endMs === null ? { isPending: true as const } : {}),
    name: typeof name === 'string' ? name : '',
    startNs: BigInt(startMs ?? 0) * NS_PER_MS,
    endNs: BigInt(endMs ?? 0) * NS_PER_MS,
    attributes: present,
    statusCode,
    part,
  }
}

/** Counts by kind; an older form has the names of OpenAI, and may count other things than tokens. */
function usageOf({ usageDetails, usage }: Body): unknown {
  if (isFields(usageDetails)) return usageDetails
  if (!isFields(usage) || (typeof usage['unit'] === 'string' && usage['unit'] !== 'TOKENS')) return undefined
  const found = {
    input: usage['input'] ?? usage['promptTokens'] ?? usage['prompt_tokens'],
    output: usage['output'] ?? usage['completionTokens'] ?? usage['completion_tokens'],
    total: usage['total'] ?? usage['totalTokens'] ?? usage['total_tokens'],
  }
  return Object.fromEntries(Object.entries(found).filter(([, count]) => typeof count === 'number'))
}

function costOf({ costDetails, usage }: Body): unknown {
  if (isFields(costDetails) || !isFields(usage)) return costDetails
  const { inputCost: input, outputCost: output, totalCost: total } = usage
  const given = Object.entries({ input, output, total }).filter(([, cost]) => typeof cost === 'number')
  return given.length === 0 ? undefined : Object.fromEntries(given)
}
