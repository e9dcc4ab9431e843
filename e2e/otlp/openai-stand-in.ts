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

/**
 * A stand-in for the chat completions of OpenAI: the first turn of a conversation calls the tool `weather`, the turn
 * after the tool's result answers. It counts what it bills.
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

  protected answer(sent: { messages: { role: string }[]; stream?: boolean }, response: ServerResponse): void {
    const isLast = sent.messages.at(-1)?.role === 'tool'
    const usage = isLast ? usageOf(150, 30, 100, 10) : usageOf(100, 20, 40, 0)
    this.billed.input += usage.prompt_tokens
    this.billed.output += usage.completion_tokens
    this.billed.cache_read += usage.prompt_tokens_details.cached_tokens
    this.billed.reasoning += usage.completion_tokens_details.reasoning_tokens
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
