/**
 * Sends steps in batches over several connections: as spans in protobuf or JSON, as runs of LangSmith, as events of
 * Langfuse, or as lines of NDJSON with an idempotency key each. All have the same content. Each connection fills a
 * trace of its own, batch by batch.
 */
import { randomBytes } from 'node:crypto'
import { Agent, request } from 'node:http'
import { encodeSpans } from '../encode-spans.ts'
import { openStepLine } from '../trace-bodies.ts'
import { answerJobs } from './worker-process.ts'

export type Form = 'keyed lines' | keyof typeof TEMPLATES

export interface OtlpJob {
  readonly port: number
  readonly key: string
  readonly form: Form
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
    const sent = job.form === 'keyed lines' ? keyedLines(batch) : filled(trace, batch, TEMPLATES[job.form])
    repeated += await sendUntilTaken(job, agent, trace, [sent])
    steps += BATCH
  }
  return { steps, repeated }
}

/** One export of many spans. Messages of protobuf that follow each other are one message. */
async function sendOne(job: OtlpJob, agent: Agent, bodyBytes: number) {
  const trace = await newTrace(job, agent)
  const batches = Math.floor(bodyBytes / LARGE_SPANS.bytes.length)
  const pieces = { length: batches, at: (batch: number) => filled(trace, batch, LARGE_SPANS) }
  const repeated = await sendUntilTaken(job, agent, trace, pieces)
  return { steps: batches * BATCH, repeated }
}

/** A trace of another API begins with its first span. */
async function newTrace(job: OtlpJob, agent: Agent): Promise<string> {
  if (job.form !== 'keyed lines') return randomBytes(8).toString('hex').repeat(2)
  const { text } = await send(job, agent, '/v1/traces', 'application/json', [Buffer.from('{"name":"stream"}')])
  return (JSON.parse(text) as { id: string }).id
}

interface Pieces {
  readonly length: number
  at(index: number): Buffer | undefined
}

/** Resolves with how often it was sent again. */
async function sendUntilTaken(job: OtlpJob, agent: Agent, trace: string, pieces: Pieces): Promise<number> {
  const { path, type } = job.form === 'keyed lines' ? linesOf(trace) : ROUTES[job.form]
  for (let repeated = 0; ; repeated++) {
    const { status, text } = await send(job, agent, path, type, pieces)
    if (status >= 200 && status < 300) return repeated
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

const linesOf = (trace: string) => ({ path: `/v1/traces/${trace}/steps`, type: 'application/x-ndjson' })

const ROUTES = {
  spans: { path: '/v1/traces', type: 'application/x-protobuf' },
  'spans in JSON': { path: '/otlp/v1/traces', type: 'application/json' },
  'runs of LangSmith': { path: '/runs/batch', type: 'application/json' },
  'runs of LangSmith in forms': { path: '/runs/multipart', type: 'multipart/form-data; boundary=BOUNDARY' },
  'events of Langfuse': { path: '/api/public/ingestion', type: 'application/json' },
} as const

/** Replaced by half of the trace's id: its halves are equal, and the ids of its runs begin with one. */
const TRACE_HALF = 'a1b2c3d4e5f60718'
const TRACE_MARK = TRACE_HALF.repeat(2)
/** Replaced by the number of the batch. */
const BATCH_MARK = 'f1e2d3c4'
const ROOT = '0000000000000001'

const STEPS = Array.from({ length: BATCH }, (_, index) => JSON.parse(`${openStepLine(index)}}`) as StepBody)
const KEYED_ENDS = STEPS.map((step) => JSON.stringify(step).slice(1))
const TEMPLATES = {
  spans: template(encoded(0), 'hex'),
  'spans in JSON': template(JSON.stringify(jsonSpans()), 'latin1'),
  'runs of LangSmith': template(JSON.stringify({ post: STEPS.map(toRun) }), 'latin1'),
  'runs of LangSmith in forms': template(langSmithForm(), 'latin1'),
  'events of Langfuse': template(JSON.stringify({ batch: STEPS.map(toEvent) }), 'latin1'),
} as const

/** As sure as spans, which are stored once although they are sent again. */
function keyedLines(batch: number): Buffer {
  return Buffer.from(KEYED_ENDS.map((end, index) => `{"idempotency_key":"${batch}-${index}",${end}\n`).join(''))
}
/** Large exports have larger spans, so that they do not take minutes. */
const LARGE_SPANS = template(encoded(16 * 1024), 'hex')

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

function spanIdOf(index: number): string {
  return `${BATCH_MARK}${index.toString(16).padStart(8, '0')}`
}

function attributesOf(step: StepBody): Readonly<Record<string, unknown>> {
  return {
    'gen_ai.operation.name': step.type === 'llm' ? 'chat' : 'retrieval',
    ...(step.model === undefined ? {} : { 'gen_ai.response.model': step.model }),
    'gen_ai.usage.input_tokens': step.token_usage.input,
    'gen_ai.usage.output_tokens': step.token_usage.output,
    'gen_ai.input.messages': JSON.stringify(step.messages.slice(0, 1)),
    'gen_ai.output.messages': JSON.stringify(step.messages.slice(1)),
    ...step.metadata,
  }
}

function encoded(padding: number): Buffer {
  return encodeSpans(
    STEPS.map((step, index) => ({
      traceId: TRACE_MARK,
      spanId: spanIdOf(index),
      parentSpanId: ROOT,
      name: step.name,
      startMs: Date.parse(step.started_at),
      endMs: Date.parse(step.ended_at),
      statusCode: step.status === 'error' ? 2 : 1,
      attributes: {
        ...attributesOf(step),
        ...(padding === 0 ? {} : { 'http.request.body': 'x y '.repeat(padding / 4) }),
      },
    })),
  )
}

function jsonSpans(): object {
  const spans = STEPS.map((step, index) => ({
    traceId: TRACE_MARK,
    spanId: spanIdOf(index),
    parentSpanId: ROOT,
    name: step.name,
    startTimeUnixNano: `${Date.parse(step.started_at)}000000`,
    endTimeUnixNano: `${Date.parse(step.ended_at)}000000`,
    status: { code: step.status === 'error' ? 2 : 1 },
    attributes: Object.entries(attributesOf(step)).map(([key, value]) => ({
      key,
      value: typeof value === 'number' ? { intValue: value } : { stringValue: value },
    })),
  }))
  return { resourceSpans: [{ scopeSpans: [{ spans }] }] }
}

function textOf({ role, content: [part] }: StepBody['messages'][number]): object {
  return { role, content: part?.text }
}

function toRun(step: StepBody, index: number): Readonly<Record<string, unknown>> & { readonly id: string } {
  const { name, type, model, status, messages, token_usage: usage, metadata } = step
  const usageMetadata = { input_tokens: usage.input, output_tokens: usage.output }
  return {
    id: `${TRACE_HALF}${spanIdOf(index)}`,
    trace_id: TRACE_MARK,
    parent_run_id: TRACE_MARK,
    name,
    run_type: type === 'llm' ? 'llm' : 'retriever',
    start_time: step.started_at,
    end_time: step.ended_at,
    ...(status === 'error' ? { error: 'failed' } : {}),
    extra: { metadata, invocation_params: { model } },
    inputs: { messages: [textOf(messages[0]!)] },
    outputs: { choices: [{ message: textOf(messages[1]!) }], usage_metadata: usageMetadata },
  }
}

/** SDKs send inputs and outputs as parts of their own. */
function langSmithForm(): string {
  const parts = STEPS.map(toRun).flatMap(({ inputs, outputs, ...others }) => {
    const fields = Object.entries({ '': others, '.inputs': inputs, '.outputs': outputs })
    return fields.map(([field, value]) => [`post.${others.id}${field}`, JSON.stringify(value)])
  })
  const printed = parts.map(
    ([name, value]) =>
      `--BOUNDARY\r\nContent-Disposition: form-data; name="${name}"\r\nContent-Type: application/json\r\n\r\n${value}\r\n`,
  )
  return `${printed.join('')}--BOUNDARY--\r\n`
}

function toEvent(step: StepBody, index: number): object {
  const { name, type, model, status, messages, token_usage: usageDetails, metadata } = step
  return {
    id: `${BATCH_MARK}-${index}`,
    type: type === 'llm' ? 'generation-create' : 'span-create',
    timestamp: step.ended_at,
    body: {
      id: spanIdOf(index),
      traceId: TRACE_MARK,
      name,
      startTime: step.started_at,
      endTime: step.ended_at,
      ...(type === 'llm' ? { model, usageDetails } : {}),
      level: status === 'error' ? 'ERROR' : 'DEFAULT',
      input: [textOf(messages[0]!)],
      output: textOf(messages[1]!),
      metadata,
    },
  }
}

interface Template {
  readonly bytes: Buffer
  readonly form: 'hex' | 'latin1'
  readonly traces: readonly number[]
  readonly batches: readonly number[]
}

/** A body, and where it has the id of its trace and the number of its batch. */
function template(body: Buffer | string, form: Template['form']): Template {
  const bytes = Buffer.from(body as string)
  return { bytes, form, traces: placesOf(bytes, TRACE_HALF, form), batches: placesOf(bytes, BATCH_MARK, form) }
}

function placesOf(bytes: Buffer, mark: string, form: Template['form']): readonly number[] {
  const places: number[] = []
  const wanted = Buffer.from(mark, form)
  for (let at = bytes.indexOf(wanted); at >= 0; at = bytes.indexOf(wanted, at + wanted.length)) places.push(at)
  return places
}

function filled(trace: string, batch: number, { bytes, form, traces, batches }: Template): Buffer {
  const copy = Buffer.from(bytes)
  const id = Buffer.from(trace.slice(0, TRACE_HALF.length), form)
  const number = Buffer.from((batch + 1).toString(16).padStart(8, '0'), form)
  for (const place of traces) id.copy(copy, place)
  for (const place of batches) number.copy(copy, place)
  return copy
}
