import type { StepId } from '@spoor/contract/ids'
import { DomainError } from '../../../lib/domain-error.ts'
import { stepIdOf } from '../span-ids.ts'
import { type Body, idsOfNamed } from './ids.ts'

interface MediaPlace {
  readonly otelTraceId: string
  readonly stepId: StepId
  readonly contentType: string
  readonly sizeBytes: number
  /** Lower-case hex. */
  readonly sha256: string
}

/** Where announced bytes belong, and what they are. Throws DomainError `bad_request`, and BadSpan for bad ids. */
export function mediaPlace(body: Body): MediaPlace {
  const { traceId, spanId } = idsOfNamed(body)
  const { contentType, contentLength: sizeBytes, sha256Hash: base64 } = body
  const sha256 = typeof base64 === 'string' ? Buffer.from(base64, 'base64').toString('hex') : ''
  if (typeof contentType !== 'string' || typeof sizeBytes !== 'number' || sha256.length !== 64) {
    const detail = 'Media need `contentType`, `contentLength`, and `sha256Hash` of 32 bytes in base64.'
    throw new DomainError('bad_request', detail)
  }
  return { otelTraceId: traceId, stepId: stepIdOf(traceId, spanId), contentType, sizeBytes, sha256 }
}
