import type { Socket } from 'node:net'
import { DomainError } from '../lib/domain-error.ts'
import { toProblem } from './problem.ts'

/** Answers what is no HTTP request, or not all of one: there is no request object yet, so the answer is written by hand. */
export function answerBrokenConnection(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || socket.destroyed || !socket.writable) {
    socket.destroy()
    return
  }
  const late = error.code === 'ERR_HTTP_REQUEST_TIMEOUT'
  const cause = late
    ? new DomainError('request_timeout', 'The head of the request did not arrive in time.')
    : new DomainError('bad_request', 'This is not a well-formed HTTP request.')
  answerWithoutRequest(socket, cause, requestId, () => socket.destroy())
}

/** Answers a connection of which no request was read, and sends nothing more. */
export function answerWithoutRequest(socket: Socket, error: DomainError, requestId: string, sent?: () => void): void {
  const { status, headers, body } = toProblem(error, requestId)
  const text = JSON.stringify(body)
  const head = [
    `HTTP/1.1 ${status} ${body.title}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(text)}`,
    `x-request-id: ${body.request_id}`,
    'connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`, sent)
}
