import { type Fields, hasNone, isFields, isList, others, parseJson, toText } from '../json.ts'
import { documentOf } from './documents.ts'
import { foreignMedia } from './foreign-media.ts'
import { dataPart, type Part, textPart, thought } from './part.ts'

/**
 * Reads a part of a provider or framework. Null: the part is of another form. A form whose parts every reader knows
 * (`tool_use`, `tool-call`, `thinking`) is not here: such parts are stored as they were sent.
 */
type ReadPart = (part: Fields) => readonly Part[] | null

/** A call in the form that is stored. */
export function call(id: unknown, name: unknown, input: unknown): Part {
  const isNamed = typeof id === 'string' && id !== ''
  return {
    type: 'tool_call',
    ...(isNamed ? { id } : {}),
    name: typeof name === 'string' ? name : '',
    ...(input === undefined || input === null ? {} : { arguments: input }),
  }
}

/** A result in the form that is stored. `response` may be a list of parts. */
export function result(id: unknown, name: unknown, response: unknown, failed = false): Part {
  return {
    type: 'tool_call_response',
    ...(typeof id === 'string' && id !== '' ? { id } : {}),
    ...(typeof name === 'string' && name !== '' ? { name } : {}),
    response: isList(response) && response.every(isFields) ? response.flatMap(toPart) : response,
    ...(failed ? { is_error: true } : {}),
  }
}

export function toParts(value: unknown): readonly Part[] {
  if (isList(value)) {
    const isOfNumbers = value.length > 0 && value.every((one) => typeof one === 'number')
    return isOfNumbers ? [dataPart(value)] : value.flatMap(toPart)
  }
  return toPart(value)
}

/** Texts and known forms become parts that are stored; every other part stays verbatim. */
export function toPart(value: unknown): readonly Part[] {
  if (value === null || value === undefined) return []
  if (!isFields(value)) return [textPart(toText(value))]
  const { type, text } = value
  if (type === 'text' && typeof text === 'string' && Object.keys(value).length === 2) return [value as Part]
  const read = typeof type === 'string' ? ofType(type, value) : ofMembers(value)
  if (read !== null) return read
  if (hasNone(value)) return []
  if (typeof type === 'string' && (text === undefined || typeof text === 'string')) return [value as Part]
  return [dataPart(value)]
}

function ofType(type: string, part: Fields): readonly Part[] | null {
  const read = BY_TYPE.get(type) ?? (type.startsWith('tool-') && 'state' in part ? ofAiSdkTool : undefined)
  return read?.(part) ?? foreignMedia(part)
}

/** Whether the parts of a message, without its role, may be this value. */
export function isPart(value: unknown): boolean {
  return isFields(value) && (typeof value['type'] === 'string' || ofMembers(value) !== null)
}

function ofMembers(part: Fields): readonly Part[] | null {
  for (const [member, read] of BY_MEMBER) {
    if (part[member] === undefined || part[member] === null) continue
    const found = withoutLoss(part, member, read(part))
    if (found !== null) return found
  }
  return null
}

/** Members that describe a part. */
const OF_PART: ReadonlySet<string> = new Set(
  'type,id,index,name,filename,fileName,title,detail,format,mimeType,mime_type,mediaType,media_type,contentType,content_type,thought,thoughtSignature,thought_signature,videoMetadata,video_metadata,metadata,cache_control,cachePoint'.split(
    ',',
  ),
)
/** They read all that their part has. */
const WHOLE_FORMS: ReadonlySet<string> = new Set(['part_kind', 'block_type', 'text', 'reasoning', 'json'])

/** An object with other members says more than the part in it; null keeps it as data. A text stands before it. */
function withoutLoss(part: Fields, member: string, found: readonly Part[] | null): readonly Part[] | null {
  if (found === null || WHOLE_FORMS.has(member)) return found
  const more = Object.keys(others(part)).filter((name) => name !== member && !OF_PART.has(name))
  if (more.length === 0) return found
  return more.length === 1 && more[0] === 'text' && typeof part['text'] === 'string'
    ? [textPart(part['text']), ...found]
    : null
}

function ofText(part: Fields): readonly Part[] | null {
  const { text, content } = part
  const found = typeof text === 'string' ? text : isFields(text) ? text['value'] : content
  if (typeof found !== 'string') return null
  // Most have a type and a text.
  if (Object.keys(part).length === 2) return [textPart(found)]
  return [{ ...others(part, 'type', 'text', 'content', 'providerData'), type: 'text', text: found }]
}

const ofToolUse: ReadPart = (part) => [call(part['toolUseId'], part['name'], part['input'])]
const ofToolResult: ReadPart = (part) => [
  result(part['toolUseId'], part['name'], part['content'], part['status'] === 'error'),
]

/** A part of a user interface of AI SDK 5: call and result at once. */
function ofAiSdkTool(part: Fields): readonly Part[] {
  const id = part['toolCallId']
  const name = part['toolName'] ?? toText(part['type']).replace(/^tool-/, '')
  const { state } = part
  const input = part['input'] ?? part['args']
  const output = part['output'] ?? part['result'] ?? part['errorText']
  const isDone = state === 'output-available' || state === 'output-error' || state === 'result'
  return [call(id, name, input), ...(isDone ? [result(id, name, output, state === 'output-error')] : [])]
}

const ofInvocation: ReadPart = ({ toolInvocation }) => (isFields(toolInvocation) ? ofAiSdkTool(toolInvocation) : null)

/** A call of OpenAI's chat completions; a definition of a tool has no arguments. */
function ofFunction({ id, function: called }: Fields): readonly Part[] | null {
  if (!isFields(called) || called['arguments'] === undefined) return null
  return [call(id, called['name'], parseJson(called['arguments']))]
}

function ofToolError(part: Fields): readonly Part[] {
  const { error } = part
  return [result(part['toolCallId'], part['toolName'], isFields(error) ? (error['message'] ?? error) : error, true)]
}

function ofReasoning(part: Fields): readonly Part[] | null {
  const { reasoning } = part
  return typeof reasoning === 'string' ? [thought(reasoning)] : null
}

/** Mistral's thinking is a list of texts. */
function ofThinking({ thinking }: Fields): readonly Part[] | null {
  if (!isList(thinking)) return null
  return [thought(thinking.map((one) => (isFields(one) ? toText(one['text'] ?? '') : toText(one))).join('\n\n'))]
}

function ofDocument(part: Fields): readonly Part[] | null {
  const { source, document } = part
  if (isFields(source) && typeof source['data'] === 'string' && source['type'] === 'text') {
    return [documentPart({ ...others(part, 'type', 'source'), text: source['data'] })]
  }
  if (isFields(document)) return [documentPart({ ...document, text: document['text'] ?? toText(document['data']) })]
  if (source !== undefined || part['type'] === 'document') return null
  return [documentPart(part)]
}

/** A result of a search that the model was given, as in Anthropic's `search_result`. */
function documentPart(fields: Fields): Part {
  return documentOf(fields, true) ?? dataPart(fields)
}

const NOTHING: ReadPart = () => []

const BY_TYPE: ReadonlyMap<string, ReadPart> = new Map([
  ['text', ofText],
  ['input_text', ofText],
  ['output_text', ofText],
  ['textBlock', ofText],
  ['refusal', ({ refusal }) => (typeof refusal === 'string' ? [textPart(refusal)] : null)],
  ['toolUse', ofToolUse],
  ['toolUseBlock', ofToolUse],
  ['toolResult', ofToolResult],
  ['toolResultBlock', ofToolResult],
  ['reasoningBlock', ({ text }) => (typeof text === 'string' ? [thought(text)] : null)],
  ['jsonBlock', ({ json }) => [dataPart(json)]],
  ['cachePointBlock', NOTHING],
  ['tool-invocation', ofInvocation],
  ['dynamic-tool', ofAiSdkTool],
  ['tool-error', ofToolError],
  ['function', ofFunction],
  ['step-start', NOTHING],
  ['reasoning', ofReasoning],
  ['thinking', ofThinking],
  ['document', ofDocument],
  ['search_result', ofDocument],
])

/** Parts such as `{functionCall: …}`, by the name of the member. */
const inner =
  (name: string, read: ReadPart): ReadPart =>
  (part) => {
    const value = part[name]
    return isFields(value) ? read(value) : null
  }

const ofFunctionCall: ReadPart = ({ id, name, args, arguments: given }) =>
  typeof name === 'string' ? [call(id, name, args ?? given)] : null
const ofFunctionResponse: ReadPart = ({ id, name, response }) => [result(id, name, response)]
const ofCode: ReadPart = ({ code, language }) => [call(null, 'code_execution', others({ language, code }))]
const ofCodeResult: ReadPart = ({ output, outcome }) => [
  result(null, 'code_execution', output ?? '', outcome !== undefined && outcome !== 'OUTCOME_OK'),
]

/** Members that Google and others write beside a text; they have no meaning for a reader. */
const BESIDE_TEXT = ['text', 'thought', 'thoughtSignature', 'thought_signature', 'metadata', 'citations', 'annotations']

function ofPlainText(part: Fields): readonly Part[] | null {
  const { text } = part
  if (typeof text !== 'string' || !hasNone(others(part, ...BESIDE_TEXT))) return null
  const more = others(part, 'text', 'thought', 'thoughtSignature', 'thought_signature')
  return [part['thought'] === true ? thought(text) : { ...more, ...textPart(text) }]
}

function ofReasoningContent({ reasoningText, text }: Fields): readonly Part[] {
  const found = isFields(reasoningText) ? reasoningText['text'] : text
  return typeof found === 'string' ? [thought(found)] : []
}

function ofCitations({ content }: Fields): readonly Part[] {
  return isList(content) ? [textPart(content.map((one) => (isFields(one) ? toText(one['text']) : '')).join(''))] : []
}

/** Parts of Pydantic AI that a message of a model has. Those of a request have roles of their own. */
function ofPydantic(part: Fields): readonly Part[] | null {
  const { part_kind: kind, content } = part
  const id = part['tool_call_id']
  const name = part['tool_name']
  if (kind === 'text' || kind === 'user-prompt' || kind === 'system-prompt') return toParts(content)
  if (kind === 'thinking') return [thought(toText(content))]
  if (kind === 'tool-call' || kind === 'builtin-tool-call') return [call(id, name, part['args'])]
  if (kind === 'tool-return' || kind === 'builtin-tool-return') return [result(id, name, content)]
  if (kind === 'retry-prompt') return name === null ? toParts(content) : [result(id, name, content, true)]
  return null
}

function ofLlamaIndex(part: Fields): readonly Part[] | null {
  const { block_type: kind } = part
  if (kind === 'text') return typeof part['text'] === 'string' ? [textPart(part['text'])] : null
  if (kind === 'thinking') return [thought(toText(part['content'] ?? ''))]
  if (kind === 'tool_call') return [call(part['tool_call_id'], part['tool_name'], part['tool_kwargs'])]
  return foreignMedia(part)
}

const BY_MEMBER: ReadonlyMap<string, ReadPart> = new Map([
  ['part_kind', ofPydantic],
  ['block_type', ofLlamaIndex],
  ['text', ofPlainText],
  ['functionCall', inner('functionCall', ofFunctionCall)],
  ['function_call', inner('function_call', ofFunctionCall)],
  ['functionResponse', inner('functionResponse', ofFunctionResponse)],
  ['function_response', inner('function_response', ofFunctionResponse)],
  ['executableCode', inner('executableCode', ofCode)],
  ['executable_code', inner('executable_code', ofCode)],
  ['codeExecutionResult', inner('codeExecutionResult', ofCodeResult)],
  ['code_execution_result', inner('code_execution_result', ofCodeResult)],
  ['toolUse', inner('toolUse', ofToolUse)],
  ['toolResult', inner('toolResult', ofToolResult)],
  ['reasoningContent', inner('reasoningContent', ofReasoningContent)],
  ['citationsContent', inner('citationsContent', ofCitations)],
  ['guardContent', inner('guardContent', ({ text }) => (isFields(text) ? toPart({ text: text['text'] }) : null))],
  ['cachePoint', NOTHING],
  ['toolRequest', inner('toolRequest', ({ ref, name, input }) => [call(ref, name, input)])],
  ['toolResponse', inner('toolResponse', ({ ref, name, output }) => [result(ref, name, output)])],
  ['reasoning', (part) => (hasNone(others(part, 'reasoning', 'metadata')) ? ofReasoning(part) : null)],
  ['json', (part) => (hasNone(others(part, 'json')) ? [dataPart(part['json'])] : null)],
  ...['inlineData', 'inline_data', 'fileData', 'file_data', 'media', 'image', 'video', 'audio', 'document'].map(
    (name): [string, ReadPart] => [name, foreignMedia],
  ),
])
