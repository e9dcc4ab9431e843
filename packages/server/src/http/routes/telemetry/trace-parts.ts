import { isId, type MetricEventId, type ProjectId, type TraceId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import { OPERATIONS } from '@spoor/contract/operations'
import { TracePart } from '@spoor/contract/schemas/traces/trace-part'
import type { FastifyInstance } from 'fastify'
import { Type } from 'typebox'
import { DomainError } from '../../../lib/domain-error.ts'
import { JsonScanner } from '../../../lib/json/json-scan.ts'
import { outlineObject } from '../../../lib/json/object-outline.ts'
import { parseScannedJson } from '../../../lib/json/parse-json.ts'
import { checkRepeatedFieldsWithin } from '../../../lib/validation/repeated-fields.ts'
import { FieldErrors } from '../../../lib/validation/field-errors.ts'
import { invalid, invalidFields, MOST_ERRORS } from '../../../lib/validation/validation-failed.ts'
import { compileCollector } from '../../../lib/validation/validator.ts'
import { type PartPlace, toTracePart } from '../../../wire/part-to-wire.ts'
import { requireMediaType } from '../../bodies/media-types.ts'
import { intakeRules } from '../../bodies/read-rules.ts'
import { withBody } from '../../bodies/request-body.ts'
import { withAttachments } from '../../bodies/step-attachments.ts'
import { sendHeldJson } from '../../connections/held-answer.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { serve } from '../../kernel/route.ts'

const PART_STEPS = 1000
/** Behind the last step: the steps and metric events so far, and the last of these. */
const EVENTS_CURSOR = /^(\d{1,15})\.(\d{1,15})\.(mev_[0-9a-z]{26})$/

/** Traces whose parts are being compared at the same time. */
const MOST_REACHED = 1000

/** The parts of a trace as it was sent, for exports and imports that keep the ids. */
export function registerTracePartRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, metrics, media, limits, answers } = dependencies
  const rules = intakeRules(dependencies)
  /** Of traces that are there: the part after the last one that was the same, so that a walk goes on there. */
  const reached = new Map<string, { readonly place: PartPlace; readonly cursor: string }>()

  serve(app, OPERATIONS.getTraceParts, async ({ projectId, params, query, reply }) =>
    sendHeldJson(reply, answers, async () => {
      const { part, nextCursor } = await read(projectId, params.id, query.cursor ?? null)
      return `{"parts":[${part}],"next_cursor":${JSON.stringify(nextCursor)}}`
    }),
  )

  serve(app, OPERATIONS.importTrace, async ({ projectId, principal, params, request, reply }) => {
    requireMediaType(request.headers, 'application/json')
    return withBody(request, limits.traceBodyBytes, rules, async (body) => {
      const { fields, trace, events } = readPart(body, limits)
      const { id, from, events_from: eventsFrom = 0, flagged, flag_reason: flagReason } = fields
      const { media_project: mediaProject = null } = fields
      if (id !== params.id) throw invalid({ pointer: '/id', code: 'invalid_value', detail: 'The path has another id.' })
      const sent = trimmed(body)
      const outcome = await traces.importPart({
        projectId,
        id: params.id,
        from,
        eventsFrom,
        sent,
        trace,
        mediaProject: isId('proj', mediaProject) ? mediaProject : null,
        flagged,
        flagReason,
        scores: async () => (events === null ? [] : metrics.check(projectId, events)),
        createdBy: principal.keyId,
      })
      if (outcome === 'exists' && !(await isStored(projectId, params.id, { from, eventsFrom }, sent))) {
        throw new DomainError('trace_id_taken', `The project has a trace ${id} with other content.`)
      }
      if (outcome !== 'committed') reply.header('idempotency-replayed', 'true')
      return reply.code(202).send({ id })
    })
  })

  async function read(projectId: ProjectId, traceId: TraceId, cursor: string | null) {
    const { trace } = await traces.read(projectId, traceId, false)
    const [, stepsBefore, eventsBefore, lastEvent = null] = EVENTS_CURSOR.exec(cursor ?? '') ?? []
    const page =
      lastEvent === null
        ? await traces.listSteps({ projectId, traceId, limit: PART_STEPS, cursor })
        : { steps: [], nextCursor: null }
    const steps = await withAttachments(media, traceId, page.steps)
    const place = { from: Number(stepsBefore ?? page.steps[0]?.position ?? 0), eventsFrom: Number(eventsBefore ?? 0) }
    const stepsAfter = place.from + steps.length
    if (page.nextCursor !== null) {
      const after = { from: stepsAfter, eventsFrom: 0 }
      return { part: toTracePart(trace, place, steps, []), place, after, nextCursor: page.nextCursor }
    }
    // Not `metrics.eventsOf`, which waits for room: whoever holds room and waits for more may wait for ever.
    const { events, more } = await metrics.listArrived(projectId, traceId, lastEvent as MetricEventId | null)
    const after = { from: stepsAfter, eventsFrom: place.eventsFrom + events.length }
    const nextCursor = more ? [after.from, after.eventsFrom, events.at(-1)?.event.id].join('.') : null
    return { part: toTracePart(trace, place, steps, events), place, after, nextCursor }
  }

  /** Whether the part that begins there is the same as the one that was sent. */
  async function isStored(projectId: ProjectId, traceId: TraceId, sought: PartPlace, sent: Buffer): Promise<boolean> {
    const key = `${projectId} ${traceId}`
    const next = reached.get(key)
    const isBehind = next !== undefined && next.place.from <= sought.from && next.place.eventsFrom <= sought.eventsFrom
    for (let cursor = isBehind ? next.cursor : null; ;) {
      const { part, place, after, nextCursor } = await read(projectId, traceId, cursor)
      const [steps, events] = [place.from - sought.from, place.eventsFrom - sought.eventsFrom]
      const isFound = steps === 0 && events === 0
      if (isFound || steps > 0 || events > 0 || nextCursor === null) {
        const isSame = isFound && Buffer.from(part).equals(sent)
        reached.delete(key)
        if (isSame && nextCursor !== null) reached.set(key, { place: after, cursor: nextCursor })
        if (reached.size > MOST_REACHED) reached.delete(reached.keys().next().value!)
        return isSame
      }
      cursor = nextCursor
    }
  }
}

/** The trace and its events are read from their own bytes, by the parsers of those. */
const Frame = Type.Object(
  { ...TracePart.properties, trace: Type.Object({}), metric_events: Type.Optional(Type.Array(Type.Unknown())) },
  { additionalProperties: false },
)
const collectFrameErrors = compileCollector(Frame)

interface ReadPart {
  readonly fields: Omit<TracePart, 'trace' | 'metric_events'>
  readonly trace: Buffer
  readonly events: Buffer | null
}

/** Throws DomainError `malformed_json`, `invalid_encoding` and `validation_failed`. */
function readPart(body: Buffer, limits: Limits): ReadPart {
  // The parsers of the trace and of the events check how deep these nest.
  const scanner = new JsonScanner(body, limits.jsonDepth + 2)
  const members = new Map(
    (outlineObject(scanner)?.members ?? []).map((one) => [body.toString('utf8', one.keyStart, one.keyEnd), one]),
  )
  if (scanner.failure !== null) parseScannedJson(scanner)
  const bytesOf = (name: string, opening: string) => {
    const member = members.get(JSON.stringify(name))
    const isSuch = member !== undefined && body.toString('latin1', member.start, member.start + 1) === opening
    return isSuch ? member : null
  }
  const large = [bytesOf('trace', '{'), bytesOf('metric_events', '[')] as const
  const frame: Buffer[] = []
  let at = 0
  for (const member of large.filter((one) => one !== null).sort((a, b) => a.start - b.start)) {
    frame.push(body.subarray(at, member.start + 1), body.subarray(member.end - 1, member.end))
    at = member.end
  }
  const small = Buffer.concat([...frame, body.subarray(at)])
  const read = new JsonScanner(small, limits.jsonDepth)
  read.skipValue()
  const fields = parseScannedJson(read)
  const errors = new FieldErrors(MOST_ERRORS)
  collectFrameErrors(fields, errors)
  checkRepeatedFieldsWithin(new JsonScanner(small, Infinity), null, errors)
  if (!errors.isEmpty) throw invalidFields(errors)
  const [trace, events] = large.map((member) =>
    // A copy: the parser of a large body takes the bytes away.
    member === null ? null : Buffer.from(body.subarray(member.start, member.end)),
  )
  return { fields: fields as ReadPart['fields'], trace: trace!, events: events ?? null }
}

const BLANKS = ' \t\r\n'

function trimmed(body: Buffer): Buffer {
  let [start, end] = [0, body.length]
  const isBlank = (at: number) => BLANKS.includes(String.fromCharCode(body[at]!))
  while (start < end && isBlank(start)) start++
  while (end > start && isBlank(end - 1)) end--
  return body.subarray(start, end)
}
