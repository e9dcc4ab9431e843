import type { ServerResponse } from 'node:http'
import { ModelStandIn } from '../lib/model-stand-in.ts'

/** As the API of OpenAI has it. `prompt_tokens` includes the cached ones, `completion_tokens` the reasoning. */
interface Usage {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
  readonly prompt_tokens_details: { readonly cached_tokens: number }
  readonly completion_tokens_details: { readonly reasoning_tokens: number }
}

/** What a sender's calls have cost. */
export interface Billed {
  input: number
  output: number
  cache_read: number
  reasoning: number
}

export const MODEL = 'gpt-5-2026-05-01'
export const ANSWER = 'Sunny, 21 degrees.'
/** A summary of its reasoning, which the API of responses has. */
export const THOUGHT = 'The tool knows.'

/** What the API of chat completions, of responses, or of Gemini is given. */
interface Request {
  readonly messages?: readonly { readonly role: string }[]
  readonly input?: readonly { readonly type?: string }[]
  readonly instructions?: string
  readonly contents?: readonly { readonly parts: readonly { readonly functionResponse?: unknown }[] }[]
  readonly stream?: boolean
}

/**
 * A stand-in for the chat completions and the responses of OpenAI, and for Gemini: the first turn of a conversation
 * calls the tool `weather`, the turn after the tool's result answers. It counts what it bills.
 */
export class OpenAiStandIn extends ModelStandIn {
  billed: Billed = noCost()

  static start(): Promise<OpenAiStandIn> {
    return new OpenAiStandIn().listen()
  }

  get baseUrl(): string {
    return `${this.origin}/v1`
  }

  /** Begins another bill. */
  reset(): void {
    this.billed = noCost()
  }

  protected answer(sent: Request, response: ServerResponse): void {
    const { messages = [], input = [], contents } = sent
    const isLast =
      messages.at(-1)?.role === 'tool' ||
      input.at(-1)?.type === 'function_call_output' ||
      contents?.at(-1)?.parts[0]?.functionResponse !== undefined
    const usage = isLast ? usageOf(150, 30, 100, 10) : usageOf(100, 20, 40, 0)
    this.billed.input += usage.prompt_tokens
    this.billed.output += usage.completion_tokens
    this.billed.cache_read += usage.prompt_tokens_details.cached_tokens
    this.billed.reasoning += usage.completion_tokens_details.reasoning_tokens
    if (contents !== undefined) return generate(isLast, usage, response)
    if (sent.input !== undefined) return respond(sent, isLast, usage, response)
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{"city":"Bern"}' } }
    const message = isLast
      ? { role: 'assistant', content: ANSWER, refusal: null }
      : { role: 'assistant', content: null, refusal: null, tool_calls: [call] }
    const reason = isLast ? 'stop' : 'tool_calls'
    const head = { id: isLast ? 'chatcmpl-2' : 'chatcmpl-1', created: 1_772_323_200, model: MODEL }
    if (sent.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      const choices = [{ index: 0, message, finish_reason: reason, logprobs: null }]
      return void response.end(JSON.stringify({ ...head, object: 'chat.completion', choices, usage }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const chunk = (delta: unknown, finish: string | null) =>
      write(response, {
        ...head,
        object: 'chat.completion.chunk',
        choices: [{ index: 0, delta, finish_reason: finish }],
      })
    const deltas = isLast
      ? ANSWER.split(/(?<= )/).map((text) => ({ content: text }))
      : [{ tool_calls: [{ index: 0, ...call }] }]
    for (const delta of deltas) {
      chunk({ role: 'assistant', ...delta }, null)
      if (this.stalls) return
    }
    chunk({}, reason)
    write(response, { ...head, object: 'chat.completion.chunk', choices: [], usage })
    response.end('data: [DONE]\n\n')
  }
}

/** As the API of responses does. */
function respond({ stream, instructions }: Request, isLast: boolean, usage: Usage, response: ServerResponse): void {
  const answer = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    status: 'completed',
    content: [{ type: 'output_text', text: ANSWER, annotations: [] }],
  }
  const call = { id: 'fc_1', type: 'function_call', call_id: 'call_1', name: 'weather', status: 'completed' }
  const output = [
    { id: 'rs_1', type: 'reasoning', summary: [{ type: 'summary_text', text: THOUGHT }] },
    isLast ? answer : { ...call, arguments: '{"city":"Bern"}' },
  ]
  const { prompt_tokens, prompt_tokens_details, completion_tokens, completion_tokens_details, total_tokens } = usage
  const billed = {
    input_tokens: prompt_tokens,
    input_tokens_details: prompt_tokens_details,
    output_tokens: completion_tokens,
    output_tokens_details: completion_tokens_details,
    total_tokens,
  }
  const head = {
    id: `resp_${isLast ? 2 : 1}`,
    object: 'response',
    created_at: 1_772_323_200,
    model: MODEL,
    instructions,
  }
  const whole = { ...head, status: 'completed', output, usage: billed }
  response.writeHead(200, { 'content-type': stream === true ? 'text/event-stream' : 'application/json' })
  if (stream !== true) return void response.end(JSON.stringify(whole))
  write(response, { type: 'response.created', response: { ...head, status: 'in_progress', output: [] } })
  for (const [at, item] of output.entries())
    write(response, { type: 'response.output_item.done', output_index: at, item })
  write(response, { type: 'response.completed', response: whole })
  response.end()
}

/** As Gemini does: its output leaves the thoughts out. */
function generate(isLast: boolean, usage: Usage, response: ServerResponse): void {
  const parts = isLast
    ? [{ text: ANSWER }]
    : [{ functionCall: { id: 'call_1', name: 'weather', args: { city: 'Bern' } } }]
  const { reasoning_tokens: thoughts } = usage.completion_tokens_details
  const usageMetadata = {
    promptTokenCount: usage.prompt_tokens,
    cachedContentTokenCount: usage.prompt_tokens_details.cached_tokens,
    candidatesTokenCount: usage.completion_tokens - thoughts,
    thoughtsTokenCount: thoughts,
    totalTokenCount: usage.total_tokens,
  }
  const candidates = [{ content: { role: 'model', parts }, finishReason: 'STOP', index: 0 }]
  response.writeHead(200, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ candidates, usageMetadata, modelVersion: 'gemini-3-flash-001' }))
}

function noCost(): Billed {
  return { input: 0, output: 0, cache_read: 0, reasoning: 0 }
}

function usageOf(input: number, output: number, cached: number, reasoning: number): Usage {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: reasoning },
  }
}

function write(response: ServerResponse, event: unknown): void {
  response.write(`data: ${JSON.stringify(event)}\n\n`)
}
