import type { Fixture } from '../../packages/payloads/src/fixtures/fixture.ts'
import { FORMS } from '../../packages/payloads/src/fixtures/forms.ts'
import { printMessage } from '../../packages/payloads/src/print-message.ts'
import { readPayload } from '../../packages/payloads/src/read-payload.ts'
import { markdownTable } from './markdown-table.ts'

const LINE = 100
const BASE64 = /[\w+/]{60,}={0,2}/g

/** Every form of a payload, with an example and what the reader makes of it. */
export function payloadForms(): string {
  const table = markdownTable([
    ['Form', 'Written by'],
    ...FORMS.flatMap(({ fixtures }) => fixtures.map(({ form, by }) => [form, by])),
  ])
  const groups = FORMS.map(({ title, fixtures }) => [`## ${title}`, ...fixtures.map(example)].join('\n\n'))
  return [table, ...groups].join('\n\n')
}

function example({ form, payload, side, reader = 'model' }: Fixture): string {
  const sent = typeof payload === 'string' ? payload.trim() : printJson(JSON.parse(short(payload)) as unknown, '')
  const { messages } = readPayload(payload, side, reader)
  const read = messages.map(printMessage).join('\n')
  return [`### ${form}`, block(sent), 'is read as', block(read)].join('\n\n')
}

function block(text: string): string {
  const lines = text.split('\n').map((line) => line.trimEnd())
  return `\`\`\`\n${lines.join('\n')}\n\`\`\``
}

/** Without the bytes of pictures. */
function short(payload: unknown): string {
  return JSON.stringify(payload).replace(BASE64, '…')
}

/** On one line what fits on one. */
function printJson(value: unknown, indent: string): string {
  const line = JSON.stringify(value)
  if (indent.length + line.length <= LINE || typeof value !== 'object' || value === null) return line
  const deeper = `${indent}  `
  const inner = Array.isArray(value)
    ? value.map((one) => printJson(one, deeper))
    : Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${printJson(one, deeper)}`)
  const [open, close] = Array.isArray(value) ? ['[', ']'] : ['{', '}']
  return `${open}\n${inner.map((one) => deeper + one).join(',\n')}\n${indent}${close}`
}
