import { documentsIn, listedDocuments } from './forms/documents.ts'
import { isMessage, isMessageList, type Message } from './forms/message-forms.ts'
import { dataPart } from './forms/part.ts'
import { isPart, toParts } from './forms/part-forms.ts'
import { readForm, readValue, restOf } from './forms/payload-forms.ts'
import { type Fields, hasNone, isEmpty, isFields, isList, others, parseJson, toText } from './json.ts'
import { joined, piecesOfText } from './streamed.ts'
import { type PayloadUsage, usageIn } from './usage.ts'

/** Whether a payload was given to its reader, or came from it. */
export type Side = 'input' | 'output'
export type Reader = 'model' | 'tool' | 'retriever'

export interface Payload {
  readonly messages: readonly Message[]
  /** Members that became no message: ids, settings, definitions of tools. Null without any. */
  readonly rest: Fields | null
  readonly usage: PayloadUsage | null
}

const NOTHING: Payload = { messages: [], rest: null, usage: null }

/**
 * The messages of a whole input or output of any provider or framework. A text may be JSON. `reader` is the callee:
 * arguments of a tool are always data, and a retriever answers with documents.
 */
export function readPayload(sent: unknown, side: Side, reader: Reader): Payload {
  const pieces = typeof sent === 'string' ? piecesOfText(sent) : null
  const value = pieces ?? parseJson(sent)
  if (isEmpty(value) || value === '') return NOTHING
  if (reader === 'tool') return { ...NOTHING, messages: [side === 'input' ? toolInput(value) : toolOutput(value)] }
  if (reader === 'retriever' && side === 'output') {
    const found = foundDocuments(value)
    if (found !== null) return found
  }
  const whole = isList(value) && side === 'output' ? (joined(value) ?? value) : value
  const read = readValue(whole, side === 'input' ? 'user' : 'assistant')
  return { messages: read.messages, rest: restOf(whole, read), usage: side === 'output' ? usageIn(whole) : null }
}

/** Results of a search. */
function foundDocuments(value: unknown): Payload | null {
  const listed = isFields(value) ? listedDocuments(value, true) : null
  const documents = listed?.[1] ?? documentsIn(value, true)
  if (documents === null || isMessageList(value)) return null
  const rest = isFields(value) ? others(value, listed![0]) : {}
  return { ...NOTHING, messages: [{ role: 'tool', content: documents }], rest: hasNone(rest) ? null : rest }
}

/** The arguments: in a call, of a function, or as they are. */
function toolInput(value: unknown): Message {
  const role = 'assistant'
  if (!isFields(value)) return { role, content: isList(value) ? [dataPart(value)] : toParts(value) }
  const { args, kwargs } = value
  // LangChain passes all arguments as one text of JSON. Any other `args` is an argument of the tool.
  const only = isList(args) && args.length === 1 && typeof args[0] === 'string' ? parseJson(args[0]) : null
  const beside = { ...others(value, 'args', 'kwargs'), ...(isFields(kwargs) ? kwargs : {}) }
  if (isFields(only) && hasNone(beside)) return { role, content: [dataPart(only)] }
  if (isList(args) && isFields(kwargs)) {
    const given = args.length === 0 ? kwargs : hasNone(kwargs) && args.length === 1 ? args[0] : value
    return { role, content: isFields(given) ? [dataPart(given)] : toParts(given) }
  }
  // Gemini CLI records the request of the call, LangChain the call itself.
  const isCall = typeof value['name'] === 'string' && isFields(args) && ('callId' in value || 'id' in value)
  return { role, content: [dataPart(isCall ? args : value)] }
}

/** The result: a message of a tool, parts as MCP and Bedrock have them, or data. */
function toolOutput(value: unknown): Message {
  const role = 'tool'
  if (isList(value)) {
    const read = value.every(isPart) || isMessageList(value) ? null : readForm(value, role)
    if (read !== null && restOf(value, read) === null)
      return { role, content: read.messages.flatMap(({ content = [] }) => content) }
    return { role, content: value.every(isPart) || !value.some(isFields) ? toParts(value) : [dataPart(value)] }
  }
  if (!isFields(value)) return { role, content: toParts(value) }
  const [message] = isMessage(value) ? (readForm(value, role)?.messages ?? []) : []
  if (message !== undefined) return { ...message, role }
  const { content, response, output, isError, is_error: failed } = value
  // LangChain puts the message of a tool into an object of one member.
  if ((isMessage(output) || isMessageList(output)) && hasNone(others(value, 'output'))) return toolOutput(output)
  if (isList(content) && content.length > 0 && content.every(isPart)) {
    return { role, content: toParts(content), ...(isError === true || failed === true ? { is_error: true } : {}) }
  }
  const parts = isFields(response) ? response['responseParts'] : undefined
  if (isList(parts) && parts.length > 0 && parts.every(isPart)) return { role, content: toParts(parts) }
  const listed = listedDocuments(value, false)
  if (listed !== null && hasNone(others(value, listed[0]))) return { role, content: listed[1] }
  const isText = typeof value['text'] === 'string' && Object.keys(value).length === 1
  return { role, content: isText ? toParts(toText(value['text'])) : [dataPart(value)] }
}
