import type { Socket } from 'node:net'
import { DomainError } from '../../lib/domain-error.ts'
import { toProblem } from '../kernel/problem.ts'

// Node evaluates every export of an imported module of its own. One of `node:http` loads a second undici.
const { maxHeaderSize } = process.getBuiltinModule('node:http')

/**
 * Answers an invalid or incomplete HTTP request. There is no request object, so the answer is written to the socket.
 */
export function answerBrokenConnection(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  answerWithoutRequest(socket, causeOf(error.code), requestId, () => socket.destroy())
}

/** Answers CONNECT, which requests a tunnel from a proxy. There is no response object either, only a socket. */
export function answerTunnel(socket: Socket, requestId: string): void {
  // Node no longer listens for its errors, and an unhandled error would end the process.
  socket.on('error', () => socket.destroy())
  const cause = new DomainError('method_not_allowed', 'This service is not a proxy and does not support CONNECT.')
  answerWithoutRequest(socket, cause, requestId, () => socket.destroy(), ['allow: '])
}

function causeOf(code: string | undefined): DomainError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DomainError('request_timeout', 'The headers of the request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return new DomainError('head_too_large', `The request line and headers can have at most ${maxHeaderSize} bytes.`)
    default:
      return new DomainError('bad_request', 'This is not a well-formed HTTP request.')
  }
}

/** Answers a connection without a parsed request and ends it. `more` are further header lines. */
export function answerWithoutRequest(
  socket: Socket,
  error: DomainError,
  requestId: string,
  sent?: () => void,
  more: readonly string[] = [],
): void {
  const { status, headers, body } = toProblem(error, requestId)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${body.title}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${body.request_id}`,
    ...more,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, sent)
}
