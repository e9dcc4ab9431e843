import { OTLP_BASES } from '@spoor/contract/otlp'
import type { ProjectId } from '@spoor/contract/ids'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { HttpDependencies } from '../../kernel/dependencies.ts'
import { exportHandler } from '../../otlp/export-handler.ts'
import { type RejectedName, sendExportResponse } from '../../otlp/otlp-answers.ts'

/** Signals that are not stored. */
const NOT_TAKEN: readonly (readonly [path: string, name: RejectedName])[] = [
  ['/v1/logs', 'rejectedLogRecords'],
  ...OTLP_BASES.flatMap((base): [string, RejectedName][] => [
    [`${base}/v1/logs`, 'rejectedLogRecords'],
    [`${base}/v1/metrics`, 'rejectedDataPoints'],
  ]),
]

/** Exporters log it. A refusal would make some of them send the same again and again. */
export const NOT_TAKEN_REASON = 'Spoor takes traces only; nothing of this request was stored.'

const config = { scopes: ['ingest'], admission: 'key', otlp: 'only' } as const

/**
 * Routes that only exporters of OpenTelemetry call. The protocol defines them, so they are no operations of the API;
 * `commitTrace`, which takes exports too, describes them.
 */
export function registerOtlpRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { read } = exportHandler(dependencies)
  for (const base of OTLP_BASES) {
    app.post(`${base}/v1/traces`, { config }, (request, reply) =>
      read({ projectId: projectOf(request), request, reply }),
    )
  }
  for (const [path, name] of NOT_TAKEN) {
    app.post(path, { config }, (request, reply) =>
      sendExportResponse(reply, request.otlp ?? 'json', name, 0, NOT_TAKEN_REASON),
    )
  }
}

/** Routes with scopes are authenticated. */
function projectOf({ principal }: FastifyRequest): ProjectId {
  if (principal === null) throw new Error('a request without a principal')
  return principal.projectId
}
