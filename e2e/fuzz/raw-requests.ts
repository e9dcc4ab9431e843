import { once } from 'node:events'
import { connect } from 'node:net'
import { findFault } from './check-answer.ts'

/**
 * Bytes that are not a valid request, or one that no client library sends. The service must answer with a problem or
 * close.
 */
export function rawRequests(key: string): readonly string[] {
  const head = `host: x\r\nx-api-key: ${key}\r\n`
  const json = `${head}content-type: application/json\r\n`
  const cookie = `cookie: spoor_session=${'x'.repeat(43)}`
  return [
    '\r\n\r\n',
    'GET\r\n\r\n',
    'GET / HTTP/9.9\r\n\r\n',
    '\x16\x03\x01\x02\x00\x01\x00\x01',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    `FROB /v1/traces HTTP/1.1\r\n${head}\r\n`,
    'GET /v1/traces HTTP/1.1\r\n\r\n',
    `GET /v1/traces HTTP/1.1\r\nhost: x\r\nx-api-key: a\x00b\r\n\r\n`,
    `GET /v1/traces HTTP/1.1\r\nhost: x\r\nx y: z\r\n\r\n`,
    `GET /v1/traces HTTP/1.1\r\nx: ${'a'.repeat(100_000)}\r\n\r\n`,
    `GET /${'a'.repeat(100_000)} HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/traces?name=\xff\xfe' HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/traces/%2e%2e%2f HTTP/1.1\r\n${head}\r\n`,
    `GET /v1/traces/${'%27'.repeat(300)} HTTP/1.1\r\n${head}\r\n`,
    `GET //v1//traces HTTP/1.1\r\n${head}\r\n`,
    `GET http://elsewhere/v1/traces HTTP/1.1\r\n${head}\r\n`,
    `GET * HTTP/1.1\r\n${head}\r\n`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: -1\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: 1e3\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: 2\r\ncontent-length: 3\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: 99999999999999999999\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}transfer-encoding: chunked\r\n\r\nzz\r\n{}\r\n0\r\n\r\n`,
    `POST /v1/traces HTTP/1.1\r\n${json}transfer-encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n`,
    `POST /v1/traces HTTP/1.1\r\n${json}transfer-encoding: gzip\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}expect: 200-ok\r\ncontent-length: 2\r\n\r\n{}`,
    `POST /v1/traces HTTP/1.1\r\n${json}idempotency-key: ${"'".repeat(1001)}\r\ncontent-length: 12\r\n\r\n{"name":"a"}`,
    `POST /v1/traces HTTP/1.1\r\n${json}\r\n`,
    `GET /v1/traces HTTP/1.1\r\nhost: x\r\n${cookie}\r\n${cookie}\r\n\r\n`,
    `GET /v1/traces HTTP/1.0\r\n${cookie}; ;;=; spoor_session\r\n\r\n`,
    `GET /v1/traces HTTP/1.1\r\nhost: x\r\ncookie: spoor_session=\xff\xfe"; ${'a=b;'.repeat(3000)}\r\n\r\n`,
    `DELETE /v1/session HTTP/1.1\r\nhost: x\r\norigin: http://x\r\norigin: http://x\r\n${cookie}\r\n\r\n`,
    `DELETE /v1/session HTTP/1.0\r\norigin: null\r\n${cookie}\r\n\r\n`,
    `POST /v1/traces HTTP/1.1\r\n${json}content-length: 0\r\n\r\n`,
  ]
}

/** What is wrong with the answer, or with the closed connection; null if nothing is. */
export async function sendRaw(url: string, bytes: string): Promise<string | null> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  socket.on('error', () => undefined)
  socket.setTimeout(3000, () => socket.destroy())
  socket.end(Buffer.from(bytes, 'latin1'))
  await once(socket, 'close')
  return faultOf(Buffer.concat(chunks).toString())
}

function faultOf(text: string): string | null {
  if (text === '') return null
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [statusLine = '', ...fields] = head.split('\r\n')
  const status = Number(statusLine.split(' ')[1])
  const headers = Object.fromEntries(
    fields.map((field) => [
      field.slice(0, field.indexOf(':')).toLowerCase(),
      field.slice(field.indexOf(':') + 1).trim(),
    ]),
  )
  if (status === 202) return 'what is no valid request was accepted'
  return findFault({ status, headers, text: rest.join('\r\n\r\n') })
}
