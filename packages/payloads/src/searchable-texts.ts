/** The texts of a step for full-text search. */
export interface SearchableStep {
  readonly name: string
  readonly messages?: readonly object[] | null | undefined
  readonly error?: { readonly type?: string; readonly message?: string } | null | undefined
}

/**
 * The texts by which a step is found: its name, the type and message of its error, and all texts and numbers of its
 * messages, with arguments and results of tools. Keys of objects are left out, and so are roles, types, ids of calls,
 * encoded bytes and addresses of media. JSON inside a text stays as it is, with its keys.
 */
export function searchableTexts({ name, messages, error }: SearchableStep): string[] {
  const texts = [name]
  if (error?.type !== undefined) texts.push(error.type)
  if (error?.message !== undefined) texts.push(error.message)
  if (messages !== undefined && messages !== null) for (const message of messages) collect(message, true, texts)
  return texts
}

/** Members that say how a message, a part or a call is built, not what it says. */
const STRUCTURE = new Set([
  'role',
  'type',
  'id',
  'tool_call_id',
  'tool_use_id',
  'call_id',
  'toolCallId',
  'toolUseId',
  'signature',
  'mime_type',
  'mimeType',
  'mediaType',
])
/** Lists of parts and calls. The content of other members, such as arguments, belongs to the user. */
const LISTS = new Set(['content', 'parts', 'tool_calls'])
const BYTES = /^(?:media:\/\/|data:[^,]{0,200};base64,|[\w+/=-]{512})/

/**
 * `isFrame`: the value is a message, a part or a call, or a list of them. Recurses as deep as the value, which intake
 * has bounded.
 */
function collect(value: unknown, isFrame: boolean, texts: string[]): void {
  if (typeof value === 'string') {
    if (!BYTES.test(value)) texts.push(value)
  } else if (typeof value === 'number') {
    texts.push(String(value))
  } else if (Array.isArray(value)) {
    for (const each of value) collect(each, isFrame, texts)
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (isFrame && STRUCTURE.has(key)) continue
      if (isFrame && key === 'text' && typeof member === 'string') texts.push(member)
      else collect(member, isFrame && LISTS.has(key), texts)
    }
  }
}
