import { type Fields, isEmpty, isFields, isList, others, parseJson, toText } from '../json.ts'
import { dataPart, type Part, textPart, thought } from './part.ts'
import { call, isPart, result, toParts } from './part-forms.ts'

/** A message as a step stores it. Fields besides these stay as they are. */
export type Message = { readonly role: string; readonly content?: readonly Part[] } & Fields

/** Reads a message of a framework. Null: it is of another form. `role` is for messages without one. */
type ReadMessage = (value: Fields, role: string) => readonly Message[] | null

/** Roles by the names that frameworks give to classes and types of messages. */
const ROLES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    human: 'user',
    user: 'user',
    humanmessage: 'user',
    chatbot: 'assistant',
    ai: 'assistant',
    assistant: 'assistant',
    aimessage: 'assistant',
    aimessagechunk: 'assistant',
    humanmessagechunk: 'user',
    system: 'system',
    systemmessage: 'system',
    developer: 'developer',
    tool: 'tool',
    toolmessage: 'tool',
    function: 'function',
    functionmessage: 'function',
  }),
)

/** The role of a class or type of messages; undefined for other names. */
export function roleOf(name: unknown): string | undefined {
  return typeof name === 'string' ? ROLES.get(name.toLowerCase()) : undefined
}

/** Further members that LangChain and LlamaIndex write on every message. */
const BOOKKEEPING = [
  'additional_kwargs',
  'response_metadata',
  'usage_metadata',
  'lc_kwargs',
  'lc_namespace',
  'lc_serializable',
  'lc_direct_tool_output',
  'example',
  'invalid_tool_calls',
  'tool_call_chunks',
  'artifact',
] as const

/** LangChain: `{type: "ai", content, tool_calls}`, `kwargs` of a constructor, or `{type, data}`. */
function ofLangChain(value: Fields, role: string): readonly Message[] | null {
  const { id, kwargs, data, type } = value
  if (value['lc'] !== undefined || (isList(id) && isFields(kwargs))) {
    const name = isList(id) ? id.at(-1) : undefined
    if (!isFields(kwargs)) return null
    if (isList(kwargs['messages'])) return toMessages(kwargs['messages'], role)
    const own = roleOf(name) ?? roleOf(kwargs['type']) ?? (name === 'ChatMessage' ? kwargs['role'] : undefined)
    return typeof own === 'string' ? [langChainMessage(kwargs, own)] : null
  }
  const own = roleOf(type)
  if (own === undefined) return null
  if (isFields(data) && 'content' in data) return [langChainMessage(data, own)]
  return 'content' in value && typeof value['role'] !== 'string' ? [langChainMessage(value, own)] : null
}

function langChainMessage({ content, ...fields }: Fields, role: string): Message {
  const { type: _type, name, tool_calls: calls, tool_call_id: callId, status, ...more } = fields
  const { additional_kwargs: kwargs } = fields
  const extra = isFields(kwargs) ? kwargs : {}
  const reasoning = extra['reasoning_content']
  const toolCalls = isList(calls) && calls.length > 0 ? calls : extra['tool_calls']
  // Calls are parts of Anthropic's content too.
  const parts = toParts(content ?? '').filter((part) => !(isList(toolCalls) && part.type === 'tool_use'))
  return {
    ...others(more, ...BOOKKEEPING, 'id'),
    role,
    content: [
      ...(typeof reasoning === 'string' && reasoning !== '' ? [thought(reasoning)] : []),
      ...parts.filter((part) => part['text'] !== ''),
    ],
    ...others({ name, tool_call_id: callId, tool_calls: toolCalls, status: status === 'success' ? null : status }),
  }
}

/** Pydantic AI: a request has parts of several roles, a response has parts of the model. */
function ofPydantic(value: Fields): readonly Message[] | null {
  const { kind, parts } = value
  if ((kind !== 'request' && kind !== 'response') || !isList(parts)) return null
  if (kind === 'response') {
    return [{ role: 'assistant', content: toParts(parts), ...others({ finish_reason: value['finish_reason'] }) }]
  }
  const { instructions } = value
  return [
    ...(typeof instructions === 'string' && instructions !== '' ? [said('system', instructions)] : []),
    ...parts.filter(isFields).map((part): Message => {
      const { part_kind: of } = part
      const role = of === 'system-prompt' ? 'system' : of === 'user-prompt' ? 'user' : 'tool'
      const isRetryOfText = of === 'retry-prompt' && typeof part['tool_name'] !== 'string'
      return { role: isRetryOfText ? 'user' : role, content: toParts(part) }
    }),
  ]
}

/** Items of OpenAI's responses that are calls of the provider's own tools: `web_search_call`, `mcp_call`. */
const CALL_ITEM = /^(?:[a-z_]+_call|mcp_approval_request)$/
const OUTPUT_ITEM = /_call_(?:output|result)$/

/** An item of a response of OpenAI, or of OpenAI Agents; `message` has a role and is read as any other. */
function ofResponseItem(item: Fields): readonly Message[] | null {
  const { type } = item
  if (
    typeof type !== 'string' ||
    typeof item['role'] === 'string' ||
    (item['content'] !== undefined && type !== 'reasoning')
  )
    return null
  if (type !== 'reasoning' && !CALL_ITEM.test(type) && !OUTPUT_ITEM.test(type)) return null
  const { type: _type, status: _status, ...own } = item
  if (type === 'reasoning') {
    const texts = [own['text'], ...listOf(own['content']), ...listOf(own['summary'])]
    const text = texts.map((one) => (isFields(one) ? one['text'] : one)).filter((one) => typeof one === 'string')
    // The provider keeps the thinking.
    return text.length === 0 ? [] : [{ role: 'assistant', content: [thought(text.join('\n\n'))] }]
  }
  const callId = own['call_id'] ?? own['callId']
  if (OUTPUT_ITEM.test(type)) {
    const { output } = own
    const isText = isFields(output) && output['type'] === 'text'
    return [{ role: 'tool', content: [result(callId, own['name'], isText ? [output] : output)] }]
  }
  if (type === 'function_call' || type === 'custom_tool_call') {
    const input = parseJson(own['arguments'] ?? own['input'])
    return [{ role: 'assistant', content: [call(callId ?? own['id'], own['name'], input)] }]
  }
  const { id, name, arguments: given, action, output, results, error, outputs, result: made, ...more } = own
  const called = call(
    id,
    name ?? type.replace(/_call$/, ''),
    parseJson(given ?? action ?? (Object.keys(more).length > 0 ? others(more) : null)),
  )
  const answer = output ?? results ?? outputs ?? made
  const isFailed = error !== undefined && error !== null
  const answered =
    isFailed || (answer !== undefined && answer !== null) ? [result(id, null, isFailed ? error : answer, isFailed)] : []
  return [{ role: 'assistant', content: [called, ...answered] }]
}

function listOf(value: unknown): readonly unknown[] {
  return isList(value) ? value : []
}

/** AutoGen: `{type: "TextMessage", source, content}`, with calls and results in lists. */
function ofAutoGen(value: Fields): readonly Message[] | null {
  const { type, source, content } = value
  if (typeof type !== 'string' || typeof source !== 'string' || !/(Message|Event)$/.test(type)) return null
  const parts = listOf(content).map((one): Part => {
    if (!isFields(one)) return textPart(toText(one))
    if ('arguments' in one) return call(one['id'], one['name'], parseJson(one['arguments']))
    return 'call_id' in one
      ? result(one['call_id'], one['name'], one['content'], one['is_error'] === true)
      : dataPart(one)
  })
  const role = source === 'user' ? 'user' : type === 'ToolCallExecutionEvent' ? 'tool' : 'assistant'
  const thoughts = typeof value['thought'] === 'string' ? [thought(value['thought'])] : []
  return [{ role, content: typeof content === 'string' ? [textPart(content)] : [...thoughts, ...parts], name: source }]
}

/** Cohere's first version, ShareGPT, Dify, and messages of Gemini CLI's tools. */
function ofOtherNames(value: Fields): readonly Message[] | null {
  const { role, message, from, value: text } = value
  if (typeof role === 'string' && typeof value['text'] === 'string' && value['content'] === undefined) {
    return [{ ...others(value, 'role', 'text'), ...said(roleOf(role) ?? role, value['text']) }]
  }
  if (typeof role === 'string' && typeof message === 'string' && value['content'] === undefined) {
    const results = listOf(value['tool_results']).filter(isFields).map(cohereResult)
    return [
      {
        role: roleOf(role) ?? role,
        content: [...(message === '' ? [] : [textPart(message)]), ...results],
        ...others({ tool_calls: value['tool_calls'] }),
      },
    ]
  }
  const own = roleOf(from) ?? (from === 'gpt' ? 'assistant' : undefined)
  return own !== undefined && typeof text === 'string' ? [said(own, text)] : null
}

export function cohereResult({ call: called, outputs, output }: Fields): Part {
  const name = isFields(called) ? called['name'] : null
  return result(null, name, outputs ?? output)
}

/** LlamaIndex: `{role, blocks, additional_kwargs}`. */
function ofLlamaIndex(value: Fields): readonly Message[] | null {
  const { role, blocks, content, additional_kwargs: kwargs } = value
  if (typeof role !== 'string' || !isList(blocks)) return null
  const extra = isFields(kwargs) ? kwargs : {}
  const own = role.replace(/^MessageRole\./, '').toLowerCase()
  const parts = toParts(blocks.length > 0 ? blocks : (content ?? []))
  const isCalled = parts.some(({ type }) => type === 'tool_call')
  return [
    {
      ...others(value, 'role', 'blocks', 'content', 'additional_kwargs'),
      role: own === 'chatbot' || own === 'model' ? 'assistant' : own,
      content: parts,
      ...others({ tool_call_id: extra['tool_call_id'], tool_calls: isCalled ? null : extra['tool_calls'] }),
    },
  ]
}

/** An event as Pydantic AI lists it: `{"event.name": "gen_ai.choice", message}`. */
function ofEvent(value: Fields, role: string): readonly Message[] | null {
  const { 'event.name': name, message } = value
  if (typeof name !== 'string' || !name.startsWith('gen_ai.')) return null
  const own = others(value, 'event.name', 'message', 'gen_ai.message.index', 'gen_ai.system')
  const isChoice = name === 'gen_ai.choice'
  return toMessages({ ...own, ...(isFields(message) ? message : {}) }, isChoice ? 'assistant' : role)
}

const MESSAGE_FORMS: readonly ReadMessage[] = [
  ofEvent,
  ofLangChain,
  ofPydantic,
  ofResponseItem,
  ofAutoGen,
  ofOtherNames,
  ofLlamaIndex,
]

function ofForm(value: Fields, role: string): readonly Message[] | null {
  for (const read of MESSAGE_FORMS) {
    const found = read(value, role)
    if (found !== null) return found
  }
  return null
}

export function said(role: string, text: string): Message {
  return { role, content: [textPart(text)] }
}

/** Whether a value is a message by its form, not only a part or data. */
export function isMessage(value: unknown): boolean {
  if (isList(value)) return isPair(value)
  if (!isFields(value)) return false
  return typeof value['role'] === 'string' || ofForm(value, '') !== null
}

/** Most messages are of no form of their own. */
function isPlain(value: Fields): boolean {
  if (typeof value['role'] !== 'string' || (value['content'] === undefined && value['parts'] === undefined))
    return false
  return value['blocks'] === undefined && value['event.name'] === undefined && value['kind'] === undefined
}

/** `["user", "Hi"]`, as LangChain takes messages. */
function isPair(value: readonly unknown[]): boolean {
  return value.length === 2 && roleOf(value[0]) !== undefined && typeof value[1] === 'string'
}

export function isMessageList(value: unknown): boolean {
  return isList(value) && value.length > 0 && value.every(isMessage)
}

/** Messages of a list or of one message. A value without a role, and texts, have `role`. */
export function toMessages(value: unknown, role: string): readonly Message[] {
  if (value === undefined || value === null || value === '') return []
  if (!isList(value) || isPair(value)) return oneMessage(value, role)
  return value.flatMap((one) => oneMessage(one, role))
}

function oneMessage(value: unknown, role: string): readonly Message[] {
  if (isList(value)) return isPair(value) ? [said(roleOf(value[0])!, value[1] as string)] : toMessages(value, role)
  if (!isFields(value)) return [{ role, content: toParts(value) }]
  return (isPlain(value) ? null : ofForm(value, role)) ?? [toMessage(value, role)]
}

/** Further members of a message in OpenAI's responses. */
const OF_ITEMS = ['type', 'id', 'status', 'phase', 'providerData'] as const

/** Members that a message is made of. */
const OF_MESSAGE: ReadonlySet<string> = new Set([
  'role',
  'parts',
  'content',
  'tool_calls',
  'toolCalls',
  'toolInvocations',
])

/** `parts`, `content` and text become parts; all else that says something stays as it is. */
export function toMessage(value: Fields, role: string): Message {
  const { role: own, parts, content, toolInvocations, toolCalls, additional_kwargs: kwargs } = value
  // Langfuse's callback for LangChain leaves the calls where LangChain once had them.
  const calls = value['tool_calls'] ?? toolCalls ?? (isFields(kwargs) ? kwargs['tool_calls'] : undefined)
  const of = isList(parts) && parts.length > 0 ? parts : (content ?? parts)
  const found = of === undefined || of === null ? undefined : toParts(partsIn(of))
  const invoked = listOf(toolInvocations).flatMap((one) => toParts({ type: 'tool-invocation', toolInvocation: one }))
  const named = typeof own === 'string' && own !== '' ? own : role
  const isFramework = isFields(kwargs)
  return {
    // Most messages have nothing else.
    ...(Object.keys(value).every((name) => OF_MESSAGE.has(name)) ? {} : besides(value, isFramework)),
    role: toldRole(isFramework && roleOf(named) === undefined ? 'tool' : named, found),
    ...(found === undefined && invoked.length === 0 ? {} : { content: [...(found ?? []), ...invoked] }),
    ...(isEmpty(calls) ? {} : { tool_calls: calls }),
  }
}

/** Parts may come as JSON. Other JSON is what was said, such as a structured answer. */
function partsIn(content: unknown): unknown {
  if (typeof content !== 'string') return content
  const value = parseJson(content)
  return isList(value) ? (value.length > 0 && value.every(isPart) ? value : content) : isPart(value) ? value : content
}

function besides(value: Fields, isFramework: boolean): Fields {
  const isItem = value['type'] === 'message'
  return others(value, ...OF_MESSAGE, ...(isFramework ? BOOKKEEPING : isItem ? OF_ITEMS : []))
}

/** A call always belongs to the model, although Strands says that its tool makes it. */
function toldRole(role: string, parts: readonly Part[] = []): string {
  return role === 'tool' && parts.length > 0 && parts.every(({ type }) => type === 'tool_call') ? 'assistant' : role
}
