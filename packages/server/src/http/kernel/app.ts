import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import helmet from '@fastify/helmet'
import fastify, { type FastifyBaseLogger, type FastifyInstance, type FastifyReply, LogController } from 'fastify'
import { ERRORS } from '@spoor/contract/errors'
import { NAME_LENGTH } from '@spoor/contract/limits'
import type { ProjectId } from '@spoor/contract/ids'
import type { Admission } from '@spoor/contract/operations/operation'
import { DomainError } from '../../lib/domain-error.ts'
import { Forwarder } from '../forwarding/forwarder.ts'
import { AccessWatch } from '../access/access-watch.ts'
import { AllowedMethods } from './allowed-methods.ts'
import { auditRequests } from '../access/audit-hook.ts'
import { authenticate } from '../access/authentication.ts'
import { withoutProject } from '../access/project-in-path.ts'
import { answerBrokenConnection, answerTunnel } from '../connections/broken-connection.ts'
import { ConnectionLimit } from '../connections/connection-limit.ts'
import type { HttpDependencies } from './dependencies.ts'
import { hostName, requireOwnHost } from '../connections/own-hosts.ts'
import { sendInPieces } from '../bodies/pieces.ts'
import { jsonBodyRules } from '../bodies/read-rules.ts'
import { sendOtlpError } from '../otlp/otlp-answers.ts'
import { otlpEncodingOf } from '../otlp/otlp-request.ts'
import { type ProblemAnswer, toProblem } from './problem.ts'
import { ClientGone, holdContinue } from '../bodies/request-body.ts'
import { requestIdFrom } from './request-id.ts'
import { observeRequests } from './request-observation.ts'
import { registerClusterRoutes } from '../routes/clusters.ts'
import { registerDashboard } from '../routes/service/dashboard.ts'
import { registerDocs } from '../routes/service/docs.ts'
import { registerDeliveryRoutes } from '../routes/deliveries.ts'
import { registerDirectUploadRoutes } from '../routes/direct-uploads.ts'
import { registerExportRoute } from '../export/export.ts'
import { registerFacetRoute } from '../routes/telemetry/facets.ts'
import { registerSenderRoute } from '../routes/telemetry/senders.ts'
import { registerAuditRoute } from '../routes/access/audit.ts'
import { registerKeyRoutes } from '../routes/access/keys.ts'
import { registerMcpRoute } from '../routes/mcp.ts'
import { registerMediaRoutes } from '../routes/media.ts'
import { registerMetricEventRoutes } from '../routes/telemetry/metric-events.ts'
import { registerMetricRoutes } from '../routes/telemetry/metrics.ts'
import { registerPriceRoutes } from '../routes/prices.ts'
import { registerMonitorRoutes } from '../routes/monitors.ts'
import { registerProblemRoutes } from '../routes/service/problems.ts'
import { registerProjectRoutes } from '../routes/access/projects.ts'
import { registerSeriesRoutes } from '../routes/telemetry/series.ts'
import { registerServiceRoutes } from '../routes/service/service.ts'
import { registerSessionRoutes } from '../routes/access/session.ts'
import { registerSettingsRoute } from '../routes/service/settings.ts'
import { registerSummaryRoutes } from '../routes/telemetry/summaries.ts'
import { registerCompareRoute } from '../routes/telemetry/compare.ts'
import { registerInsightRoutes } from '../routes/telemetry/insight.ts'
import { registerStepRoutes } from '../routes/telemetry/steps.ts'
import { registerTailRoute } from '../tail/tail.ts'
import { registerLangfuseRoutes } from '../langfuse/langfuse-routes.ts'
import { registerLangSmithRoutes } from '../langsmith/langsmith-routes.ts'
import { registerOtlpRoutes } from '../routes/telemetry/otlp.ts'
import { registerDeletionRoutes } from '../routes/telemetry/deletions.ts'
import { registerTracePartRoutes } from '../routes/telemetry/trace-parts.ts'
import { registerTraceRoutes } from '../routes/telemetry/traces.ts'
import { registerViewRoutes } from '../routes/views.ts'
import { registerWebhookRoutes } from '../routes/webhooks.ts'
import { drainRest } from '../bodies/drain-rest.ts'

/**
 * The longest path parameter as sent. The longest one is a name, with up to three bytes per character and three
 * characters per percent-encoded byte.
 */
const PARAMETER_LENGTH = 9 * NAME_LENGTH
/** A request whose headers take longer than this is refused. */
const HEADERS_TIMEOUT_MS = 30_000
/**
 * A connection without traffic in either direction for this long is closed. Tails send something every 15 s, and bodies
 * must within 30 s.
 */
const IDLE_TIMEOUT_MS = 120_000

/**
 * The HTTP side of the service, ready to listen. The framework never parses bodies: `serve` reads small JSON bodies and
 * other routes read their own, after authentication (see request-body.ts). Long answers are written as their reader
 * takes them.
 */
export function buildHttpApp(dependencies: HttpDependencies): FastifyInstance {
  const app: FastifyInstance = fastify({
    loggerInstance: dependencies.logger as FastifyBaseLogger,
    logController: new LogController({ disableRequestLogging: true, requestIdLogLabel: 'request_id' }),
    genReqId: (request) => requestIdFrom(request.headers['x-request-id'], dependencies.newRequestId),
    rewriteUrl: withoutProject,
    routerOptions: { maxParamLength: PARAMETER_LENGTH },
    exposeHeadRoutes: false,
    // Bodies have their own rules for slow clients; a stream of steps may take as long as it needs.
    requestTimeout: 0,
    connectionTimeout: IDLE_TIMEOUT_MS,
    // Without this, Node itself would answer a missing Host header, without a problem document: see
    // `refuseInvalidHead`.
    http: { headersTimeout: HEADERS_TIMEOUT_MS, connectionsCheckingInterval: 5000, requireHostHeader: false },
    // The readiness check below answers instead, with a problem document.
    return503OnClosing: false,
    forceCloseConnections: 'idle',
    clientErrorHandler: (error, socket) => answerBrokenConnection(error, socket, dependencies.newRequestId()),
    frameworkErrors: (error, request, reply) => sendProblem(reply as FastifyReply, toProblem(error, request.id)),
  })
  limitConnections(app, dependencies)
  app.server.on('checkContinue', (request, response) => {
    holdContinue(request, response)
    app.routing(request, response)
  })
  app.server.on('checkExpectation', (request, response) => app.routing(request, response))
  app.server.on('connect', (_request, socket: Socket) => answerTunnel(socket, dependencies.newRequestId()))
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.decorateRequest('principal', null)
  app.decorateRequest('session', null)
  app.decorateRequest('otlp', null)
  const { limits, traces } = dependencies
  const findOtelTrace = (projectId: ProjectId, id: string) => traces.findOtelTrace(projectId, id)
  app.decorate('requestRules', { json: jsonBodyRules(dependencies), limits, findOtelTrace })

  void app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] } },
    // TLS ends at a proxy in front of this service, and only the proxy knows whether it is used.
    strictTransportSecurity: false,
  })
  // After helmet, because the answers of the gate need its headers too.
  app.after(() => {
    addAuthentication(app, dependencies)
    observeRequests(app, dependencies)
    auditRequests(app, dependencies.audit, dependencies.timers)
    drainRest(app, dependencies.timers)
    sendInPieces(app, dependencies)
    answerErrors(app)
    answerUnknownPaths(app)
  })
  const access = watchAccess(app, dependencies)
  void app.register(async (routes) => {
    registerTraceRoutes(routes, dependencies)
    registerTracePartRoutes(routes, dependencies)
    registerDeletionRoutes(routes, dependencies)
    registerCompareRoute(routes, dependencies)
    registerInsightRoutes(routes, dependencies)
    registerOtlpRoutes(routes, dependencies)
    registerLangfuseRoutes(routes, dependencies)
    registerLangSmithRoutes(routes, dependencies)
    registerStepRoutes(routes, dependencies)
    registerTailRoute(routes, dependencies, access)
    registerMediaRoutes(routes, dependencies)
    registerDirectUploadRoutes(routes, dependencies)
    registerMetricRoutes(routes, dependencies)
    registerMetricEventRoutes(routes, dependencies)
    registerPriceRoutes(routes, dependencies)
    registerSeriesRoutes(routes, dependencies)
    registerExportRoute(routes, dependencies)
    registerFacetRoute(routes, dependencies)
    registerSummaryRoutes(routes, dependencies)
    registerSenderRoute(routes, dependencies)
    registerMonitorRoutes(routes, dependencies)
    registerViewRoutes(routes, dependencies)
    registerWebhookRoutes(routes, dependencies)
    registerDeliveryRoutes(routes, dependencies)
    registerClusterRoutes(routes, dependencies)
    registerProjectRoutes(routes, dependencies)
    registerKeyRoutes(routes, dependencies, access)
    registerAuditRoute(routes, dependencies)
    registerSessionRoutes(routes, dependencies, access)
    registerServiceRoutes(routes, dependencies)
    registerProblemRoutes(routes)
    registerMcpRoute(routes, dependencies)
    registerSettingsRoute(routes, dependencies)
  })
  void app.register((routes) => registerDocs(routes, dependencies.version))
  void app.register((routes) => registerDashboard(routes, dependencies.dashboard))
  return app
}

/** With the host `localhost`, Fastify opens a second server for the other loopback address. That one has no limit. */
function limitConnections({ server }: FastifyInstance, dependencies: HttpDependencies): void {
  const { mostConnections, timers, newRequestId, instruments } = dependencies
  new ConnectionLimit({ most: mostConnections, timers, newRequestId, ...instruments.connections }).guard(server)
}

/**
 * Sets the request id, then authenticates and authorizes the request before any of its body is read. With several
 * nodes, a request that writes is then sent to the one that commits for its project.
 */
function addAuthentication(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { authenticator, readiness, hosts, current, hold, keyRates, forwarding } = dependencies
  const forwarder = forwarding === undefined ? null : new Forwarder(forwarding, dependencies)
  const ownHosts = new Set(hosts.map(hostName))
  app.addHook('onRoute', (route) => {
    const { scopes, admission } = route.config ?? {}
    if (route.url.startsWith('/v1') && (scopes ?? null) === null && !isAuthenticatedByRoute(admission)) {
      throw new Error(`${route.url} must declare its scopes`)
    }
  })
  app.addHook('onRequest', async (request, reply) => {
    reply.header('x-request-id', request.id)
    request.otlp = otlpEncodingOf(request)
    refuseInvalidHead(request.raw)
    const isForwarded = forwarder?.isForwarded(request) ?? false
    // Else the node that forwarded it has checked it.
    if (!isForwarded) requireOwnHost(request, ownHosts)
    const { scopes, admission } = request.routeOptions.config
    const needsKey = scopes !== undefined && scopes !== null
    if (request.is404 || (!needsKey && !isAuthenticatedByRoute(admission))) return
    // What other nodes have sent before they knew is handled.
    if (readiness.stopping && !isForwarded) {
      reply.header('connection', 'close')
      throw new DomainError('shutting_down', 'The service is stopping; try again.')
    }
    const admitted = needsKey ? authenticate(request, authenticator, scopes) : undefined
    // Both may query another server: at the same time.
    const following = current?.()
    // A request that is forwarded does not wait for it.
    following?.catch(() => undefined)
    await admitted
    if (!isForwarded && (await forwarder?.forward(request, reply)) === true) return
    await following
    if (hold !== undefined && request.principal !== null) {
      const release = await hold(request.principal.projectId)
      if (reply.raw.destroyed) release()
      else reply.raw.once('close', release)
    }
    // Once for each request: at the node that handles it.
    if (request.principal !== null) keyRates.admit(request.principal, request.raw)
  })
}

/** The route itself checks a signed URL, and a key in the body after reading the body. */
function isAuthenticatedByRoute(admission: Admission | null | undefined): boolean {
  return admission === 'signed_url' || admission === 'key_in_body'
}

function watchAccess(app: FastifyInstance, { authenticator, timers, logger }: HttpDependencies): AccessWatch {
  const onError = (error: unknown) => logger.error({ error }, 'cannot look up the keys and sessions of open answers')
  const access = new AccessWatch({ authenticator, timers, onError })
  app.addHook('onClose', async () => access.close())
  return access
}

/** Refuses headers that HTTP forbids or that are ambiguous. */
function refuseInvalidHead({ httpVersion, headers, rawHeaders }: IncomingMessage): void {
  if (httpVersion === '1.1' && headers.host === undefined) {
    throw new DomainError('bad_request', 'An HTTP/1.1 request must have a Host header.')
  }
  // Names and values alternate.
  if (rawHeaders.filter((text, at) => at % 2 === 0 && text.toLowerCase() === 'host').length > 1) {
    throw new DomainError('bad_request', 'A request must not have more than one Host header.')
  }
  if (headers.expect !== undefined && headers.expect.toLowerCase() !== '100-continue') {
    throw new DomainError('bad_request', 'The Expect header can only be 100-continue.')
  }
}

function answerErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request, reply) => {
    if (error instanceof ClientGone) return leave(reply)
    const problem = toProblem(error, request.id)
    if (problem.unexpected) request.log.error({ error }, 'request failed')
    // The rest of this body could not be distinguished from the next request.
    if (problem.body.code === 'request_timeout') reply.header('connection', 'close')
    if (request.otlp !== null) sendOtlpError(reply, request.otlp, problem)
    else sendProblem(reply, problem)
  })
}

/** Nobody reads an answer. A request within the process rejects. */
function leave(reply: FastifyReply): void {
  reply.hijack()
  reply.raw.destroy()
}

function sendProblem(reply: FastifyReply, { status, headers, body }: ProblemAnswer): void {
  void reply
    .code(status)
    .headers({ ...headers, 'x-request-id': body.request_id })
    .send(JSON.stringify(body))
}

function answerUnknownPaths(app: FastifyInstance): void {
  const methods = new AllowedMethods()
  app.addHook('onRoute', (route) => methods.add(route.url, Array.isArray(route.method) ? route.method : [route.method]))
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.of(request.url.split('?', 1)[0] ?? '')
    // A route that supports the method but has no such file.
    if (allowed.length === 0 || allowed.includes(request.method)) {
      throw new DomainError('not_found', ERRORS.not_found.title)
    }
    reply.header('allow', allowed.join(', '))
    throw new DomainError(
      'method_not_allowed',
      `This path does not support ${request.method}; it supports ${allowed.join(', ')}.`,
    )
  })
}
