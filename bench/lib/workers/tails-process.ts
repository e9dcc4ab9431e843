/**
 * Opens many tails and reads them without parsing: measures the cost of 1,000 readers for the service, not for the
 * readers.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { httpRequest } from '../http-request.ts'
import { answerJobs } from './worker-process.ts'

export interface TailsJob {
  readonly port: number
  readonly key: string
  /** Number of open tails after the job: others are closed or opened. */
  readonly open: number
}

export interface TailsResult {
  /** Bytes read since the previous job. */
  readonly bytes: number
  readonly closedByService: number
}

const OPENED_TOGETHER = 50
const tails: Socket[] = []
const buffer = Buffer.alloc(256 * 1024)
let bytes = 0
let closedByService = 0

answerJobs(run)

async function run({ port, key, open }: TailsJob): Promise<TailsResult> {
  const result = { bytes, closedByService }
  bytes = 0
  const request = httpRequest('GET', '/v1/traces/tail', key, undefined, { accept: 'text/event-stream' })
  while (tails.length < open) {
    const missing = Math.min(OPENED_TOGETHER, open - tails.length)
    tails.push(...(await Promise.all(Array.from({ length: missing }, () => openTail(port, request)))))
  }
  for (const tail of tails.splice(open)) {
    tail.removeAllListeners('close')
    tail.destroy()
  }
  return result
}

/** Resolves at the first bytes of the response. */
async function openTail(port: number, request: Buffer): Promise<Socket> {
  const opened = Promise.withResolvers<void>()
  const socket = connect({
    port,
    host: '127.0.0.1',
    onread: {
      buffer,
      callback(length) {
        bytes += length
        opened.resolve()
        return true
      },
    },
  })
  socket.on('error', opened.reject)
  await once(socket, 'connect')
  socket.on('close', () => (closedByService += 1))
  socket.write(request)
  await opened.promise
  return socket
}
