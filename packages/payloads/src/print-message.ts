import { type Fields, toText } from './json.ts'
import { type MessagePart, partsOf } from './message-parts.ts'

/** A message as plain text: its role, then its parts, one below the other. Parts without text are in brackets. */
export function printMessage(message: Fields): string {
  return `${toText(message['role'])}: ${printParts(message)}`
}

export function printParts(message: Fields): string {
  return partsOf(message).map(printPart).join('\n')
}

export function printPart(part: MessagePart): string {
  switch (part.kind) {
    case 'text':
      return part.text
    case 'thinking':
      return `[thinks] ${part.text}`
    case 'media':
      return `[${part.uri}]`
    case 'image-data':
      return '[image]'
    case 'link':
      return `[${part.label}: ${part.url}]`
    case 'document':
      return `${printDocument(part)} ${part.text}`
    case 'tool-call':
      return `[calls ${part.name}${ofCall(part.id)}] ${part.input === undefined ? '' : toText(part.input)}`.trimEnd()
    case 'tool-result':
      return `[${part.failed ? 'failed' : 'returned'}${ofCall(part.id)}] ${part.parts.map(printPart).join('\n')}`
    case 'json':
    case 'others':
      return toText(part.value)
  }
}

function ofCall(id: string | null): string {
  return id === null ? '' : ` ${id}`
}

function printDocument({ id, score, metadata }: Extract<MessagePart, { kind: 'document' }>): string {
  const facts = [
    ...(id === null ? [] : [id]),
    ...(score === null ? [] : [`score ${score}`]),
    ...(Object.keys(metadata).length === 0 ? [] : [toText(metadata)]),
  ]
  return `[document${facts.length === 0 ? '' : ` ${facts.join(', ')}`}]`
}
