import {
  constants,
  createServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { AddressInfo } from 'node:net'
import { EXPORT_BYTES } from '@spoor/contract/otlp'
import { DomainError } from '../../../lib/domain-error.ts'
import type { Principal } from '../../../ports/access/scopes.ts'
import type { SpanForm } from '../../../traces/otlp/otlp-encoding.ts'
import { encodeExportResponse } from '../../../traces/otlp/wire/encode-answer.ts'
import { authenticateExport } from '../../access/authentication.ts'
import { recordRefusals } from '../../access/refusal-count.ts'
import { exportRules } from '../../bodies/read-rules.ts'
import { ClientGone } from '../../bodies/request-body.ts'
import { ConnectionLimit } from '../../connections/connection-limit.ts'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { type ProblemAnswer, toProblem } from '../../kernel/problem.ts'
import { requestIdFrom } from '../../kernel/request-id.ts'
import { metricsAnswer } from '../metrics-answer.ts'
import { cut } from '../otlp-answers.ts'
import { Forwarder } from '../../forwarding/forwarder.ts'
import { forwardCall } from './forward-call.ts'
import { ACCEPTED_ENCODINGS, framed, openMessage, withMessage } from './grpc-message.ts'
import { errorTrailers, UNIMPLEMENTED } from './grpc-status.ts'

export interface GrpcServer {
  readonly port: number
  /** Takes calls from now on. Before, each is answered that the service is starting. */
  open(): void
  /** Takes no more calls; those under way have this long to end. */
  close(graceMs: number): Promise<void>
}

/** A connection on which no call began for this long is closed. Exporters open another one. */
const IDLE_MS = 120_000
/** How long calls may continue after that. */
const LAST_CALLS_MS = 600_000
/** Memory that the frames of one connection may take, megabytes: bodies under way are in the shared budget. */
const CONNECTION_MB = 2
/** Calls at once on one connection; exporters have a few. */
const MOST_CALLS = 100

const PREFIX = '/opentelemetry.proto.collector.'
/** By the method; metrics are not stored. */
const FORMS: ReadonlyMap<string, SpanForm | null> = new Map([
  [`${PREFIX}trace.v1.TraceService/Export`, 'protobuf'],
  [`${PREFIX}logs.v1.LogsService/Export`, 'protobuf logs'],
  [`${PREFIX}metrics.v1.MetricsService/Export`, null],
])

/**
 * OTLP over gRPC: unary calls on HTTP/2 without TLS. Keys, bodies, limits and errors are the same as for exports over
 * HTTP. Rejects with Node's own error if it cannot listen.
 */
export async function startGrpcServer(
  dependencies: HttpDependencies,
  address: { readonly host: string; readonly port: number },
): Promise<GrpcServer> {
  const { mostConnections, timers, newRequestId, instruments, logger } = dependencies
  const server = createServer({ maxSessionMemory: CONNECTION_MB, settings: { maxConcurrentStreams: MOST_CALLS } })
  new ConnectionLimit({ most: mostConnections, timers, newRequestId, ...instruments.connections }).guard(server)
  const sessions = new Set<ServerHttp2Session>()
  server.on('session', (session) => {
    sessions.add(session)
    const stopWaiting = endWithoutCalls(session, timers)
    session.once('close', () => {
      stopWaiting()
      sessions.delete(session)
    })
  })
  // Other protocols than HTTP/2, such as a request of HTTP/1.1.
  server.on('sessionError', (error) => logger.debug({ error }, 'a connection of OTLP over gRPC failed'))
  let isOpen = false
  const answer = answerer(dependencies, () => isOpen)
  server.on('stream', (stream, headers) => {
    answer(stream, headers).catch((error: unknown) => {
      logger.error({ error }, 'a call of OTLP over gRPC could not be answered')
      stream.destroy()
    })
  })
  server.listen(address)
  await new Promise<void>((resolve, reject) => server.once('listening', resolve).once('error', reject))
  return {
    port: (server.address() as AddressInfo).port,
    open() {
      isOpen = true
    },
    async close(graceMs) {
      if (!server.listening) return
      const closed = new Promise((resolve) => server.close(resolve))
      const impatience = timers.after(graceMs, () => {
        for (const session of sessions) session.destroy()
      })
      for (const session of sessions) session.close()
      await closed
      impatience()
    },
  }
}

/** Pings are no calls: they do not keep a connection. Returns what ends the wait. */
function endWithoutCalls(session: ServerHttp2Session, timers: HttpDependencies['timers']): () => void {
  let stopWaiting = () => undefined as void
  const wait = () => {
    stopWaiting()
    stopWaiting = timers.after(IDLE_MS, () => {
      session.close()
      stopWaiting = timers.after(LAST_CALLS_MS, () => session.destroy())
    })
  }
  session.on('stream', wait)
  wait()
  return () => stopWaiting()
}

type Call = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => Promise<void>

function answerer(dependencies: HttpDependencies, isOpen: () => boolean): Call {
  const { newRequestId, logger, instruments, timers, forwarding } = dependencies
  const forwarder = forwarding === undefined ? null : new Forwarder(forwarding, dependencies)
  const recordRefusal = recordRefusals(dependencies.audit, () => timers.now())
  return async (stream, headers) => {
    const began = timers.now()
    const requestId = requestIdFrom(headers['x-request-id'], newRequestId)
    const path = headers[':path'] ?? ''
    const isKnown = FORMS.has(path)
    // A client that resets its call would otherwise end the process.
    stream.on('error', (error) => logger.debug({ error, request_id: requestId }, 'a call of OTLP over gRPC failed'))
    // Null: the client has left, which is no failure of the service.
    let status: number | null = 200
    let sender: Principal | null = null
    try {
      if (!isCall(headers)) return refuseRequest(stream)
      if (!isKnown) return sendTrailers(stream, requestId, { 'grpc-status': String(UNIMPLEMENTED) })
      if (!isOpen()) throw new DomainError('starting', 'The service is starting; try again.')
      const call = { path, stream, headers, requestId, onKnown: (known: Principal) => void (sender = known) }
      sendMessage(stream, requestId, await handle(dependencies, forwarder, call))
    } catch (error) {
      const problem = toProblem(error, requestId)
      status = error instanceof ClientGone ? null : problem.status
      if (problem.unexpected && status !== null) logger.error({ error, request_id: requestId }, 'request failed')
      if (status === 401 || status === 403) {
        const refusal = { operation: `POST ${path}`, status, address: stream.session?.socket?.remoteAddress }
        await recordRefusal(refusedBy(sender, requestId), refusal)
      }
      sendError(stream, problem)
    } finally {
      const route = isKnown ? path : 'unmatched'
      const seconds = (timers.now() - began) / 1000
      if (status !== null) instruments.requests.observeRequest({ route, method: 'POST', status, seconds })
    }
  }
}

interface ExportCall {
  readonly path: string
  readonly stream: ServerHttp2Stream
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
  readonly onKnown: (sender: Principal) => void
}

function refusedBy(sender: Principal | null, requestId: string) {
  const actor = { kind: sender === null ? 'unknown' : 'key', id: sender?.keyId ?? null } as const
  return { projectId: sender?.projectId ?? null, actor, requestId }
}

async function handle(dependencies: HttpDependencies, forwarder: Forwarder | null, call: ExportCall): Promise<Buffer> {
  const { path, stream, headers } = call
  const { authenticator, readiness, current, hold, traces, keyRates } = dependencies
  if (readiness.stopping) throw new DomainError('shutting_down', 'The service is stopping; try again.')
  const [principal] = await Promise.all([authenticateExport(headers, authenticator, call.onKnown), current?.()])
  const { projectId } = principal
  const form = FORMS.get(path) ?? null
  const rules = exportRules(dependencies)
  const other = form !== null && forwarder?.isForOther(projectId) === true ? { form, forwarder } : null
  if (other === null) keyRates.admit(principal, stream)
  const message = await openMessage(call, EXPORT_BYTES, rules)
  const sent = { ...call, message }
  const answered = other === null ? null : await forwardCall(other.forwarder, projectId, { ...sent, form: other.form })
  if (answered !== null) return answered
  if (other !== null) keyRates.admit(principal, stream)
  const release = await hold?.(projectId)
  if (release !== undefined) {
    if (hasEnded(stream)) release()
    else stream.once('close', release)
  }
  return withMessage(message, projectId, EXPORT_BYTES, rules, async (body) => {
    if (form === null) return encodeExportResponse(0, metricsAnswer(dependencies, projectId))
    const { count, reasons } = await traces.takeExport({ projectId, body, encoding: form })
    return encodeExportResponse(count, cut(reasons.join('; ')))
  })
}

function isCall({ ':method': method, 'content-type': type }: IncomingHttpHeaders): boolean {
  return method === 'POST' && /^application\/grpc(\+proto)?(;|$)/.test(type ?? '')
}

const CONTENT_TYPE = 'application/grpc+proto'

/** It speaks HTTP/2, but not gRPC. */
function refuseRequest(stream: ServerHttp2Stream): void {
  if (hasEnded(stream)) return
  stream.respond({ ':status': 415 }, { endStream: true })
  stream.close(constants.NGHTTP2_NO_ERROR)
}

function sendMessage(stream: ServerHttp2Stream, requestId: string, message: Buffer): void {
  if (hasEnded(stream)) return
  stream.once('wantTrailers', () => {
    stream.sendTrailers({ 'grpc-status': '0' })
    // The client need not send what follows its message.
    if (!stream.readableEnded) stream.close(constants.NGHTTP2_NO_ERROR)
  })
  stream.respond(headersOf(requestId), { waitForTrailers: true })
  stream.end(framed(message))
}

/** A stream that its client has reset is closed before it is destroyed. */
function hasEnded({ destroyed, closed }: ServerHttp2Stream): boolean {
  return destroyed || closed
}

function headersOf(requestId: string) {
  return { 'content-type': CONTENT_TYPE, 'grpc-accept-encoding': ACCEPTED_ENCODINGS, 'x-request-id': requestId }
}

function sendError(stream: ServerHttp2Stream, problem: ProblemAnswer): void {
  sendTrailers(stream, problem.body.request_id, errorTrailers(problem))
}

/** An answer without a message. The client need not send the rest of its own. */
function sendTrailers(stream: ServerHttp2Stream, requestId: string, trailers: Readonly<Record<string, unknown>>): void {
  if (hasEnded(stream)) return
  stream.respond({ ...headersOf(requestId), ...trailers } as IncomingHttpHeaders, { endStream: true })
  stream.close(constants.NGHTTP2_NO_ERROR)
}
