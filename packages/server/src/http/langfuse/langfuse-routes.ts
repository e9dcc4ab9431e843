import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { parseBody } from '../../traces/otlp/wire/decode-json.ts'
import { isFields } from '@spoor/payloads/json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { mediaPlace } from '../../traces/otlp/langfuse/media-place.ts'
import { mediaKindOf } from '../../traces/otlp/map/inline-media.ts'
import { requestOrigin } from '../access/request-origin.ts'
import { requireMediaType } from '../bodies/media-types.ts'
import { exportRules } from '../bodies/read-rules.ts'
import { withBody } from '../bodies/request-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { ownProject } from '../kernel/own-project.ts'

const BASE = '/api/public'
const NOT_RECORDING_DETAIL =
  'Spoor takes what SDKs of Langfuse record; it has no prompts, datasets and annotation queues, and is read by its own API.'

const config = { scopes: ['ingest'], admission: 'key', takesBasicKey: true } as const
const JSON_TYPE = 'application/json'

/** The part of Langfuse's API by which its SDKs record. Its own documents define it, so it is no operation. */
export function registerLangfuseRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, media, projects, limits } = dependencies
  const rules = exportRules(dependencies)
  const take = async (request: FastifyRequest, body: Buffer) =>
    traces.takeExport({ projectId: ownProject(request), body, encoding: 'langfuse' })

  app.get(`${BASE}/health`, (_request, reply) => reply.send({ status: 'OK', version: '3.0.0' }))

  app.get(`${BASE}/projects`, { config }, async (request, reply) => {
    const project = await projects.find(ownProject(request))
    return reply.send({ data: project === undefined ? [] : [{ id: project.id, name: project.name, metadata: {} }] })
  })

  app.post(`${BASE}/ingestion`, { config }, (request, reply) => {
    requireMediaType(request.headers, JSON_TYPE)
    return withBody(request, EXPORT_BYTES, rules, async (body) => sendVerdicts(reply, await take(request, body)))
  })

  app.post(`${BASE}/scores`, { config }, (request, reply) => {
    requireMediaType(request.headers, JSON_TYPE)
    return withBody(request, limits.controlBodyBytes, rules, async (score) => {
      const { count, reasons } = await take(request, eventOf('score-create', score))
      if (count > 0 || reasons.length > 0) throw refusal(reasons)
      return reply.send({ id: bodyOf(score)['id'] ?? null })
    })
  })

  app.post(`${BASE}/media`, { config }, (request, reply) => {
    requireMediaType(request.headers, JSON_TYPE)
    return withBody(request, limits.controlBodyBytes, rules, async (body) => {
      const projectId = ownProject(request)
      // SDKs upload bytes before they send the object that has them.
      const { count, reasons } = await take(request, eventOf('media-create', body))
      if (count > 0) throw refusal(reasons)
      const { otelTraceId, stepId, sha256, contentType, sizeBytes } = mediaPlace(bodyOf(body))
      const traceId = await traces.findOtelTrace(projectId, otelTraceId)
      if (traceId === null) throw new DomainError('not_found', 'The trace was deleted.')
      const kind = mediaKindOf(contentType)
      const signed = await media.sign({
        projectId,
        traceId,
        stepId,
        kind,
        contentType,
        sizeBytes,
        sha256,
        filename: null,
      })
      const { target } = signed
      const uploadUrl = 'url' in target ? target.url : `${requestOrigin(request)}/v1/media/direct/${target.token}`
      return reply.code(201).send({ mediaId: sha256, uploadUrl })
    })
  })

  // SDKs report how the upload went, which is known.
  app.patch(`${BASE}/media/:id`, { config }, (_request, reply) => reply.send({}))

  app.all(`${BASE}/*`, { config: { ...config, scopes: [] } }, () => {
    throw new DomainError('not_found', NOT_RECORDING_DETAIL)
  })
}

function sendVerdicts(
  reply: FastifyReply,
  { reasons, verdicts = [] }: Awaited<ReturnType<HttpDependencies['traces']['takeExport']>>,
): FastifyReply {
  const successes = verdicts.filter(({ refused }) => refused === null).map(({ name: id }) => ({ id, status: 201 }))
  const errors = verdicts.flatMap(({ name: id, refused: message }) =>
    message === null ? [] : [{ id, status: 400, message, error: 'bad_request' }],
  )
  const known = new Set(errors.map(({ message }) => message))
  const warnings = reasons.filter((reason) => !known.has(reason))
  return reply.code(207).send({ successes, errors, ...(warnings.length === 0 ? {} : { warnings }) })
}

/** A batch of one event. The body is valid alone, so that it cannot close the event and begin others. */
function eventOf(type: string, body: Buffer): Buffer {
  parseBody(body)
  const before = `{"batch":[{"id":"0","type":${JSON.stringify(type)},"body":`
  return Buffer.concat([Buffer.from(before), body, Buffer.from('}]}')])
}

/** Of a body that was taken, so it is JSON. */
function bodyOf(body: Buffer): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(body.toString())
  return isFields(value) ? value : {}
}

function refusal(reasons: readonly string[]): DomainError {
  return new DomainError('bad_request', `The request was refused: ${reasons.join('; ')}.`)
}
