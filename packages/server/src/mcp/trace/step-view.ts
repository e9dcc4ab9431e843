import type { Step } from '@spoor/contract/schemas/traces/step'
import { compact, cut, firstCharacters } from '../compact.ts'
import { recorded } from '../recorded.ts'
import { type StepText, stepTexts } from './step-texts.ts'

/** A step as it is shown, with its texts as long as the answer could show them. */
export interface StepView {
  readonly position: number
  readonly fields: Readonly<Record<string, unknown>>
  /** Its recorded names, which are short. */
  readonly names: Readonly<Record<string, unknown>>
  readonly texts: readonly (StepText & { readonly chars: number })[]
}

/** An error is shown up to this length, however short other texts become. */
const ERROR_CHARS = 1000
const NAME_CHARS = 100
const MOST_ATTACHMENTS = 5
/** A shorter text is repeated. */
const REPEATED_CHARS = 100

/** `shown` has the texts of earlier steps: agents often send the whole conversation again with each step. */
export function toStepView(step: Step, mostChars: number, shown: Map<string, string>): StepView {
  const texts = stepTexts(step).map(({ part, text }) => {
    const earlier = text.length < REPEATED_CHARS ? undefined : shown.get(text)
    if (earlier !== undefined) {
      const reference = `(the same as step ${earlier})`
      return { part, text: reference, chars: reference.length }
    }
    if (text.length >= REPEATED_CHARS) shown.set(text, `${step.position} ${part}`)
    return { part, text: firstCharacters(text, mostChars), chars: text.length }
  })
  const names = {
    name: cut(step.name, NAME_CHARS),
    type: step.type,
    model: step.model === null ? null : cut(step.model, NAME_CHARS),
  }
  return { position: step.position, fields: stepFields(step), names, texts }
}

function stepFields(step: Step): Record<string, unknown> {
  const { input, output } = step.token_usage ?? {}
  const isFailed = step.status === 'error'
  return compact({
    step: step.position,
    id: step.id,
    status: isFailed ? 'error' : null,
    parent: step.parent_inferred ? null : step.parent_step_id,
    duration_ms: durationMs(step),
    tokens: input === undefined && output === undefined ? null : { input, output },
    attachments: step.attachments.slice(0, MOST_ATTACHMENTS).map(({ id }) => id),
  })
}

function durationMs({ started_at, ended_at }: Step): number | null {
  return started_at === null || ended_at === null ? null : Date.parse(ended_at) - Date.parse(started_at)
}

/** The step with no text longer than `textChars`, but for errors. */
export function printStep({ fields, names, texts, position }: StepView, textChars: number): string {
  const messages: string[] = []
  const members: Record<string, unknown> = { ...names }
  for (const { part, text, chars } of texts) {
    const most = part === 'error' ? Math.max(textChars, ERROR_CHARS) : textChars
    const short = shorten(text, chars, most, `step ${position}, part ${part}`)
    if (part.startsWith('messages/')) messages.push(short)
    else members[part] = short
  }
  return JSON.stringify({ ...fields, ...recorded({ ...members, messages }) })
}

/** The start of a text, and how to read on. `chars` is its whole length. */
export function shorten(text: string, chars: number, most: number, where: string): string {
  if (chars <= most) return text
  const start = firstCharacters(text, most)
  const end = `… [${chars - start.length} more characters: ${where}, offset ${start.length}]`
  return chars <= text.length && chars <= start.length + end.length ? text : start + end
}
