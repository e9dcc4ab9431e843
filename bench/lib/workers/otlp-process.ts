/**
 * Sends steps in batches over several connections: as spans in protobuf, or as lines of NDJSON, without or with an
 * idempotency key each. All have the same content. Each connection fills a trace of its own, batch by batch.
 */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { encodeSpans } from '../encode-spans.ts'
import { openStepLine } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

export interface OtlpJob {
  readonly port: number
  readonly key: string
  readonly form: 'spans' | 'lines' | 'keyed lines'
  readonly connections: number
  /** Sends batches for this time; or, if `bodyBytes` is given, one body of about that size over each connection. */
  readonly durationMs: number
  readonly bodyBytes?: number
}

export interface OtlpResult {
  readonly steps: number
  readonly perSecond: number
  /** Requests that were refused for now and sent again. */
  readonly repeated: number
}

const BATCH = 256
/** A new trace after so many batches. */
const BATCHES_OF_TRACE = 40
const RETRY_MS = 250

answerJobs(run)

async function run(job: OtlpJob): Promise<OtlpResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: job.connections })
  const began = performance.now()
  const counts = await Promise.all(
    Array.from({ length: job.connections }, () =>
      job.bodyBytes === undefined
        ? sendBatches(job, agent, began + job.durationMs)
        : sendOne(job, agent, job.bodyBytes),
    ),
  )
  agent.destroy()
  const steps = counts.reduce((sum, count) => sum + count.steps, 0)
  const repeated = counts.reduce((sum, count) => sum + count.repeated, 0)
  return { steps, repeated, perSecond: (1000 * steps) / (performance.now() - began) }
}

async function sendBatches(job: OtlpJob, agent: Agent, until: number) {
  let [steps, repeated, trace] = [0, 0, '']
  for (let batch = 0; performance.now() < until; batch++) {
    if (batch % BATCHES_OF_TRACE === 0) trace = await newTrace(job, agent)
    const body = job.form === 'spans' ? spans(trace, batch) : job.form === 'lines' ? LINES : keyedLines(batch)
    repeated += await sendUntilTaken(job, agent, trace, [body])
    steps += BATCH
  }
  return { steps, repeated }
}

/** One export of many spans. Messages of protobuf that follow each other are one message. */
async function sendOne(job: OtlpJob, agent: Agent, bodyBytes: number) {
  const trace = await newTrace(job, agent)
  const batches = Math.floor(bodyBytes / LARGE_SPANS.bytes.length)
  const pieces = { length: batches, at: (batch: number) => spans(trace, batch, LARGE_SPANS) }
  const repeated = await sendUntilTaken(job, agent, trace, pieces)
  return { steps: batches * BATCH, repeated }
}

/** A trace of OpenTelemetry begins with its first span. */
async function newTrace(job: OtlpJob, agent: Agent): Promise<string> {
  if (job.form === 'spans') return randomBytes(16).toString('hex')
  const { text } = await send(job, agent, '/v1/traces', 'application/json', [Buffer.from('{"name":"stream"}')])
  return (JSON.parse(text) as { id: string }).id
}

interface Pieces {
  readonly length: number
  at(index: number): Buffer | undefined
}

/** Resolves with how often it was sent again. */
async function sendUntilTaken(job: OtlpJob, agent: Agent, trace: string, pieces: Pieces): Promise<number> {
  const [path, type] =
    job.form === 'spans'
      ? ['/v1/traces', 'application/x-protobuf']
      : [`/v1/traces/${trace}/steps`, 'application/x-ndjson']
  for (let repeated = 0; ; repeated++) {
    const { status, text } = await send(job, agent, path, type, pieces)
    if (status === 200) return repeated
    if (status !== 503) throw new Error(`the service answered ${status}: ${text.slice(0, 300)}`)
    await new Promise((resolve) => setTimeout(resolve, RETRY_MS))
  }
}

function send({ port, key }: OtlpJob, agent: Agent, path: string, type: string, pieces: Pieces) {
  return new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
    const headers = { 'x-api-key': key, 'content-type': type, accept: type, 'content-length': lengthOf(pieces) }
    const sent = request({ agent, host: '127.0.0.1', port, path, method: 'POST', headers }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => {
        // A refusal may come before all was sent.
        if (!sent.writableEnded) sent.destroy()
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(chunks).toString() })
      })
    })
    sent.on('error', (error: NodeJS.ErrnoException) => {
      // The connection was closed behind a refusal.
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve({ status: 503, text: error.code })
      else reject(error)
    })
    let index = 0
    const write = (): void => {
      while (index < pieces.length) {
        if (!sent.write(pieces.at(index++)!)) return void sent.once('drain', write)
      }
      sent.end()
    }
    write()
  })
}

/** All pieces have the same length. */
function lengthOf(pieces: Pieces): number {
  return pieces.length * pieces.at(0)!.length
}

const TRACE_MARK = 'a1b2c3d4e5f60718293a4b5c6d7e8f90'
const SPAN_MARK = 'f1e2d3c4'

const STEPS = Array.from({ length: BATCH }, (_, index) => JSON.parse(`${openStepLine(index)}}`) as StepBody)
const KEYED_ENDS = STEPS.map((step) => JSON.stringify(step).slice(1))
const LINES = Buffer.from(STEPS.map((step) => `${JSON.stringify(step)}\n`).join(''))
const SPANS = template(0)

/** As sure as spans, which are stored once although they are sent again. */
function keyedLines(batch: number): Buffer {
  return Buffer.from(KEYED_ENDS.map((end, index) => `{"idempotency_key":"${batch}-${index}",${end}\n`).join(''))
}
/** Large exports have larger spans, so that they do not take minutes. */
const LARGE_SPANS = template(16 * 1024)

interface StepBody {
  readonly name: string
  readonly type: string
  readonly model?: string
  readonly status: string
  readonly messages: readonly { readonly role: string; readonly content: readonly { readonly text: string }[] }[]
  readonly token_usage: { readonly input: number; readonly output: number }
  readonly metadata: Readonly<Record<string, unknown>>
  readonly started_at: string
  readonly ended_at: string
}

/** One export, and where its trace ids and the numbers of its spans are. */
function template(padding: number) {
  const root = '0000000000000001'
  const bytes = encodeSpans(
    STEPS.map((step, index) => ({
      traceId: TRACE_MARK,
      spanId: `${SPAN_MARK}${index.toString(16).padStart(8, '0')}`,
      parentSpanId: root,
      name: step.name,
      startMs: Date.parse(step.started_at),
      endMs: Date.parse(step.ended_at),
      statusCode: step.status === 'error' ? 2 : 1,
      attributes: {
        'gen_ai.operation.name': step.type === 'llm' ? 'chat' : 'retrieval',
        ...(step.model === undefined ? {} : { 'gen_ai.response.model': step.model }),
        'gen_ai.usage.input_tokens': step.token_usage.input,
        'gen_ai.usage.output_tokens': step.token_usage.output,
        'gen_ai.input.messages': JSON.stringify(step.messages.slice(0, 1)),
        'gen_ai.output.messages': JSON.stringify(step.messages.slice(1)),
        ...step.metadata,
        ...(padding === 0 ? {} : { 'http.request.body': 'x y '.repeat(padding / 4) }),
      },
    })),
  )
  return { bytes, traces: placesOf(bytes, TRACE_MARK), spans: placesOf(bytes, SPAN_MARK) }
}

function placesOf(bytes: Buffer, mark: string): readonly number[] {
  const places: number[] = []
  const wanted = Buffer.from(mark, 'hex')
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

function spans(trace: string, batch: number, of = SPANS): Buffer {
  const copy = Buffer.from(of.bytes)
  const id = Buffer.from(trace, 'hex')
  for (const place of of.traces) id.copy(copy, place)
  for (const place of of.spans) copy.writeUInt32BE(batch + 1, place)
  return copy
}
