import type { ServerResponse } from 'node:http'
import type Anthropic from '@anthropic-ai/sdk'
import { ModelStandIn } from '../lib/model-stand-in.ts'
import { ANSWER } from '../otlp/openai-stand-in.ts'

/** What a sender's calls have cost, as the API of Anthropic has it: `input_tokens` do not include the cached ones. */
interface Bill {
  input_tokens: number
  cache_creation_input_tokens: number
  cache_read_input_tokens: number
  output_tokens: number
}

export const MODEL = 'claude-sonnet-5-20260301'

/**
 * A stand-in for the messages of Anthropic: the first turn of a conversation calls the tool `weather`, the turn after
 * the tool's result answers. It counts what it bills.
 */
export class AnthropicStandIn extends ModelStandIn {
  bill = noCost()

  static start(): Promise<AnthropicStandIn> {
    return new AnthropicStandIn().listen()
  }

  /** Begins another bill. */
  reset(): void {
    this.bill = noCost()
  }

  protected answer(sent: Anthropic.MessageCreateParams, response: ServerResponse): void {
    const isLast = Array.isArray(sent.messages.at(-1)?.content)
    const usage = isLast ? usageOf(12, 0, 140, 30) : usageOf(20, 80, 0, 25)
    for (const kind of Object.keys(usage) as (keyof Bill)[]) this.bill[kind] += usage[kind]
    const content = isLast
      ? [{ type: 'text', text: ANSWER }]
      : [
          { type: 'text', text: 'I look it up.' },
          { type: 'tool_use', id: 'toolu_1', name: 'weather', input: { city: 'Bern' } },
        ]
    const stop = { stop_reason: isLast ? 'end_turn' : 'tool_use', stop_sequence: null }
    const message = { id: 'msg_1', type: 'message', role: 'assistant', model: MODEL }
    if (sent.stream !== true) {
      response.writeHead(200, { 'content-type': 'application/json' })
      return void response.end(JSON.stringify({ ...message, content, ...stop, usage }))
    }
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const write = (type: string, fields: object) =>
      response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`)
    const begun = { content: [], stop_reason: null, stop_sequence: null, usage: { ...usage, output_tokens: 1 } }
    write('message_start', { message: { ...message, ...begun } })
    write('ping', {})
    for (const [index, block] of content.entries()) {
      const { text, input, ...head } = block
      write('content_block_start', {
        index,
        content_block: text === undefined ? { ...head, input: {} } : { ...head, text: '' },
      })
      const deltas =
        text === undefined
          ? JSON.stringify(input)
              .split(/(?<=:)/)
              .map((partial_json) => ({ type: 'input_json_delta', partial_json }))
          : text.split(/(?<= )/).map((part) => ({ type: 'text_delta', text: part }))
      for (const delta of deltas) {
        write('content_block_delta', { index, delta })
        if (this.stalls) return
      }
      write('content_block_stop', { index })
    }
    write('message_delta', { delta: stop, usage: { output_tokens: usage.output_tokens } })
    write('message_stop', {})
    response.end()
  }
}

function noCost(): Bill {
  return usageOf(0, 0, 0, 0)
}

function usageOf(input: number, written: number, read: number, output: number): Bill {
  return {
    input_tokens: input,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    output_tokens: output,
  }
}
