import { causesOf, type EndedStep } from './failure-causes.ts'
import { withoutTemplate } from './template.ts'

/** The parts of a step that decide which steps it resembles. */
export interface StepText extends Omit<EndedStep, 'messages'> {
  readonly name: string
  readonly type: string
  /** The tools that it calls; a step of type `tool` is one call. */
  readonly tools: readonly string[]
  readonly messages: readonly MessageText[]
}

/** What a trace is besides its steps. */
export interface TraceHeading {
  readonly name: string
  /** The request, where the project says where it is and the trace has it; else null. */
  readonly input: string | null
}

export interface MessageText {
  readonly role: string
  /** The texts of its parts, in order. */
  readonly texts: readonly string[]
}

/** The texts that a trace is embedded from. */
export interface TraceText {
  /** The user's request. */
  readonly asked: readonly string[]
  /** The work: names, types and error classes of the steps, once for each step. */
  readonly done: readonly string[]
}

/**
 * The user's request and the work on it. System prompts, answers and tool results are left out: they describe the
 * agent, not the run. A repeated message counts once: otherwise clients that send the whole conversation with every
 * step would give its beginning more weight.
 *
 * For failures, what went wrong and the failed steps take their places.
 *
 * Without any text of the user, the name of the trace is the request. A trace that calls tools in the messages of its
 * model alone has these calls as work.
 *
 * The text is bounded for any trace: MESSAGE_LENGTH characters of a message, ASKED_LENGTH of all messages, and the
 * first STEP_COUNT steps.
 */
export function textOf(
  steps: readonly StepText[],
  heading: TraceHeading = UNNAMED,
  template: ReadonlySet<number> = NO_TEMPLATE,
  subject: TextSubject = 'requests',
): TraceText {
  const named = heading.name === '' ? [] : [heading.name]
  const asked: string[] = []
  let room = ASKED_LENGTH
  for (const text of subject === 'failures' ? causesOf(steps) : requestsOf(steps, heading)) {
    if (room === 0) break
    const own = withoutTemplate(text, template).slice(0, Math.min(room, MESSAGE_LENGTH))
    if (asked.includes(own)) continue
    asked.push(own)
    room -= own.length
  }
  const ofWork = subject === 'failures' ? steps.filter(({ failed }) => failed) : steps
  const done = doneIn(ofWork.slice(0, STEP_COUNT))
  return { asked: asked.length > 0 ? asked : named, done: subject === 'failures' ? done : [...named, ...done] }
}

/** What a trace is about: the request, or what went wrong. */
export type TextSubject = 'requests' | 'failures'

/** The texts of the user with their templates, each once and not longer than READ_LENGTH. */
export function* requestsOf(steps: readonly StepText[], { input }: TraceHeading): Generator<string> {
  if (input !== null) return yield input.slice(0, READ_LENGTH)
  const known = new Set<string>()
  for (const { role, texts } of steps.flatMap(({ messages }) => messages)) {
    if (!USER_ROLES.has(role.toLowerCase())) continue
    const text = beginning(texts, READ_LENGTH)
    if (!known.has(text)) yield text
    known.add(text)
  }
}

const NO_TEMPLATE: ReadonlySet<number> = new Set()
const UNNAMED: TraceHeading = { name: '', input: null }

/** Of a message, with its template. */
const READ_LENGTH = 65_536
const MESSAGE_LENGTH = 8192
const ASKED_LENGTH = 16_384
const STEP_COUNT = 1000
const USER_ROLES: ReadonlySet<string> = new Set(['user', 'human'])

function beginning(texts: readonly string[], length: number): string {
  let text = ''
  for (const part of texts) {
    if (text.length >= length) break
    text += (text === '' ? '' : '\n') + part.slice(0, length - text.length)
  }
  return text.slice(0, length)
}

function doneIn(steps: readonly StepText[]): string[] {
  const done: string[] = []
  // A call in the message of a model is the same as the step of its tool.
  const own = new Set(steps.flatMap(({ type, name, tools }) => (type === 'tool' ? [name, ...tools] : [])))
  for (const { name, type, failed, errorType, tools } of steps) {
    if (type === 'tool') done.push(...(tools.length > 0 ? tools : [name]))
    else done.push(name, ...tools.filter((tool) => !own.has(tool)))
    done.push(`type:${type}`)
    if (failed || errorType !== null) done.push(`error:${errorType ?? ''}`)
  }
  return done
}
