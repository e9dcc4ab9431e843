import type { IncomingHttpHeaders } from 'node:http2'
import { ERRORS, type ErrorCode } from '@spoor/contract/errors'
import type { ProjectId } from '@spoor/contract/ids'
import { PROTOBUF_TYPE } from '@spoor/contract/otlp'
import { DomainError } from '../../../lib/domain-error.ts'
import type { SpanForm } from '../../../traces/otlp/otlp-encoding.ts'
import { messageOfStatus } from '../../../traces/otlp/wire/encode-answer.ts'
import type { ForwardedAnswer, Forwarder } from '../../forwarding/forwarder.ts'
import type { GrpcMessage } from './grpc-message.ts'

interface ForwardedCall {
  readonly headers: IncomingHttpHeaders
  readonly requestId: string
  readonly form: SpanForm
  readonly message: GrpcMessage
}

/** Of the metadata: the names are the same in both protocols. */
const CREDENTIALS = ['x-api-key', 'authorization'] as const

/**
 * Sends the message to the node that commits for the project, as an export over HTTP: nodes need one port for one
 * another. Returns the message of the answer, null if this node is to handle it. Throws the error of the other node.
 */
export async function forwardCall(
  forwarder: Forwarder,
  projectId: ProjectId,
  { headers, requestId, form, message: { length, chunks, encoding } }: ForwardedCall,
): Promise<Buffer | null> {
  const credentials = CREDENTIALS.flatMap((name) => {
    const value = headers[name]
    return typeof value === 'string' ? [name, value] : []
  })
  const described = ['content-type', PROTOBUF_TYPE, 'content-length', String(length)]
  const compressed = encoding === null || encoding === 'identity' ? [] : ['content-encoding', encoding]
  const answer = await forwarder.forwardExport(projectId, requestId, {
    path: form === 'protobuf logs' ? '/otlp/v1/logs' : '/otlp/v1/traces',
    headers: [...credentials, ...described, ...compressed],
    body: length === 0 ? null : chunks,
  })
  if (answer === null) return null
  if (answer.head.status === 200) return answer.body
  throw errorOf(answer)
}

function errorOf({ head: { status, headers }, body }: ForwardedAnswer): DomainError {
  const [, code = '', detail = ''] = /^(\w+): (.*)$/s.exec(messageOfStatus(body) ?? '') ?? []
  const retryAfterSeconds = Number(headers['retry-after'] ?? 1)
  if (code in ERRORS) return new DomainError(code as ErrorCode, detail, { retryAfterSeconds })
  const unknown = `The node that commits for this project answered with the status ${status}.`
  return new DomainError('storage_unavailable', unknown, { retryAfterSeconds, isOutcomeUnknown: true })
}
