/*
 * What lists and the page of a trace show of what was said. The reader of messages is the package `payloads`.
 */

/** Most characters of a preview, UTF-16. */
export const PREVIEW_LENGTH = 240
/** Enough characters of most texts: looking for what is folded takes most of the time of a preview. */
const FIRST_READ = 288
/** ASCII: with `…` the whole row would be printed at half the speed. */
const MORE = '...'

/** Texts of steps of these types are no answer to the user. */
const SILENT_STEPS: ReadonlySet<string> = new Set([
  'tool',
  'retrieval',
  'embedding',
  'rerank',
  'guardrail',
  'evaluator',
])

/** Whether what a step of this type says counts as an answer: not what a tool or an evaluator says. */
export function mayAnswer(stepType: string): boolean {
  return !SILENT_STEPS.has(stepType)
}

/** `TimeoutError: It took too long.`; null for an error without a type and a message. */
export function failureText(error: unknown): string | null {
  if (!isFields(error)) return null
  const said = [error['type'], error['message']].filter((each) => typeof each === 'string' && each.trim() !== '')
  return said.length === 0 ? null : said.join(': ')
}

/**
 * The beginning of a text in one line: runs of white space are one blank, control characters are left out. At most
 * PREVIEW_LENGTH characters, which end with `...` if there is more. Valid Unicode.
 */
export function toPreview(text: string): string {
  let line = ''
  // More than is shown: the last ones may be half of what colours a terminal.
  for (let read = FIRST_READ; line.length < PREVIEW_LENGTH + 16; read *= 2) {
    line = folded(text.slice(0, read))
    if (text.length <= read) break
  }
  if (line.length <= PREVIEW_LENGTH) return line.toWellFormed()
  const end = PREVIEW_LENGTH - MORE.length
  // Half of a character would not be valid.
  const isCut = isHighSurrogate(line.charCodeAt(end - 1))
  return `${line.slice(0, isCut ? end - 1 : end).trimEnd()}${MORE}`.toWellFormed()
}

/** Colours of terminals and other characters that show nothing. */
// oxlint-disable-next-line no-control-regex -- they are what is removed
const UNSEEN = /\u001b\[[\d;?]*[A-Za-z]|[\u0000-\u0008\u000e-\u001f\u007f]/g

/** Most texts have none of it: one test instead of two replacements. */
// oxlint-disable-next-line no-control-regex -- control characters are folded or removed
const TO_FOLD = /[\u0000-\u001f\u007f\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]| {2}/

function folded(text: string): string {
  return TO_FOLD.test(text) ? text.replace(UNSEEN, '').replace(/\s+/g, ' ').trim() : text.trim()
}

function isHighSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff
}

function isFields(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
