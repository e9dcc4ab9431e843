import type { TokenUsage } from '../recorder-options.ts'

export type Json = Readonly<Record<string, unknown>>

export function objectOf(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The messages of a request: of chat completions or Anthropic's messages, of responses, or the texts of embeddings. */
export function messagesOf({ system, instructions, messages, input }: Json): readonly object[] {
  const first = system ?? instructions
  const given = messages ?? input
  const items = typeof given === 'string' ? [given] : listOf(given)
  return [
    ...(first === undefined ? [] : [toMessage({ role: 'system', content: first }, '')]),
    // Tokens in place of texts are left out.
    ...items.flatMap((item) => {
      const object = typeof item === 'string' ? { content: item } : objectOf(item)
      return Object.keys(object).length === 0 ? [] : [toMessage(object, 'user')]
    }),
  ]
}

/** The content of an answer. A missing field is undefined. */
export function readAnswer({ model, choices, output, role, content, usage, stop_reason, status }: Json) {
  const chosen = listOf(choices).map(objectOf)
  return {
    model,
    messages: [
      ...chosen.map(({ message }) => objectOf(message)),
      ...listOf(output).map(objectOf),
      ...(content === undefined ? [] : [{ role, content }]),
    ].map((item) => toMessage(item, 'assistant')),
    usage: typeof usage === 'object' && usage !== null ? usageOf(usage as Json) : undefined,
    reason: chosen[0]?.['finish_reason'] ?? stop_reason ?? status,
  }
}

/** A text is one part. Items of responses that are no messages, such as calls of tools, are parts themselves. */
function toMessage(item: Json, by: string): object {
  const { role, content, type, ...rest } = item
  if (role === undefined && type !== undefined && type !== 'message') {
    return { role: String(type).endsWith('_output') ? 'tool' : 'assistant', content: [item] }
  }
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return { role: role ?? by, ...(Array.isArray(parts) && { content: parts }), ...rest }
}

/** Counts that are undefined are not recorded. */
function usageOf(usage: Json): TokenUsage {
  const number = (value: unknown) => (typeof value === 'number' ? value : 0)
  const details = (of: string) => objectOf(usage[`${of}_tokens_details`])
  const { cache_read_input_tokens: read, cache_creation_input_tokens: written } = usage
  return {
    // The input of Anthropic does not include the cached tokens.
    input: number(usage['prompt_tokens'] ?? number(usage['input_tokens']) + number(read) + number(written)),
    output: number(usage['completion_tokens'] ?? usage['output_tokens']),
    cache_read: (details('prompt')['cached_tokens'] ?? details('input')['cached_tokens'] ?? read) as number,
    cache_write: written as number,
    reasoning: (details('completion')['reasoning_tokens'] ?? details('output')['reasoning_tokens']) as number,
  }
}

type Growing = Record<string, unknown>

/** Joins the events of a stream to the answer that a request without a stream would have had. */
export function joinEvents(events: readonly Json[]): Json {
  const answer: Growing = {}
  const choices: { message: Growing; finish_reason?: unknown }[] = []
  const content: Growing[] = []
  const output: unknown[] = []
  for (const { type, index, delta, ...event } of events) {
    const change = objectOf(delta)
    // Responses: the last event has the whole answer. A stream that was given up has its items.
    if (type === 'response.output_item.done') output.push(event['item'])
    // Anthropic's messages.
    else if (type === 'content_block_start') content[Number(index) || 0] = { ...objectOf(event['content_block']) }
    else if (type === 'content_block_delta') {
      const block = (content[Number(index) || 0] ??= {})
      join(block, { ...change, type: block['type'] })
    } else if (type === 'message_delta') {
      const usage = { ...objectOf(answer['usage']), ...objectOf(event['usage']) }
      Object.assign(answer, change, { usage })
    } else if (event['choices'] === undefined) {
      Object.assign(answer, objectOf(event['response'] ?? event['message']))
    } else {
      // Chat completions: the last event has the usage.
      answer['model'] = event['model'] ?? answer['model']
      answer['usage'] = event['usage'] ?? answer['usage']
      for (const one of listOf(event['choices']).map(objectOf)) {
        const choice = (choices[Number(one['index']) || 0] ??= { message: {} })
        join(choice.message, objectOf(one['delta']))
        choice.finish_reason = one['finish_reason'] ?? choice.finish_reason
      }
    }
  }
  const blocks = content
    .filter(Boolean)
    .map(({ partial_json: input, ...block }) => (input ? Object.assign(block, { input: parsed(input) }) : block))
  return {
    ...answer,
    ...(choices.length > 0 && { choices: choices.filter(Boolean) }),
    ...(blocks.length > 0 && { content: blocks }),
    ...(output.length > 0 && { output }),
  }
}

/** Adds a delta: texts are appended, lists are joined by their `index`, and other values are set. */
function join(target: Growing, delta: Json): void {
  for (const [name, value] of Object.entries(delta)) {
    const present = target[name]
    if (typeof value === 'string' && typeof present === 'string' && !['role', 'id', 'type'].includes(name)) {
      target[name] = present + value
    } else if (Array.isArray(value)) {
      const list = (target[name] ??= []) as Growing[]
      for (const { index, ...one } of value.map(objectOf)) join((list[Number(index) || 0] ??= {}), one)
    } else if (typeof value === 'object' && value !== null) join((target[name] ??= {}) as Growing, value as Json)
    else target[name] = value ?? present
  }
}

/** A stream that was given up ends within the JSON. */
function parsed(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return text
  }
}
