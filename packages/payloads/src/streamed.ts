import { type Fields, isFields, isList, others, parseJson, toText } from './json.ts'

/**
 * A stream's pieces as the whole answer that they make: chunks of chat completions, events of Anthropic, of OpenAI's
 * responses and of Bedrock, candidates of Gemini. Null: the list is no stream.
 */
export function joined(pieces: readonly unknown[]): Fields | null {
  if (pieces.length === 0 || !pieces.every(isFields)) return null
  return ofChunks(pieces) ?? ofResponses(pieces) ?? ofBlocks(pieces) ?? ofCandidates(pieces)
}

/** Events of a stream as they are on the wire: `data: {…}` on a line of its own. */
export function piecesOfText(text: string): readonly unknown[] | null {
  if (!/^(?:event|data|id):/.test(text)) return null
  const lines = text.split(/\r?\n/)
  if (!lines.every((line) => line.trim() === '' || /^(?:event|data|id|retry):|^:/.test(line))) return null
  const data = lines.flatMap((line) => (line.startsWith('data:') ? [line.slice(5).trim()] : []))
  const pieces = data.filter((one) => one !== '' && one !== '[DONE]').map(parseJson)
  return pieces.length > 0 && pieces.every(isFields) ? pieces : null
}

interface Building {
  readonly texts: Record<string, string>
  readonly calls: Map<unknown, { id: unknown; name: string; arguments: string }>
}

const building = (): Building => ({ texts: {}, calls: new Map() })

function append({ texts }: Building, name: string, text: unknown): void {
  if (typeof text === 'string' && text !== '') texts[name] = (texts[name] ?? '') + text
}

function appendCall({ calls }: Building, key: unknown, id: unknown, name: unknown, input: unknown): void {
  const call = calls.get(key) ?? { id: null, name: '', arguments: '' }
  calls.set(key, call)
  call.id ??= id
  if (typeof name === 'string') call.name += name
  if (typeof input === 'string') call.arguments += input
}

function toMessage({ texts, calls }: Building): Fields {
  const { content = null, thinking } = texts
  const toolCalls = [...calls.values()].map(({ id, name, arguments: input }) =>
    others({ id, type: 'function', function: { name, arguments: input } }),
  )
  return {
    role: 'assistant',
    content,
    ...others({ reasoning_content: thinking, tool_calls: toolCalls }),
  }
}

function ofChunks(pieces: readonly Fields[]): Fields | null {
  if (!pieces.every(({ choices }) => isList(choices) && choices.every((one) => isFields(one) && 'delta' in one)))
    return null
  const made = building()
  let reason: unknown = null
  for (const { choices } of pieces)
    for (const { delta, index, finish_reason: end } of choices as readonly Fields[]) {
      reason = end ?? reason
      // Other choices are other answers; the first one is what the program went on with.
      if (!isFields(delta) || (index !== undefined && index !== 0)) continue
      append(made, 'content', delta['content'])
      append(made, 'thinking', delta['reasoning_content'] ?? delta['reasoning'])
      for (const call of (isList(delta['tool_calls']) ? delta['tool_calls'] : []).filter(isFields)) {
        const called = isFields(call['function']) ? call['function'] : {}
        appendCall(made, call['index'] ?? call['id'], call['id'], called['name'], called['arguments'])
      }
    }
  const usage = pieces.findLast((one) => isFields(one['usage']))?.['usage']
  return { ...others({ usage }), choices: [{ message: toMessage(made), finish_reason: reason }] }
}

/** Of OpenAI's responses: the last event has everything, else the finished items. */
function ofResponses(pieces: readonly Fields[]): Fields | null {
  if (!pieces.every(({ type }) => typeof type === 'string' && /^(response\.|error$|keepalive$)/.test(type))) return null
  const whole = pieces.findLast(
    ({ response }) => isFields(response) && isList(response['output']) && response['output'].length > 0,
  )
  if (whole !== undefined) return whole['response'] as Fields
  const items = pieces.flatMap(({ type, item }) => (type === 'response.output_item.done' ? [item] : []))
  if (items.length > 0) return { output: items }
  const text = pieces.map(({ type, delta }) => (type === 'response.output_text.delta' ? toText(delta) : '')).join('')
  return { output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text }] }] }
}

/** Anthropic names its events by `type`, Bedrock by a member: `{contentBlockDelta: {delta: {text}}}`. */
function ofBlocks(pieces: readonly Fields[]): Fields | null {
  const made = building()
  const usage: Record<string, unknown> = {}
  let hasContent = false
  for (const piece of pieces) {
    const [only, ...more] = Object.entries(piece)
    const isTyped = typeof piece['type'] === 'string'
    if (!isTyped && more.length > 0) return null
    const event = isTyped ? piece : only !== undefined && isFields(only[1]) ? only[1] : {}
    const kind = isTyped ? String(piece['type']) : (only?.[0] ?? '')
    if (!BLOCK_EVENT.test(kind)) return null
    hasContent ||= kind !== 'metadata' && kind !== 'ping'
    const at = event['index'] ?? event['contentBlockIndex']
    const { message, metadata } = event
    for (const place of [message, event, metadata])
      if (isFields(place) && isFields(place['usage'])) Object.assign(usage, place['usage'])
    const block = isFields(event['content_block']) ? event['content_block'] : event['start']
    if (isFields(block)) {
      const use = isFields(block['toolUse']) ? block['toolUse'] : block
      if (typeof use['name'] === 'string') appendCall(made, at, use['id'] ?? use['toolUseId'], use['name'], '')
    }
    const { delta } = event
    if (!isFields(delta)) continue
    const { text, thinking, partial_json: json, toolUse, reasoningContent } = delta
    append(made, 'content', text)
    append(made, 'thinking', thinking ?? (isFields(reasoningContent) ? reasoningContent['text'] : undefined))
    if (typeof json === 'string') appendCall(made, at, null, '', json)
    if (isFields(toolUse)) appendCall(made, at, null, '', toolUse['input'])
  }
  if (!hasContent) return null
  return {
    ...others({ usage: Object.keys(usage).length === 0 ? null : usage }),
    choices: [{ message: toMessage(made) }],
  }
}

const BLOCK_EVENT =
  /^(?:message_(?:start|delta|stop)|content_block_(?:start|delta|stop)|ping|messageSt(?:art|op)|contentBlock(?:Start|Delta|Stop)|metadata)$/

function ofCandidates(pieces: readonly Fields[]): Fields | null {
  if (!pieces.every(({ candidates }) => isList(candidates) && candidates.every(isCandidate))) return null
  const parts: Fields[] = []
  for (const { candidates } of pieces)
    for (const { content } of (candidates as readonly Fields[]).slice(0, 1)) {
      const own = isFields(content) && isList(content['parts']) ? content['parts'].filter(isFields) : []
      for (const part of own) addPart(parts, part)
    }
  const usage = pieces.findLast(({ usageMetadata }) => isFields(usageMetadata))?.['usageMetadata']
  return { ...others({ usageMetadata: usage }), candidates: [{ content: { role: 'model', parts } }] }
}

function isCandidate(value: unknown): boolean {
  return isFields(value) && (isFields(value['content']) || 'finishReason' in value || 'finish_reason' in value)
}

/** Texts of one kind that follow each other are one text. */
function addPart(parts: Fields[], part: Fields): void {
  const last = parts.at(-1)
  const isSame =
    typeof last?.['text'] === 'string' && typeof part['text'] === 'string' && last['thought'] === part['thought']
  if (isSame) parts[parts.length - 1] = { ...last, text: `${last['text'] as string}${part['text'] as string}` }
  else parts.push(part)
}
