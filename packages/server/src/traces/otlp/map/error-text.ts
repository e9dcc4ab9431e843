type Failure = Readonly<Record<string, string>>

const NAME = String.raw`[\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Warning|Failure)`
const NAMED = new RegExp(String.raw`^(${NAME}): ?([\s\S]*)$`)
/** Python prints the value of an exception: `ValueError('too hot')`. */
const REPR = /^([A-Za-z_][\w.]*)\((.*)\)\s*$/s
const QUOTED = /^(['"])([\s\S]*)\1,?$/
const TRACEBACK = 'Traceback (most recent call last):'
/** The first line of a stack of JavaScript that is a place: `    at name (file:1:2)`. */
const FRAME = /\n[ \t]+at [^\n]*(?::\d+\)?|\(<anonymous>\)|\(native\))(?:\n|$)/
/** A line that names an error, as the one above the places does. */
const NAMING = new RegExp(String.raw`^[ \t]*(${NAME})(?:: |$)`)

/** Type, message and stack of an error, which LangSmith and LangChain have as one text. */
export function errorOf(text: string): Failure {
  const traceback = text.indexOf(TRACEBACK)
  if (traceback !== -1) {
    const head = text.slice(0, traceback).trim()
    const lastLine = text.trimEnd().split('\n').at(-1) ?? ''
    return { ...namedBy(head === '' ? lastLine : head), stacktrace: text.slice(traceback) }
  }
  const frame = FRAME.exec(text)
  if (frame === null) return namedBy(text)
  // The message stands before the stack, which begins with the type and the message again.
  const lines = text.slice(0, frame.index).split('\n')
  const at = lines.findLastIndex((line) => NAMING.test(line))
  const type = NAMING.exec(lines[at] ?? '')?.[1]
  const head = lines.slice(0, at === -1 ? undefined : at).join('\n')
  const named = namedBy((head.trim() === '' ? lines.join('\n') : head).trim())
  return { ...(type === undefined ? {} : { type }), ...named, stacktrace: text.slice(head.length).trim() }
}

function namedBy(text: string): Failure {
  const [, type, rest] = NAMED.exec(text) ?? REPR.exec(text) ?? []
  if (type === undefined || rest === undefined) return { message: text }
  return { type, message: QUOTED.exec(rest)?.[2] ?? rest }
}
