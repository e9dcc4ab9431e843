/** Hostile clients: many connections that send or receive in one abusive manner. */
import { randomBytes } from 'node:crypto'
import { connect } from 'node:net'
import { answerJobs } from './worker-process.ts'

export interface Attack {
  readonly connections: number
  /** Sent in turn by all connections. `FRESH` in one is replaced by digits of its own each time. */
  readonly requests: readonly Uint8Array[]
  readonly manner: Manner
}

export type Manner =
  /** Reads responses as they come, and sends again until the time is over. */
  | { readonly kind: 'repeat' }
  /** Sends once and reads the response one byte at a time. */
  | { readonly kind: 'take slowly'; readonly everyMs: number }
  /** Sends once, then one byte at a time of a body that never ends. */
  | { readonly kind: 'send slowly'; readonly everyMs: number }
  /** Disconnects after a while, and comes back. */
  | { readonly kind: 'leave'; readonly afterMs: number }
  /** Sends once, and reads a response that does not end. */
  | { readonly kind: 'stay' }

export interface AttackJob extends Attack {
  readonly port: number
  readonly durationMs: number
}

/** The outcomes with their counts: status and code, or the end of the connection. */
export type AttackResult = Readonly<Record<string, number>>

/** Hexadecimal digits. */
const FRESH = 'f00dfeed'
/** The beginning of a response, for its status and code. */
const HEAD_LENGTH = 4096
/** A client that was refused or disconnected reconnects, as impatient clients do. */
const COME_BACK_MS = 1000

answerJobs(run)

async function run({ port, durationMs, connections, requests, manner }: AttackJob): Promise<AttackResult> {
  const tally: Record<string, number> = {}
  const count = (what: string) => (tally[what] = (tally[what] ?? 0) + 1)
  const ends = performance.now() + durationMs
  let sent = 0
  await Promise.all(Array.from({ length: connections }, () => attack()))
  return tally

  async function attack(): Promise<void> {
    do {
      const outcome = await exchange(port, refreshed(requests[sent++ % requests.length]!), manner, ends)
      count(outcome)
      if (!/^2|left/.test(outcome)) await new Promise((resolve) => setTimeout(resolve, COME_BACK_MS))
    } while (performance.now() < ends)
  }
}

function refreshed(request: Uint8Array): Uint8Array {
  const bytes = Buffer.from(request)
  const digits = Buffer.from(randomBytes(4).toString('hex'))
  for (let at = bytes.indexOf(FRESH); at >= 0; at = bytes.indexOf(FRESH, at + FRESH.length)) digits.copy(bytes, at)
  return bytes
}

/** One request on a connection of its own. */
function exchange(port: number, request: Uint8Array, manner: Manner, ends: number): Promise<string> {
  return new Promise((resolve) => {
    let head = ''
    let tail = ''
    const socket = connect({ port, host: '127.0.0.1' })
    const timers: NodeJS.Timeout[] = []
    const end = (without: string) => {
      for (const timer of timers) clearTimeout(timer)
      socket.destroy()
      const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1]
      const code = /"code":"(\w+)"/.exec(head)?.[1]
      resolve(status === undefined ? without : [status, code, without].filter(Boolean).join(' '))
    }
    const take = (bytes: Buffer) => {
      const text = bytes.toString('latin1')
      if (head.length < HEAD_LENGTH) head += text
      tail = (tail + text).slice(-HEAD_LENGTH)
      if (manner.kind !== 'take slowly' && isWhole(head, tail)) end('')
    }
    socket.on('error', () => end('connection refused'))
    socket.on('close', () => end('connection closed'))
    socket.write(request)
    if (manner.kind === 'take slowly') {
      socket.pause()
      timers.push(setInterval(() => take((socket.read(1) as Buffer | null) ?? Buffer.alloc(0)), manner.everyMs))
    } else {
      socket.on('data', take)
    }
    if (manner.kind === 'send slowly') timers.push(setInterval(() => socket.write('x'), manner.everyMs))
    if (manner.kind === 'leave') timers.push(setTimeout(() => end('left'), manner.afterMs))
    // Wait for the response to a complete request: its delay is part of the result.
    else if (manner.kind !== 'repeat') timers.push(setTimeout(() => end('still open'), ends - performance.now()))
  })
}

function isWhole(head: string, tail: string): boolean {
  const end = head.indexOf('\r\n\r\n')
  if (end < 0) return false
  const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1]
  return length === undefined ? tail.endsWith('\r\n0\r\n\r\n') : head.length - end - 4 >= Math.min(Number(length), 1)
}
