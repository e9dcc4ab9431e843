/** The parts of a step that decide which steps it resembles. */
export interface StepText {
  readonly name: string
  readonly type: string
  readonly failed: boolean
  /** Class of the error, `TimeoutError`; null when the client named none. */
  readonly errorType: string | null
  readonly messages: readonly MessageText[]
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
 * The text is bounded for any trace: MESSAGE_LENGTH characters of a message, ASKED_LENGTH of all messages, and the
 * first STEP_COUNT steps.
 */
export function textOf(steps: readonly StepText[]): TraceText {
  return { asked: askedIn(steps), done: doneIn(steps.slice(0, STEP_COUNT)) }
}

const MESSAGE_LENGTH = 8192
const ASKED_LENGTH = 16_384
const STEP_COUNT = 1000
const USER_ROLES: ReadonlySet<string> = new Set(['user', 'human'])

function askedIn(steps: readonly StepText[]): string[] {
  const asked = new Set<string>()
  let room = ASKED_LENGTH
  for (const { messages } of steps) {
    for (const message of messages) {
      if (room === 0) return [...asked]
      if (!USER_ROLES.has(message.role.toLowerCase())) continue
      const text = beginning(message.texts, Math.min(room, MESSAGE_LENGTH))
      if (asked.has(text)) continue
      asked.add(text)
      room -= text.length
    }
  }
  return [...asked]
}

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
  for (const { name, type, failed, errorType } of steps) {
    done.push(name, `type:${type}`)
    if (failed || errorType !== null) done.push(`error:${errorType ?? ''}`)
  }
  return done
}
