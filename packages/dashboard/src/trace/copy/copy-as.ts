import type { MessagePart } from '@spoor/payloads/message-parts'
import { toText } from '@spoor/payloads/json'
import { printPart } from '@spoor/payloads/print-message'
import { isModelRole } from '@spoor/payloads/said'
import type { Turn } from '../../conversation/turn.ts'

/** A message of a test case, in the form of OpenAI's chat API. */
interface CaseMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly {
    readonly id: string
    readonly type: 'function'
    readonly function: { readonly name: string; readonly arguments: string }
  }[]
  readonly tool_call_id?: string
}

interface TestCase {
  readonly name: string
  readonly trace_id: string
  readonly step_id: string | null
  /** What came before the answer of the step. */
  readonly messages: readonly CaseMessage[]
  /** What the run said or called there; empty if it ended. */
  readonly answer: readonly CaseMessage[]
}

/**
 * A run up to a step, to be run again: its messages, and what it answered then. Without a step, or with one that is not
 * in the conversation, up to its last answer.
 */
export function toTestCase(
  { id, name }: { readonly id: string; readonly name: string },
  turns: readonly Turn[],
  stepId: string | null,
): TestCase {
  const isAnswer = (turn: Turn) => turn.kind === 'tool' || (turn.kind === 'message' && isModelRole(turn.role))
  const ofStep = stepId === null ? -1 : turns.findIndex((turn) => turn.stepId === stepId && isAnswer(turn))
  const found = ofStep === -1 ? turns.findLastIndex(isAnswer) : ofStep
  const end = found === -1 ? turns.length : found
  const answered = turns[end]
  return {
    name,
    trace_id: id,
    step_id: ofStep === -1 ? null : stepId,
    messages: turns.slice(0, end).flatMap(toMessages),
    answer: answered === undefined ? [] : toMessages(answered, end).slice(0, 1),
  }
}

function toMessages(turn: Turn, index: number): readonly CaseMessage[] {
  switch (turn.kind) {
    case 'prompt':
      return [{ role: 'system', content: turn.text }]
    case 'message': {
      return [{ role: isModelRole(turn.role) ? 'assistant' : turn.role, content: textOf(turn.parts) }]
    }
    case 'tool': {
      const id = `call_${index}`
      const { name, input, result, error } = turn
      const call = { name: name ?? 'unknown', arguments: toText(input ?? {}) }
      return [
        { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: call }] },
        { role: 'tool', content: error ?? textOf(result ?? []), tool_call_id: id },
      ]
    }
    case 'error':
      return []
  }
}

/** The conversation of a run as Markdown. */
export function toMarkdown(
  { id, name }: { readonly id: string; readonly name: string },
  turns: readonly Turn[],
): string {
  const said = turns.map((turn) => {
    switch (turn.kind) {
      case 'prompt':
        return `## System\n\n${turn.text}`
      case 'message':
        return `## ${turn.role.slice(0, 1).toUpperCase() + turn.role.slice(1)}\n\n${textOf(turn.parts)}`
      case 'tool': {
        const input = turn.input === undefined ? '' : `\n\n${fenced(toText(turn.input))}`
        const result = turn.error ?? (turn.result === null ? null : textOf(turn.result))
        return `## Tool: ${turn.name ?? 'unknown'}${input}${result === null ? '' : `\n\n${fenced(result)}`}`
      }
      case 'error':
        return `## Error in ${turn.step}\n\n${fenced(turn.text)}`
    }
  })
  return [`# ${name}`, `Trace ${id}`, ...said].join('\n\n') + '\n'
}

/** In a fence that is longer than any in the text. */
function fenced(text: string): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map(({ length }) => length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}\n${text}\n${fence}`
}

/** Without what a model thought, which no provider takes back as text. */
function textOf(parts: readonly MessagePart[]): string {
  return parts
    .filter(({ kind }) => kind !== 'thinking')
    .map(printPart)
    .join('\n')
}
