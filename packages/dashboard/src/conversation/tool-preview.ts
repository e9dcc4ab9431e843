import { withoutAnsi } from '../lib/ansi-text.ts'
import type { MessagePart } from '@spoor/payloads/message-parts'

const LENGTH = 120

/** The arguments of a call in one short line: `city: "Oslo", days: 3`. */
export function previewOfInput(input: unknown): string {
  if (input === undefined || input === null) return ''
  if (typeof input !== 'object') return oneLine(String(input))
  if (Array.isArray(input)) return oneLine(JSON.stringify(input))
  return oneLine(
    Object.entries(input)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}`)
      .join(', '),
  )
}

/** The start of a result in one short line. */
export function previewOfResult(parts: readonly MessagePart[]): string {
  const [first] = parts
  if (first === undefined) return 'nothing'
  if (first.kind === 'text' || first.kind === 'thinking' || first.kind === 'document') return oneLine(first.text)
  if (first.kind === 'json' || first.kind === 'others') return oneLine(JSON.stringify(first.value) ?? '')
  return first.kind === 'tool-call' || first.kind === 'tool-result' ? 'a call' : 'media'
}

function oneLine(text: string): string {
  const line = withoutAnsi(text.slice(0, 4 * LENGTH))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > LENGTH ? `${line.slice(0, LENGTH)}…` : line
}
