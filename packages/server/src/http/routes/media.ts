import { OPERATIONS } from '@spoor/contract/operations'
import type { FastifyInstance } from 'fastify'
import { DomainError } from '../../lib/domain-error.ts'
import { bodyRules } from '../bodies/read-rules.ts'
import { requestedRange } from '../bodies/byte-range.ts'
import type { HttpDependencies } from '../kernel/dependencies.ts'
import { matchesAny, rangeApplies } from '../kernel/entity-tags.ts'
import type { OperationInput } from '../kernel/operation-input.ts'
import { holdUntilClosed } from '../connections/held-answer.ts'
import { entityTag, mediaHeaders } from '../bodies/media-headers.ts'
import { requireMediaType } from '../bodies/media-types.ts'
import { readForm } from '../bodies/multipart.ts'
import { admittedChunks, ownerOf } from '../bodies/request-body.ts'
import { serve } from '../kernel/route.ts'
import { toAttachment } from '../../wire/to-wire.ts'
import { withOwnTraceId } from '../bodies/trace-names.ts'
import { withUploadMemory } from '../bodies/upload-memory.ts'

/** More than a form needs around a file: multipart.ts enforces the limit. */
const FORM_BYTES = 1024 * 1024
/** The memory of a download: chunks of the store and of the connection that are read ahead. */
const SERVED_BYTES = 256 * 1024

export function registerMediaRoutes(app: FastifyInstance, dependencies: HttpDependencies): void {
  const { media, traces, limits, ingestBudget, answers } = dependencies
  const rules = bodyRules(dependencies)

  const upload = async ({ projectId, request, reply }: OperationInput<typeof OPERATIONS.uploadMedia>) => {
    requireMediaType(request.headers, 'multipart/form-data')
    const chunks = admittedChunks(request.raw, limits.uploadBytes + FORM_BYTES, rules)
    const contentType = request.headers['content-type'] ?? ''
    const attachment = await withUploadMemory(ingestBudget.account(ownerOf(request)), request.raw, () =>
      media.upload({
        projectId,
        announcedBytes: Number(request.headers['content-length'] ?? 0),
        parts: withOwnTraceId(traces, projectId, readForm(chunks, contentType, limits.uploadBytes)),
      }),
    )
    return reply.code(201).send(toAttachment(attachment))
  }
  serve(app, OPERATIONS.uploadMedia, upload, { runsAnywhere: true })

  serve(app, OPERATIONS.serveMedia, async ({ projectId, query, headers, reply }) => {
    // Any key that can read the project.
    const found = await media.open(projectId, query.uri)
    const etag = entityTag(found)
    if (matchesAny(headers['if-none-match'], etag)) return reply.headers(mediaHeaders(found)).code(304).send()
    const applies = rangeApplies(headers['if-range'], etag)
    const range = applies ? requestedRange(headers.range, found.sizeBytes) : 'whole'
    if (range === 'unsatisfiable') {
      reply.header('content-range', `bytes */${found.sizeBytes}`)
      throw new DomainError('range_not_satisfiable', `The artifact has ${found.sizeBytes} bytes.`)
    }
    await holdUntilClosed(reply, answers, SERVED_BYTES)
    if (range === 'whole') {
      const bytes = await found.read(null)
      return reply.headers(mediaHeaders(found)).header('content-length', found.sizeBytes).send(bytes)
    }
    // Opened before headers are set: a failure must not have the headers of the artifact.
    const bytes = await found.read(range)
    return reply
      .headers(mediaHeaders(found))
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${found.sizeBytes}`)
      .header('content-length', range.end - range.start + 1)
      .send(bytes)
  })

  serve(app, OPERATIONS.headMedia, async ({ projectId, query, headers, reply }) => {
    const found = await media.open(projectId, query.uri)
    reply.headers(mediaHeaders(found))
    if (matchesAny(headers['if-none-match'], entityTag(found))) return reply.code(304).send()
    return reply.header('content-length', found.sizeBytes).send()
  })
}
