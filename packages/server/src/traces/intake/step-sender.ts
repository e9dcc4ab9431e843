import { isFields, isList } from '@spoor/payloads/json'
import { isModelRole } from '@spoor/payloads/said'
import { printSender, type StepMark } from '../../ports/traces/sender-counts.ts'
import type { PreparedStep } from '../../ports/traces/prepared.ts'
import { contentNames, type Sides, tokenName, type Unread } from './unread-content.ts'

/** Most characters of a scope and of a version. */
const LONGEST_SENDER = 100

/** What decides what a step lacks. */
export interface SentStep extends Pick<PreparedStep, 'type' | 'model' | 'status' | 'tokenUsage'> {
  /** Parsed; they may have any form. */
  readonly messages: unknown
  /** What became its metadata, by name. */
  readonly unread: Unread
  readonly isAboutAgents: boolean
  /** A long text in the metadata is unread content; in the API it may be anything. */
  readonly takesTexts: boolean
  /** It goes on, so that what it lacks may come. */
  readonly isUnfinished: boolean
  /** Sides of a tool that were given without a value: a tool may take nothing and return nothing. */
  readonly empty: Sides
}

const CALLS: ReadonlySet<string> = new Set(['llm', 'embedding'])

/** The sender as the step is stored, with the marks of what the service found and did not find on it. */
export function senderOf(scope: string, version: string, step: SentStep): string {
  return printSender({ scope: bounded(scope), version: bounded(version), marks: marksOf(step) })
}

function bounded(text: string): string {
  return text.toWellFormed().slice(0, LONGEST_SENDER).toWellFormed()
}

function marksOf(step: SentStep): StepMark[] {
  const { type, model, tokenUsage: usage } = step
  // What a failed call did not return is not missing.
  const isWhole = step.status !== 'error' && !step.isUnfinished
  const marks: StepMark[] = []
  const mark = (kind: StepMark['kind'], attribute: string | null = null) => marks.push({ kind, attribute })
  const hasCost = (usage?.more?.sentCost ?? 0) > 0
  const hasTokens = usage !== null && (usage.input > 0 || usage.output > 0)
  if (type === 'other') mark('other')
  if (hasTokens && !hasCost && model !== null) mark('billed')
  const sides = sidesOf(step.messages, type === 'tool')
  const counted = type === 'other' ? tokenName(step.unread) : null
  const callsModel = type === 'other' && (counted !== null || model !== null || hasTokens)
  if (callsModel) mark('type', counted)
  else if (CALLS.has(type)) {
    if (model === null) mark('model')
    else if (!hasTokens && !hasCost && isWhole) mark('tokens')
  }
  if (type === 'llm' && isWhole && !sides.input && !sides.output) mark('text')
  // What an embedding returns is numbers.
  const has = {
    input: sides.input || step.empty.input,
    output: sides.output || step.empty.output || type === 'embedding' || !isWhole,
  }
  if (type === 'tool' && !has.input && !step.isUnfinished) mark('arguments')
  if (type === 'tool' && !has.output) mark('result')
  if (!has.input || !has.output) {
    const about = { isAboutAgents: step.isAboutAgents || callsModel, takesTexts: step.takesTexts }
    for (const name of contentNames(step.unread, has, about)) mark('content', name)
  }
  return marks
}

const OF_TOOLS: ReadonlySet<string> = new Set(['tool', 'function'])

/**
 * What was said to it and what it said; the history of a conversation has both. The arguments of a tool are in a call,
 * its result in a message of a tool, or in an answer to a message.
 */
function sidesOf(messages: unknown, isTool: boolean): Sides {
  let [input, output] = [false, false]
  if (!isList(messages)) return { input, output }
  for (const message of messages) {
    if (!isFields(message) || !saysSomething(message)) continue
    const role = typeof message['role'] === 'string' ? message['role'] : ''
    const isResult = OF_TOOLS.has(role)
    if (isTool) {
      output ||= isResult || (input && isModelRole(role))
      input ||= !isResult
    } else {
      output ||= isResult || isModelRole(role)
      input ||= !isModelRole(role)
    }
    if (input && output) break
  }
  return { input, output }
}

/** It has a content or calls a tool. */
function saysSomething({ content, tool_calls: calls, parts }: Readonly<Record<string, unknown>>): boolean {
  if (isList(calls) || isList(parts) || isText(content)) return true
  return isList(content) && content.some((part) => !isFields(part) || part['type'] !== 'text' || isText(part['text']))
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}
