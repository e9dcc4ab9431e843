/**
 * Sends one NDJSON stream of steps as fast as the service accepts it, and counts the verdicts that arrive meanwhile.
 */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { openStepLine } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

export interface AppendJob {
  readonly port: number
  readonly key: string
  readonly traceId: string
  readonly steps: number
  /** Whether each step has an idempotency key of its own. */
  readonly keyed: boolean
}

export interface AppendResult {
  readonly created: number
  readonly seconds: number
  readonly bytes: number
  readonly cpuSeconds: number
}

const LINES_PER_CHUNK = 64
const KEY_DIGITS = 12
const CREATED = '"created"'
const LAST_CHUNK = '\r\n0\r\n\r\n'

answerJobs(run)

async function run(job: AppendJob): Promise<AppendResult> {
  const template = makeTemplate(job.keyed)
  const socket = connect({ port: job.port, host: '127.0.0.1', noDelay: true })
  await once(socket, 'connect')
  const cpuBefore = process.cpuUsage()
  const began = performance.now()
  const answered = countCreated(socket)
  socket.write(
    `POST /v1/traces/${job.traceId}/steps HTTP/1.1\r\nhost: 127.0.0.1\r\nx-api-key: ${job.key}\r\n` +
      'content-type: application/x-ndjson\r\naccept: application/x-ndjson\r\ntransfer-encoding: chunked\r\n\r\n',
  )
  let bytes = 0
  for (let sent = 0; sent < job.steps; sent += LINES_PER_CHUNK) {
    const chunk = template.chunk(sent)
    bytes += chunk.length
    if (!socket.write(chunk)) await once(socket, 'drain')
  }
  socket.write('0\r\n\r\n')
  const created = await answered
  socket.destroy()
  const cpu = process.cpuUsage(cpuBefore)
  return { created, bytes, seconds: (performance.now() - began) / 1000, cpuSeconds: (cpu.user + cpu.system) / 1e6 }
}

/** One HTTP chunk of lines; with keys, a copy of it with the digits of each key filled in. */
function makeTemplate(keyed: boolean): { chunk(firstStep: number): Buffer } {
  const key = '0'.repeat(KEY_DIGITS)
  const lines = Array.from({ length: LINES_PER_CHUNK }, (_, index) =>
    keyed ? `${openStepLine(index)},"idempotency_key":"${key}"}\n` : `${openStepLine(index)}}\n`,
  )
  const body = Buffer.from(lines.join(''))
  const whole = Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n')])
  if (!keyed) return { chunk: () => whole }
  const places: number[] = []
  for (let at = whole.indexOf(`"${key}"`); at >= 0; at = whole.indexOf(`"${key}"`, at + 1)) places.push(at + 1)
  return {
    chunk(firstStep) {
      const copy = Buffer.from(whole)
      for (const [index, place] of places.entries()) {
        copy.write(String(firstStep + index).padStart(KEY_DIGITS, '0'), place, 'latin1')
      }
      return copy
    },
  }
}

function countCreated(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let created = 0
    let carried = ''
    socket.on('data', (bytes) => {
      const text = carried + bytes.toString('latin1')
      for (let at = text.indexOf(CREATED); at >= 0; at = text.indexOf(CREATED, at + CREATED.length)) created += 1
      if (text.endsWith(LAST_CHUNK)) resolve(created)
      // One character less than the pattern, so that nothing is counted twice.
      carried = text.slice(-(CREATED.length - 1))
    })
    socket.on('error', reject)
    socket.on('close', () => reject(new Error('the service closed the connection before its response ended')))
  })
}
