type Failure = Readonly<Record<string, string>>

const NAME = String.raw`[\w.]*(?:Error|Exception|Exit|Interrupt|Timeout|Warning|Failure)`
const NAMED = new RegExp(String.raw`^(${NAME}): ?([\s\S]*)$`)
/** Python prints the value of an exception: `ValueError('too hot')`. */
const REPR = /^([A-Za-z_][\w.]*)\((.*)\)\s*$/s
const QUOTED = /^(['"])([\s\S]*)\1,?$/
const TRACEBACK = 'Traceback (most recent call last):'
/** The line of JavaScript's stack that names the error, and what is below it. */
const STACK = new RegExp(String.raw`(?:^|\n)\s*(?:(${NAME})(?:: [\s\S]*?)?)?\n\s+at [^\n]+`)

/** Type, message and stack of an error, which LangSmith has as one text. */
export function errorOf(text: string): Failure {
  const traceback = text.indexOf(TRACEBACK)
  if (traceback !== -1) {
    const head = text.slice(0, traceback).trim()
    const lastLine = text.trimEnd().split('\n').at(-1) ?? ''
    return { ...namedBy(head === '' ? lastLine : head), stacktrace: text.slice(traceback) }
  }
  const stack = STACK.exec(text)
  if (stack === null) return namedBy(text)
  // The message stands before the stack, which begins with the type and the message again.
  const head = text.slice(0, stack.index).trim()
  const named = namedBy(head === '' ? text.slice(0, text.search(/\n\s+at /)).trim() : head)
  return { ...(stack[1] === undefined ? {} : { type: stack[1] }), ...named, stacktrace: text.slice(stack.index).trim() }
}

function namedBy(text: string): Failure {
  const [, type, rest] = NAMED.exec(text) ?? REPR.exec(text) ?? []
  if (type === undefined || rest === undefined) return { message: text }
  return { type, message: QUOTED.exec(rest)?.[2] ?? rest }
}
