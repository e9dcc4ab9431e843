/**
 * A receiver of deliveries in a process of its own:
 *
 *     node e2e/webhooks/receiver-process.ts PORT FILE SECRET [SECRET]
 *
 * Verifies every signature with HMAC, appends each request as a line to FILE before it answers, and answers 204, or 400
 * if a signature is wrong. Port 0 picks a free port. Prints the port when it is ready.
 */
import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { openSync, writeSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Received } from './received.ts'

const [port, path, ...secrets] = process.argv.slice(2)
if (port === undefined || path === undefined || secrets.length === 0) {
  throw new Error('usage: receiver-process.ts PORT FILE SECRET [SECRET]')
}
const file = openSync(path, 'a')

const server = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = Buffer.concat(chunks)
    const problem = findProblem(request.headers, body)
    const event = JSON.parse(body.toString('utf8')) as Pick<Received, 'id' | 'type' | 'timestamp' | 'data'>
    const received: Received = {
      ...event,
      eventId: String(request.headers['webhook-id']),
      deliveryId: String(request.headers['x-spoor-delivery']),
      attempt: Number(request.headers['x-spoor-attempt']),
      at: Date.now(),
      bodyHash: createHash('sha256').update(body).digest('hex'),
      bytes: body.length,
      problem,
    }
    writeSync(file, `${JSON.stringify(received)}\n`)
    response.writeHead(problem === null ? 204 : 400).end()
  })
})
server.listen(Number(port), '127.0.0.1', () => console.log((server.address() as AddressInfo).port))

function findProblem(headers: IncomingHttpHeaders, body: Buffer): string | null {
  const plain = secrets.map((secret) => `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`)
  if (!plain.some((expected) => same(expected, String(headers['x-service-signature'])))) return 'x-service-signature'
  const timestamp = String(headers['webhook-timestamp'])
  if (Math.abs(Date.now() / 1000 - Number(timestamp)) > 300) return 'webhook-timestamp'
  const signed = Buffer.concat([Buffer.from(`${String(headers['webhook-id'])}.${timestamp}.`), body])
  const standard = secrets.map((secret) => `v1,${createHmac('sha256', keyOf(secret)).update(signed).digest('base64')}`)
  const given = String(headers['webhook-signature']).split(' ')
  return standard.some((expected) => given.some((one) => same(expected, one))) ? null : 'webhook-signature'
}

function keyOf(secret: string): Buffer {
  return secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : Buffer.from(secret)
}

function same(one: string, other: string): boolean {
  return one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other))
}
