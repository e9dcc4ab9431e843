import { type Fields, first, firstText, hasNone, isEmpty, isFields, isList, others, parseJson } from '../json.ts'
import { listedDocuments } from './documents.ts'
import { cohereResult, isMessage, isMessageList, type Message, said, toMessage, toMessages } from './message-forms.ts'
import { dataPart, type Part, textPart, thought } from './part.ts'
import { isPart, toParts } from './part-forms.ts'

/** The messages of a whole payload, and the members that became no message. */
export interface ReadForm {
  readonly messages: readonly Message[]
  readonly used: readonly string[]
  /** The members of an inner value that became no message. */
  readonly inside?: Fields | null
}

/** A request to a model, an agent or a retriever, or its answer. `role` is for messages without one. */
interface PayloadForm {
  /** As the guide names it. */
  readonly name: string
  /** Null: the value is of another form. */
  readonly read: (value: Fields, role: string) => ReadForm | null
}

const form = (messages: readonly Message[], ...used: readonly string[]): ReadForm => ({ messages, used })

/** The forms of whole payloads, in the order in which they are tried: the first that reads the value wins. */
export const PAYLOAD_FORMS: readonly PayloadForm[] = [
  { name: 'chat completion', read: chatCompletion },
  { name: 'Gemini candidates', read: candidates },
  { name: 'Gemini contents', read: contents },
  { name: 'Bedrock Converse, answer', read: converseAnswer },
  { name: 'Responses, answer', read: responsesAnswer },
  { name: 'Responses, request', read: responsesRequest },
  { name: 'LangChain generations', read: generations },
  { name: 'Cohere v1', read: cohere },
  { name: 'Pydantic AI run', read: pydanticRun },
  { name: 'documents', read: documents },
  { name: 'embeddings', read: embeddings },
  { name: 'list of messages', read: listOfMessages },
  { name: 'answer in a message', read: inMessage },
  { name: 'message without a role', read: withoutRole },
  { name: 'answer in a content', read: inContent },
  { name: 'LlamaIndex answer', read: llamaIndexAnswer },
  { name: 'CrewAI output', read: crewOutput },
  { name: 'AI SDK result', read: aiSdkResult },
  { name: 'AI SDK prompt', read: aiSdkPrompt },
  { name: 'arguments of a function', read: functionArguments },
  { name: 'one member that is the text', read: onlyText },
]

function chatCompletion({ choices }: Fields): ReadForm | null {
  if (!isList(choices) || choices.length === 0 || !choices.every(isFields)) return null
  const messages = choices.map((choice): Message | null => {
    const { message, delta, text, finish_reason: reason } = choice
    const own = isFields(message)
      ? message
      : isFields(delta)
        ? delta
        : typeof text === 'string'
          ? { content: text }
          : null
    // JSON that a model writes is its text.
    return own === null ? null : { ...toMessage(ofReasoning(own), 'assistant'), ...others({ finish_reason: reason }) }
  })
  return messages.every((one) => one !== null) ? form(messages, 'choices') : null
}

/** Some providers put a text of JSON where others put parts; a text of the model stays one. */
function ofReasoning({ content, function_call: called, ...message }: Fields): Fields {
  return {
    ...message,
    content: typeof content === 'string' && content !== '' ? [textPart(content)] : content === '' ? null : content,
    ...(isFields(called) ? { tool_calls: [{ function: called }] } : {}),
  }
}

function candidates({ candidates: list }: Fields): ReadForm | null {
  if (!isList(list) || !list.every(isFields) || list.length === 0) return null
  const messages = list.map((one): Message | null => {
    const inner = first(one, 'content', 'message')
    if (!isFields(inner)) return null
    return { ...toMessage(inner, 'model'), ...others({ finish_reason: first(one, 'finishReason', 'finish_reason') }) }
  })
  return messages.every((one) => one !== null) ? form(messages, 'candidates') : null
}

function contents(value: Fields, role: string): ReadForm | null {
  const { contents: list, config } = value
  if (list === undefined || list === null) return null
  const of = { ...(isFields(config) ? config : {}), ...value }
  const system = first(of, 'systemInstruction', 'system_instruction')
  const isOfParts = isList(list) && list.every((one) => !isMessage(one) && !(isFields(one) && 'parts' in one))
  const messages = isOfParts ? [{ role, content: toParts(list) }] : toMessages(list, role)
  return form([...instructions(system), ...messages], 'contents', 'systemInstruction', 'system_instruction')
}

/** A system prompt: a text, a list of parts, or a message of its own. */
function instructions(system: unknown): readonly Message[] {
  if (system === undefined || system === null || system === '') return []
  return [{ ...(isFields(system) ? toMessage(system, 'system') : { content: toParts(system) }), role: 'system' }]
}

function converseAnswer({ output, stopReason }: Fields): ReadForm | null {
  if (!isFields(output) || !isFields(output['message']) || !isMessage(output['message'])) return null
  return form(
    toMessages(output['message'], 'assistant').map((one) => withFacts(one, { finish_reason: stopReason })),
    'output',
    'stopReason',
  )
}

/** Anthropic's answer is a message; its other members are about the call. */
function messagesAnswer({ type, role, content, stop_reason: reason }: Fields): ReadForm | null {
  if (type !== 'message' || typeof role !== 'string' || !isList(content)) return null
  const message = { ...toMessage({ role, content }, role), ...others({ finish_reason: reason }) }
  return form([message], 'type', 'role', 'content', 'stop_reason')
}

function withFacts(message: Message, facts: Fields): Message {
  return { ...message, ...others(facts) }
}

function responsesAnswer(value: Fields): ReadForm | null {
  const { output, response } = value
  if (isFields(response) && isMessageList(response['output'])) return responsesAnswer(response)
  return isMessageList(output) ? form(toMessages(output, 'assistant'), 'output') : null
}

function responsesRequest(value: Fields, role: string): ReadForm | null {
  const { input, instructions: system } = value
  const isText = typeof input === 'string' && (system !== undefined || 'model' in value)
  if (!isText && !isMessageList(input)) return null
  return form([...instructions(system), ...toMessages(input, role)], 'input', 'instructions')
}

function generations({ generations: list }: Fields): ReadForm | null {
  if (!isList(list)) return null
  const all = list.flat()
  if (all.length === 0 || !all.every(isFields)) return null
  const messages = all.flatMap(({ message, text }): readonly Message[] => {
    if (isFields(message)) return toMessages(message, 'assistant')
    return typeof text === 'string' ? [said('assistant', text)] : []
  })
  return messages.length === 0 ? null : form(messages, 'generations')
}

function cohere(value: Fields, role: string): ReadForm | null {
  const { message, chat_history: history, preamble, text, tool_results: results } = value
  if (typeof message === 'string' && (isList(history) || 'preamble' in value || isList(results))) {
    const returned = isList(results) ? results.filter(isFields).map(cohereResult) : []
    const messages = [
      ...instructions(preamble),
      ...toMessages(history, role),
      ...(message === '' ? [] : [said('user', message)]),
      ...(returned.length === 0 ? [] : [{ role: 'tool', content: returned }]),
    ]
    return form(messages, 'message', 'chat_history', 'preamble', 'tool_results')
  }
  if (typeof text !== 'string' || !('generation_id' in value)) return null
  const content = text === '' ? [] : [textPart(text)]
  return form(
    [{ role: 'assistant', content, ...others({ tool_calls: value['tool_calls'] }) }],
    'text',
    'tool_calls',
    'chat_history',
  )
}

function pydanticRun(value: Fields, role: string): ReadForm | null {
  for (const name of ['all_messages', 'new_messages', 'message_history', 'chat_messages'])
    if (isMessageList(value[name])) return form(toMessages(value[name], role), name)
  return null
}

function documents(value: Fields, role: string): ReadForm | null {
  if (typeof value['role'] === 'string' || typeof value['response'] === 'string') return null
  const found = listedDocuments(value, false)
  return found === null ? null : form([{ role: role === 'user' ? role : 'tool', content: found[1] }], found[0])
}

/** Vectors say nothing to a reader: they are no message. */
function embeddings(value: Fields): ReadForm | null {
  const list = first(value, 'embeddings', 'data')
  const isVector = (one: unknown) => isList(one) || (isFields(one) && isList(one['embedding']))
  return isList(list) && list.length > 0 && list.every(isVector) ? form([]) : null
}

/** `{messages, system, tools}` of a request, or the state of LangGraph. LangChain has a list for each prompt. */
function listOfMessages(value: Fields, role: string): ReadForm | null {
  const { messages, update } = value
  if (isFields(update) && isList(update['messages'])) return listOfMessages(update, role)
  const list = parseJson(messages)
  const flat = isList(list) && list.length > 0 && list.every(isMessageList) ? list.flat() : list
  if (!isMessageList(flat)) return null
  const of = { ...(isFields(value['config']) ? value['config'] : {}), ...value }
  return form(
    [...instructions(first(of, 'system', 'instructions')), ...toMessages(flat, role)],
    'messages',
    'system',
    'instructions',
  )
}

/** `{message: {role, content}}`: Cohere's second version, Ollama, LlamaIndex, Genkit, choices of Azure. */
function inMessage({ message, finish_reason: reason, finishReason, index }: Fields): ReadForm | null {
  if (!isFields(message)) return null
  const { tool_plan: plan, ...own } = message
  const isSaid = isMessage(own) || 'content' in own || isList(own['tool_calls'])
  if (!isSaid) return null
  const thoughts = typeof plan === 'string' && plan !== '' ? [thought(plan)] : []
  const messages = toMessages(own, 'assistant').map((one) =>
    withFacts(thoughts.length === 0 ? one : { ...one, content: [...thoughts, ...(one.content ?? [])] }, {
      index,
      finish_reason: reason ?? finishReason,
    }),
  )
  return form(messages, 'message', 'finish_reason', 'finishReason', 'index')
}

/** A streamed answer as Langfuse puts it together: `{content, tool_calls}`. */
function withoutRole(value: Fields, role: string): ReadForm | null {
  const { content, tool_calls: calls } = value
  if (!isList(calls) || (content !== undefined && content !== null && typeof content !== 'string')) return null
  return form([toMessage(value, role)], ...Object.keys(value))
}

/** `{content}`: of ADK with a role and parts, of MCP, AI SDK and Bedrock a list of parts, of agents a text. */
function inContent(value: Fields, role: string): ReadForm | null {
  const { content } = value
  if (typeof value['role'] === 'string') return null
  // The last piece of a stream of ADK has the usage alone.
  if (content === undefined && isFields(value['usageMetadata'])) return form([])
  if (isFields(content) && isList(content['parts'])) return form([toMessage(content, role)], 'content')
  if (isList(content) && content.length > 0 && content.every(isPart)) {
    return form([{ role, content: toParts(content) }], 'content')
  }
  // Agno and others: the answer of a run among its facts.
  const isRun = ['run_id', 'run_response', 'agent_id', 'session_id'].some((name) => name in value)
  return isRun && typeof content === 'string' ? form([said(role, content)], 'content') : null
}

function llamaIndexAnswer({ response, source_nodes: nodes }: Fields, role: string): ReadForm | null {
  if (typeof response !== 'string' || !isList(nodes)) return null
  const found = listedDocuments({ source_nodes: nodes }, true)
  return form([{ role, content: [textPart(response), ...(found?.[1] ?? [])] }], 'response', 'source_nodes')
}

function crewOutput(value: Fields, role: string): ReadForm | null {
  const { raw } = value
  const isOutput = typeof raw === 'string' && ('tasks_output' in value || 'agent' in value || 'pydantic' in value)
  return isOutput ? form([said(role, raw)], 'raw') : null
}

/** Lists that results of models have, mostly empty. */
const RESULT_LISTS = ['toolCalls', 'files', 'reasoning', 'sources', 'warnings', 'toolResults', 'steps'] as const

const FINISHED = ['finishReason', 'finish_reason'] as const

/** As AI SDK and Mastra have it: `{text, toolCalls, files: []}`; Dify has `finish_reason`. */
function aiSdkResult(value: Fields, role: string): ReadForm | null {
  const { text, toolCalls, reasoning, reasoningText, object, ...more } = value
  const isResult =
    typeof text === 'string' &&
    (RESULT_LISTS.some((name) => isList(value[name])) || FINISHED.some((name) => name in value))
  if (!isResult && !isList(toolCalls)) return null
  const thoughts = firstText({ reasoning, reasoningText }, 'reasoningText', 'reasoning')
  const content: Part[] = [
    ...(thoughts !== null ? [thought(thoughts)] : isList(reasoning) ? toParts(reasoning) : []),
    ...(typeof text === 'string' && text !== '' ? [textPart(text)] : []),
    ...(isEmpty(object) ? [] : [dataPart({ object })]),
    ...(isList(more['files']) ? toParts(more['files']) : []),
  ]
  return form(
    [{ role, content, ...(isEmpty(toolCalls) ? {} : { tool_calls: toolCalls }) }],
    'text',
    'object',
    'reasoningText',
    ...RESULT_LISTS,
  )
}

/** `{system, prompt}`, in n8n with other names, or `{system, messages}`; a prompt may be a list of messages. */
function aiSdkPrompt(value: Fields, role: string): ReadForm | null {
  const names = 'system_message' in value ? ['system_message', 'input'] : ['system', 'prompt']
  const [system, prompt] = names.map((name) => value[name])
  if (typeof system !== 'string' && !(prompt !== undefined && 'model' in value)) return null
  return form([...instructions(system), ...toMessages(parseJson(prompt), role)], ...names)
}

/** OpenLLMetry and OpenInference record the arguments of a function: the only one, or the named ones. */
function functionArguments({ args, kwargs = {}, ...more }: Fields, role: string): ReadForm | null {
  if (!isList(args) || !isFields(kwargs) || !hasNone(more)) return null
  if (args.length > 0 && !hasNone(kwargs)) return null
  const [only] = args
  const given = args.length === 0 ? kwargs : args.length === 1 ? only : args
  return args.length === 0 && hasNone(kwargs)
    ? form([], 'args', 'kwargs')
    : within(given, readValue(given, role), 'args', 'kwargs')
}

/** Members that are the text when they are alone, as in `{"input": "Hi"}`. */
const ONLY_TEXTS: ReadonlySet<string> = new Set([
  'input',
  'inputs',
  'question',
  'query',
  'prompt',
  'message',
  'text',
  'content',
  'output',
  'outputs',
  'answer',
  'response',
  'result',
  'completion',
  'final_output',
  'return_values',
  'generated_text',
  'user_input',
  'value',
  'raw',
])

function onlyText(value: Fields, role: string): ReadForm | null {
  // Dify writes the question beside its settings.
  const question = 'sys.query' in value ? 'sys.query' : 'message_tokens' in value ? 'message' : null
  if (question !== null) return within(value[question], readValue(value[question], role), question)
  const names = Object.keys(others(value)).filter((one) => !isFields(value[one]) || !hasNone(value[one]))
  const [name, ...more] = names
  if (name === undefined || more.length > 0 || !ONLY_TEXTS.has(name)) return null
  const only = value[name]
  const isText = typeof only === 'string' || (isList(only) && only.every((one) => typeof one === 'string'))
  if (isText) return form([{ role, content: toParts(only) }], name)
  if (!isFields(only) && !isList(only)) return null
  const read = readForm(only, role)
  return read === null ? null : within(only, read, name)
}

/** The form of a value with this one in it. */
function within(value: unknown, read: ReadForm, ...used: readonly string[]): ReadForm {
  return { messages: read.messages, used, inside: restOf(value, read) }
}

/** Members of a value that became no message; null without any. */
export function restOf(value: unknown, { used, inside }: ReadForm): Fields | null {
  const own = isFields(value) && used.length > 0 ? others(value, ...used) : {}
  const rest = { ...inside, ...own }
  return hasNone(rest) ? null : rest
}

/** The parts of `{content: [{text}]}`, as Genkit embeds it; null for other values. */
function contentAlone(value: unknown): readonly Part[] | null {
  if (!isFields(value) || !hasNone(others(value, 'content'))) return null
  const { content } = value
  return isList(content) && content.length > 0 && content.every(isPart) ? toParts(content) : null
}

/** The definition of a tool, which Langfuse adds to the messages as one of a tool; null for other values. */
function definitionIn(value: unknown): Fields | null {
  const { role, content } = isFields(value) ? value : {}
  if (role !== 'tool' || !isFields(content)) return null
  const tool = isFields(content['function']) ? content['function'] : content
  const schema = tool['parameters'] ?? tool['input_schema']
  return typeof tool['name'] === 'string' && isFields(schema) && !('arguments' in tool) ? content : null
}

/** A whole value by its form; null if the form is unknown. */
export function readForm(value: unknown, role: string): ReadForm | null {
  if (isList(value)) {
    if (value.length > 0 && value.every(isMessageList)) return form(toMessages(value.flat(), role))
    if (isMessageList(value)) {
      const tools = value.flatMap((one) => definitionIn(one) ?? [])
      const messages = tools.length === 0 ? value : value.filter((one) => definitionIn(one) === null)
      return { ...form(toMessages(messages, role)), inside: others({ tools }) }
    }
    const texts = value.map(contentAlone)
    if (texts.length > 0 && texts.every((one) => one !== null)) return form([{ role, content: texts.flat() }])
    const only: unknown = value[0]
    if (value.length === 1 && isFields(only) && !isPart(only)) {
      const read = readForm(only, role)
      if (read !== null) return within(only, read)
    }
    const listed = listedDocuments({ documents: value }, false)
    return listed === null ? null : form([{ role: role === 'user' ? role : 'tool', content: listed[1] }])
  }
  if (!isFields(value)) return null
  const whole = messagesAnswer(value)
  if (whole !== null) return whole
  if (isMessage(value)) return form(toMessages(value, role), ...Object.keys(value))
  for (const { read } of PAYLOAD_FORMS) {
    const found = read(value, role)
    if (found !== null) return found
  }
  return null
}

/** The same; a value of no known form is one message. */
export function readValue(value: unknown, role: string): ReadForm {
  return readForm(value, role) ?? form(isEmpty(value) || value === '' ? [] : [{ role, content: toParts(value) }])
}
