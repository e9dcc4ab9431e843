import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { isFields } from '@spoor/payloads/json'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { findRun, type FoundScore } from '../../traces/otlp/langsmith/find-run.ts'
import { changedFeedback, keyOfFeedback } from '../../traces/otlp/langsmith/run-feedback.ts'
import { parseBody } from '../../traces/otlp/wire/decode-json.ts'
import { requireMediaType } from '../bodies/media-types.ts'
import { exportRules } from '../bodies/read-rules.ts'
import { withBody } from '../bodies/request-body.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { ownProject } from '../kernel/own-project.ts'

/** The base that its SDKs are configured with, and the path that they add to a host. */
const BASES = ['', '/api/v1'] as const

/** What its API offers beside recording. */
const NOT_RECORDING = ['datasets', 'examples', 'repos', 'commits', 'annotation-queues', 'feedback-configs'] as const
const NOT_RECORDING_DETAIL =
  'Spoor records the runs and the feedback of LangSmith; it has no datasets, prompts and annotation queues.'

/** By these, SDKs decide to send runs in forms. */
const INFO = {
  version: '0.18.0',
  batch_ingest_config: {
    use_multipart_endpoint: true,
    size_limit: 1000,
    size_limit_bytes: 20 * 1024 * 1024,
    scale_up_qsize_trigger: 1000,
    scale_up_nthreads_limit: 16,
    scale_down_nempty_trigger: 4,
  },
  instance_flags: { gzip_body_enabled: true },
}

const config = { scopes: ['ingest'], admission: 'key' } as const
const JSON_TYPE = 'application/json'

/** The part of LangSmith's API by which its SDKs record runs. Its own documents define it, so it is no operation. */
export function registerLangSmithRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { traces, metrics, limits } = dependencies
  const rules = exportRules(dependencies)
  const read = <T>(request: FastifyRequest, use: (body: Buffer) => Promise<T>) =>
    withBody(request, EXPORT_BYTES, rules, use)
  const take = async (request: FastifyRequest, reply: FastifyReply, body: Buffer, isSingle: boolean) => {
    const { count, reasons } = await traces.takeExport({ projectId: ownProject(request), body, encoding: 'langsmith' })
    if (isSingle && count > 0) throw new DomainError('bad_request', `The run was refused: ${reasons.join('; ')}.`)
    return reply.code(202).send(reasons.length === 0 ? {} : { refused: count, reasons })
  }

  const record = async (request: FastifyRequest, reply: FastifyReply, scores: readonly FoundScore[], sent: unknown) => {
    const notes = await metrics.recordEvaluations(ownProject(request), scores)
    return reply.code(202).send(notes.length === 0 ? sent : { refused: notes.length, reasons: notes })
  }

  for (const base of BASES) {
    app.get(`${base}/info`, (_request, reply) => reply.send(INFO))
    app.post(`${base}/runs`, { config }, (request, reply) => {
      requireMediaType(request.headers, JSON_TYPE)
      return read(request, (run) => take(request, reply, alone('post', null, run), true))
    })
    app.patch<{ Params: { id: string } }>(`${base}/runs/:id`, { config }, (request, reply) => {
      requireMediaType(request.headers, JSON_TYPE)
      const { id } = request.params
      return read(request, (run) => take(request, reply, alone('patch', id, run), true))
    })
    app.post(`${base}/runs/batch`, { config }, (request, reply) => {
      requireMediaType(request.headers, JSON_TYPE)
      return read(request, (body) => take(request, reply, body, false))
    })
    app.post(`${base}/runs/multipart`, { config }, (request, reply) => {
      requireMediaType(request.headers, 'multipart/form-data')
      return read(request, (body) => take(request, reply, body, false))
    })
    app.post(`${base}/feedback`, { config }, (request, reply) => {
      requireMediaType(request.headers, JSON_TYPE)
      return withBody(request, limits.controlBodyBytes, rules, async (body) => {
        const sent: unknown = parsedOrNull(body)
        // Most programs name the run alone.
        const found = isFields(sent) ? await findRun(traces, ownProject(request), sent) : null
        if (found === null) return take(request, reply, alone('feedback', null, body), true)
        return record(request, reply, found, sent)
      })
    })
    app.patch<{ Params: { id: string } }>(`${base}/feedback/:id`, { config }, (request, reply) => {
      requireMediaType(request.headers, JSON_TYPE)
      return withBody(request, limits.controlBodyBytes, rules, async (body) => {
        const sent = parseBody(body)
        if (!isFields(sent)) throw new DomainError('bad_request', 'The body must be an object.')
        const { id } = request.params
        const score = await metrics.findScore(ownProject(request), keyOfFeedback(id))
        if (score === null) throw new DomainError('not_found', `There is no feedback ${id} in this project.`)
        return record(request, reply, [changedFeedback(score, sent)], sent)
      })
    })
    for (const name of NOT_RECORDING)
      for (const path of [`${base}/${name}`, `${base}/${name}/*`])
        app.all(path, { config: { ...config, scopes: [] } }, () => {
          throw new DomainError('not_found', NOT_RECORDING_DETAIL)
        })
  }
}

/** A request of one run, as `decodeLangSmith` knows it. */
function alone(kind: 'post' | 'patch' | 'feedback', id: string | null, run: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${JSON.stringify([kind, id]).slice(0, -1)},[`), run, Buffer.from(']]')])
}

/** A body that is no JSON is refused when it is decoded. */
function parsedOrNull(body: Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch {
    return null
  }
}
