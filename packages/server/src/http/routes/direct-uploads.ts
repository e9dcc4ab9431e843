import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { bodyRules } from '../bodies/read-rules.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { bodyChunks } from '../bodies/request-body.ts'
import { requestOrigin } from '../access/request-origin.ts'
import { serve } from '../kernel/route.ts'
import { toAttachment, toWireTime } from '../../wire/to-wire.ts'
import { ownTraceId } from '../bodies/trace-names.ts'
import { withUploadMemory } from '../bodies/upload-memory.ts'

export function registerDirectUploadRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { media, traces, ingestBudget } = dependencies
  const rules = bodyRules(dependencies)

  serve(app, OPERATIONS.signUpload, async ({ projectId, query, request, reply }) => {
    refuseBrowsers(request)
    const signed = await media.sign({
      projectId,
      traceId: await ownTraceId(traces, projectId, query.trace_id),
      stepId: query.step_id ?? null,
      kind: query.kind,
      contentType: query.content_type,
      sizeBytes: query.size_bytes,
      sha256: query.sha256,
      filename: query.filename ?? null,
    })
    const { target, headers, uri, expiresAt } = signed
    const url = 'url' in target ? target.url : `${requestOrigin(request)}/v1/media/direct/${target.token}`
    return reply
      .header('cache-control', 'no-store')
      .send({ url, method: 'PUT', headers, uri, expires_at: toWireTime(expiresAt) })
  })

  serve(app, OPERATIONS.putDirectUpload, async ({ params, request, reply }) => {
    const { token } = params
    const length = request.headers['content-length']
    const account = ingestBudget.account(await media.announcedProject(token))
    const attachment = await withUploadMemory(account, request.raw, () =>
      media.putDirect({
        token,
        contentType: request.headers['content-type'] ?? null,
        contentLength: length === undefined ? null : Number(length),
        bytes: bodyChunks(request.raw, rules),
      }),
    )
    return reply.code(201).send(toAttachment(attachment))
  })
}

/**
 * A foreign page could request a URL on behalf of its visitor. Backends send no cookies, so any cookie counts as a
 * browser session, of this service or another.
 */
function refuseBrowsers({ headers }: FastifyRequest): void {
  if (headers.origin === undefined && headers.cookie === undefined) return
  throw new DomainError(
    'browser_refused',
    'Signed URLs are given to backends: requests with Origin or Cookie are refused.',
  )
}
