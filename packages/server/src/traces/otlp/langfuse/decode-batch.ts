import type { ProjectId } from '@spoor/contract/ids'
import { isFields, isList } from '@spoor/payloads/json'
import { DomainError } from '../../../lib/domain-error.ts'
import type { SpanEvaluation } from '../../../ports/traces/prepared.ts'
import { mentionOf, mentionOfTrace, NO_ORIGIN, refused, type SpanIds, timeOf } from '../mention.ts'
import { parseBody } from '../wire/decode-json.ts'
import { BadSpan, type Sent, type Span, type SpanOrigin } from '../wire/span.ts'
import { mergeBodies, observationSpan, traceSpan } from './object-to-span.ts'
import { type Body, idsOfNamed, idsOfObservation, idsOfTrace, isItself } from './ids.ts'
import { scoreOf } from './score.ts'

/** All that a request says of one trace or observation. */
interface SentObject {
  readonly ids: SpanIds
  /** None if only scores name it. */
  readonly bodies: { readonly at: number; readonly body: Body }[]
  readonly scores: SpanEvaluation[]
  /** Ids of the events. */
  readonly names: string[]
}

const ORIGIN: SpanOrigin = { ...NO_ORIGIN, scope: { ...NO_ORIGIN.scope, name: 'langfuse' } }
const OBSERVATION = /^([a-z]+)-(?:create|update)$/

/**
 * The objects of a batch of Langfuse's ingestion API, each once. An event says which object it creates or updates, and
 * when; events come in any order. Throws DomainError when the request itself cannot be decoded.
 */
export function decodeLangfuse(bytes: Uint8Array, projectId: ProjectId): Sent<Span | null>[] {
  const request = parseBody(bytes)
  const batch = isFields(request) ? request['batch'] : undefined
  if (!isList(batch)) throw new DomainError('bad_request', '`batch` must be a list of events.')
  const objects = new Map<string, SentObject>()
  const bad: Sent<Span | null>[] = []
  const told: string[] = []
  const objectOf = (ids: SpanIds): SentObject => {
    const key = `${ids.traceId} ${ids.spanId}`
    const known = objects.get(key) ?? { ids, bodies: [], scores: [], names: [] }
    objects.set(key, known)
    return known
  }
  const take = (event: unknown, name: string): void => {
    if (!isFields(event) || !isFields(event['body'])) throw new BadSpan('an event needs a `type` and a `body`')
    const { type, body } = event
    const kind = typeof type === 'string' ? (OBSERVATION.exec(type)?.[1] ?? type) : ''
    const at = timeOf(event['timestamp']) ?? 0
    if (type === 'sdk-log') return void told.push(name)
    // The route of media names an object that has not come yet.
    if (kind === 'media') return void objectOf(idsOfNamed(body as Body)).names.push(name)
    if (kind === 'score') {
      const { ids, score } = scoreOf(body as Body, { name, at })
      const scored = objectOf(ids)
      scored.scores.push(score)
      scored.names.push(name)
      return
    }
    if (kind === '' || kind === type) throw new BadSpan(`there is no event of the type ${JSON.stringify(type)}`)
    const ids = kind === 'trace' ? idsOfTrace((body as Body)['id']) : idsOfObservation(body as Body)
    const sent = objectOf(ids)
    const own = kind === 'trace' ? { ...(body as Body), endTime: event['timestamp'] } : { kind, ...(body as Body) }
    sent.bodies.push({ at, body: own })
    sent.names.push(name)
  }
  for (const [position, event] of batch.entries()) {
    const id: unknown = isFields(event) ? event['id'] : undefined
    const name = typeof id === 'string' ? id : String(position)
    try {
      take(event, name)
    } catch (error) {
      if (!(error instanceof BadSpan)) throw error
      bad.push(refused(error, [name]))
    }
  }
  const spans = [...objects.values()].map(({ ids, bodies, scores, names }): Sent<Span | null> => {
    const isTrace = ids.parentSpanId === null
    const sorted = bodies.toSorted((a, b) => a.at - b.at)
    const at = sorted.at(-1)?.at ?? -1
    const body = sorted.length === 0 ? null : mergeBodies(sorted.map((one) => one.body))
    const decode = () => ({
      ...(body === null
        ? (isItself(ids) ? mentionOfTrace : mentionOf)(ids)
        : isTrace
          ? traceSpan(projectId, ids, body, at)
          : observationSpan(projectId, ids, body, at)),
      evaluations: scores,
    })
    return { origin: ORIGIN, names, decode }
  })
  return [...bad, ...spans, ...(told.length === 0 ? [] : [{ origin: NO_ORIGIN, names: told, decode: () => null }])]
}
