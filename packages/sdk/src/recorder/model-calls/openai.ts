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

/** `POST …/chat/completions` */
export const CHAT: ModelApi = {
  name: 'chat',
  stepType: 'llm',
  messagesOf: ({ messages }) => listOf(messages).map(ofChat),
  answerOf({ model, choices, usage }) {
    const list = listOf(choices)
    const messages = list.map((choice) => ofChat({ role: 'assistant', ...objectOf(choice['message']) }))
    return defined<ModelAnswer>({
      model: textOf(model),
      messages,
      usage: usageOf(usage),
      reason: textOf(list[0]?.['finish_reason']),
    })
  },
  joined(events) {
    const choices: { message: Record<string, unknown>; finish_reason?: unknown }[] = []
    let usage: unknown
    for (const event of events) {
      usage = event['usage'] ?? usage
      for (const { index, delta, finish_reason } of listOf(event['choices'])) {
        const choice = (choices[numberOf(index)] ??= { message: {} })
        join(choice.message, objectOf(delta))
        if (finish_reason !== null) choice.finish_reason = finish_reason
      }
    }
    return { model: events[0]?.['model'], choices: choices.filter(Boolean), usage }
  },
}

/** `POST …/responses` */
export const RESPONSES: ModelApi = {
  name: 'responses',
  stepType: 'llm',
  messagesOf({ instructions, input }) {
    const system = typeof instructions === 'string' ? [message('system', instructions)] : []
    return [
      ...system,
      ...(typeof input === 'string' ? [message('user', input)] : listOf(input).map((one) => ofItem(one, 'user'))),
    ]
  },
  answerOf: ({ model, output, usage, status }) =>
    defined<ModelAnswer>({
      model: textOf(model),
      messages: listOf(output).map((item) => ofItem(item, 'assistant')),
      usage: usageOf(usage),
      reason: textOf(status),
    }),
  /** The last event has the whole answer. A stream that was given up has its items. */
  joined(events) {
    const isWhole = ({ response, type }: Json) =>
      response !== undefined && type !== 'response.created' && type !== 'response.in_progress'
    const [whole] = events.filter(isWhole).slice(-1)
    if (whole !== undefined) return objectOf(whole['response'])
    const output = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
    return { ...objectOf(events[0]?.['response']), output }
  },
}

/** `POST …/embeddings`: without the vectors. */
export const EMBEDDINGS: ModelApi = {
  name: 'embeddings',
  stepType: 'embedding',
  messagesOf({ input }) {
    const texts = (Array.isArray(input) ? input : [input]).filter((one) => typeof one === 'string')
    return texts.length === 0
      ? []
      : [
          message(
            'user',
            texts.map((text) => ({ type: 'text', text })),
          ),
        ]
  },
  answerOf: ({ model, usage }) => defined<ModelAnswer>({ model: textOf(model), messages: [], usage: usageOf(usage) }),
  joined: (events) => events[0] ?? {},
}

function ofChat({ role, content, ...rest }: Json): object {
  return message(textOf(role) ?? 'assistant', content, rest)
}

/** Items of responses that are no messages, such as calls of tools, are parts. */
function ofItem(item: Json, role: string): object {
  const { role: own, content, type, ...rest } = item
  if (content !== undefined && (type === undefined || type === 'message'))
    return message(textOf(own) ?? role, content, rest)
  return message(String(type).endsWith('_output') ? 'tool' : 'assistant', [item])
}

function usageOf(value: unknown): TokenUsage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const usage = value as Json
  const read = objectOf(usage['prompt_tokens_details'] ?? usage['input_tokens_details'])
  const written = objectOf(usage['completion_tokens_details'] ?? usage['output_tokens_details'])
  return defined<TokenUsage>({
    input: numberOf(usage['prompt_tokens'] ?? usage['input_tokens']),
    output: numberOf(usage['completion_tokens'] ?? usage['output_tokens']),
    cache_read: read['cached_tokens'] as number | undefined,
    reasoning: written['reasoning_tokens'] as number | undefined,
  })
}

/** Adds a delta: texts are appended, lists are joined by their `index`, and other values are set. */
function join(target: Record<string, unknown>, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    const present = target[name]
    if (typeof value === 'string' && typeof present === 'string' && !['role', 'id', 'type'].includes(name))
      target[name] = present + value
    else if (Array.isArray(value)) {
      const list = (target[name] ??= []) as Record<string, unknown>[]
      for (const { index, ...one } of listOf(value)) join((list[numberOf(index)] ??= {}), one)
    } else if (typeof value === 'object' && value !== null)
      join((target[name] ??= {}) as Record<string, unknown>, value as Json)
    else if (value !== null || present === undefined) target[name] = value
  }
}
