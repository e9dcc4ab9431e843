import type { TokenUsage } from '../recorder-options.ts'
import {
  defined,
  type Json,
  listOf,
  message,
  type ModelApi,
  type ModelAnswer,
  numberOf,
  objectOf,
  textOf,
} from './model-call.ts'

/** `POST …/messages` of Anthropic. */
export const MESSAGES: ModelApi = {
  name: 'messages',
  stepType: 'llm',
  messagesOf({ system, messages }) {
    const first = system === undefined ? [] : [message('system', system)]
    return [...first, ...listOf(messages).map(({ role, content, ...rest }) => message(String(role), content, rest))]
  },
  answerOf: ({ model, role, content, usage, stop_reason }) =>
    defined<ModelAnswer>({
      model: textOf(model),
      messages: content === undefined ? [] : [message(textOf(role) ?? 'assistant', content)],
      usage: usageOf(usage),
      reason: textOf(stop_reason),
    }),
  joined(events) {
    let answer: Json = {}
    const content: Record<string, unknown>[] = []
    const inputs: string[] = []
    for (const event of events) {
      const at = numberOf(event['index'])
      const delta = objectOf(event['delta'])
      if (event['type'] === 'message_start') answer = objectOf(event['message'])
      else if (event['type'] === 'content_block_start') content[at] = { ...objectOf(event['content_block']) }
      else if (event['type'] === 'message_delta') {
        answer = { ...answer, ...delta, usage: { ...objectOf(answer['usage']), ...objectOf(event['usage']) } }
      } else if (event['type'] === 'content_block_delta') {
        const block = (content[at] ??= {})
        if (typeof delta['partial_json'] === 'string') inputs[at] = (inputs[at] ?? '') + delta['partial_json']
        for (const name of ['text', 'thinking', 'signature']) {
          if (typeof delta[name] === 'string') block[name] = (textOf(block[name]) ?? '') + delta[name]
        }
      }
    }
    for (const [at, input] of inputs.entries()) {
      const block = content[at]
      if (input !== undefined && block !== undefined) block['input'] = parsed(input)
    }
    return { ...answer, content: content.filter(Boolean) }
  },
}

/** Its input does not include the cached tokens. */
function usageOf(value: unknown): TokenUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const usage = value as Json
  const cache_read = numberOf(usage['cache_read_input_tokens'])
  const cache_write = numberOf(usage['cache_creation_input_tokens'])
  return {
    input: numberOf(usage['input_tokens']) + cache_read + cache_write,
    output: numberOf(usage['output_tokens']),
    ...(cache_read > 0 ? { cache_read } : {}),
    ...(cache_write > 0 ? { cache_write } : {}),
  }
}

/** A stream that was given up ends within the JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
