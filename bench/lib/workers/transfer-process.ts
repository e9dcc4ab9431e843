/**
 * Sends or receives large bodies, all of a job at once. A body repeats one block, whose first eight bytes differ;
 * received bytes are counted and discarded.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { answerJobs } from './worker-process.ts'

/** One request on a connection of its own. */
export interface Transfer {
  /** The request up to the first byte of the body's bulk, and what follows the bulk. */
  readonly head: Uint8Array
  readonly bulkBytes: number
  readonly tail: Uint8Array
}

export interface TransferJob {
  readonly port: number
  readonly transfers: readonly Transfer[]
}

export interface TransferResult {
  readonly seconds: number
  /** In the order of the transfers: status, bytes of the body, and the body if it is short. */
  readonly answers: readonly { readonly status: number; readonly bytes: number; readonly text: string }[]
  readonly cpuSeconds: number
}

const BLOCK_BYTES = 1024 * 1024
const MARK_BYTES = 8
const RECEIVE_BYTES = 256 * 1024
const SHORT_BYTES = 8192

/** Like a recording or a picture: without patterns that would speed up a search for a boundary. */
const block = randomBytes(BLOCK_BYTES)

answerJobs(run)

async function run({ port, transfers }: TransferJob): Promise<TransferResult> {
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const answers = await Promise.all(transfers.map((transfer) => exchange(port, transfer)))
  const cpu = process.cpuUsage(cpuBefore)
  return { seconds: (performance.now() - began) / 1000, answers, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}

async function exchange(port: number, transfer: Transfer): Promise<TransferResult['answers'][number]> {
  const answer = new CountedAnswer()
  const ended = Promise.withResolvers<void>()
  const socket = connect({
    port,
    host: '127.0.0.1',
    noDelay: true,
    onread: {
      buffer: new Uint8Array(RECEIVE_BYTES),
      callback: (count, bytes) => {
        if (answer.take(bytes.subarray(0, count))) ended.resolve()
        return true
      },
    },
  })
  socket.on('error', ended.reject)
  socket.on('close', () => ended.reject(new Error('the service closed the connection before its response ended')))
  await once(socket, 'connect')
  await Promise.all([send(socket, transfer), ended.promise])
  socket.destroy()
  return { status: answer.status, bytes: answer.bodyBytes, text: answer.text }
}

async function send(socket: Socket, { head, bulkBytes, tail }: Transfer): Promise<void> {
  socket.write(head)
  for (let sent = 0; sent < bulkBytes; sent += BLOCK_BYTES) {
    const piece = (sent === 0 ? markedBlock() : block).subarray(0, bulkBytes - sent)
    if (!socket.write(piece)) await once(socket, 'drain')
  }
  if (tail.length > 0) socket.write(tail)
}

function markedBlock(): Buffer {
  const copy = Buffer.from(block)
  randomBytes(MARK_BYTES).copy(copy)
  return copy
}

/** Reads a response with a Content-Length. */
class CountedAnswer {
  status = 0
  bodyBytes = 0
  #announced = -1
  #head = ''
  #short: Buffer[] = []

  /** Returns true at the end. */
  take(bytes: Uint8Array): boolean {
    let body = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    if (this.#announced < 0) {
      this.#head += body.toString('latin1')
      const end = this.#head.indexOf('\r\n\r\n')
      if (end < 0) return false
      this.status = Number(this.#head.slice(9, 12))
      this.#announced = Number(/\r\ncontent-length: (\d+)/i.exec(this.#head)?.[1] ?? NaN)
      body = Buffer.from(this.#head.slice(end + 4), 'latin1')
    }
    this.bodyBytes += body.length
    if (this.#announced <= SHORT_BYTES) this.#short.push(Buffer.from(body))
    return this.bodyBytes >= this.#announced
  }

  get text(): string {
    return Buffer.concat(this.#short).toString()
  }
}
