import { maxHeaderSize } from 'node:http'
import type { Socket } from 'node:net'
import { DomainError } from '../../lib/domain-error.ts'
import { toProblem } from '../kernel/problem.ts'

/** Answers what is no HTTP request, or not all of one: there is no request object yet, so the answer is written by hand. */
export function answerBrokenConnection(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  answerWithoutRequest(socket, causeOf(error.code), requestId, () => socket.destroy())
}

/** CONNECT asks a proxy for a tunnel, and there is no request to answer either: only a socket. */
export function answerTunnel(socket: Socket, requestId: string): void {
  // Nothing listens to it any more, and an error that nobody takes ends the process.
  socket.on('error', () => socket.destroy())
  const cause = new DomainError('method_not_allowed', 'CONNECT is for proxies; this service takes it nowhere.')
  answerWithoutRequest(socket, cause, requestId, () => socket.destroy(), ['allow: '])
}

function causeOf(code: string | undefined): DomainError {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new DomainError('request_timeout', 'The head of the request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return new DomainError('head_too_large', `The head of a request can have ${maxHeaderSize} bytes.`)
    default:
      return new DomainError('bad_request', 'This is not a well-formed HTTP request.')
  }
}

/** Answers a connection of which no request was read, and sends nothing more. `more` are further header lines. */
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
