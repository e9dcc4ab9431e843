import { parseStructured } from '@spoor/payloads/exact-json'
import type { FirstDivergence } from './first-divergence.ts'
import { leavesOf } from './leaves-of.ts'
import { type Action, argumentsOf } from './run-actions.ts'

/** Characters of an argument in a sentence. */
const VALUE_CHARS = 60

/** One sentence for readers. */
export function sentenceOf({ done, missing, instead: [most], successes }: FirstDivergence): string {
  const others = successes === 1 ? 'the only similar success' : `of ${successes} similar successes`
  const called =
    most === undefined ? null : `${successes === 1 ? others : `${most.count} ${others}`} called ${code(most.name)}`
  if (done === null) return `${upperFirst(called ?? others)}, and this run did not.`
  const other = most !== undefined && most.name === missing?.label && missing.tool === done.tool ? missing : null
  const [path, value, usual] = other === null ? [] : differingArgument(done, other)
  if (path !== undefined) {
    const having = successes === 1 ? others : `${most?.count} ${others}`
    return `This run called ${code(done.tool)} with ${value} as ${code(path)} where ${having} had ${usual}.`
  }
  const did = done.failed ? code(done.label) : `This run called ${code(done.label)}`
  if (called !== null) return `${did} where ${called}.`
  return `${did}, and ${successes === 1 ? `${others} did not` : `none ${others} did`}.`
}

const upperFirst = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** The first argument that differs, with both values. */
function differingArgument(done: Action, other: Action): readonly [path: string, value: string, other: string] | [] {
  const [first, second] = [argumentsOf(done), argumentsOf(other)]
  if (first === null || second === null) return []
  const [own, others] = [first, second].map((text) => new Map(leavesOf(parseStructured(text))))
  const path = [...own!.keys(), ...others!.keys()].find((one) => own!.get(one) !== others!.get(one))
  if (path === undefined) return []
  const shown = (values: Map<string, unknown>) =>
    values.has(path) ? code(shorten(String(values.get(path)))) : 'nothing'
  return [path.slice(1), shown(own!), shown(others!)]
}

const shorten = (text: string) => (text.length > VALUE_CHARS ? `${text.slice(0, VALUE_CHARS)}…` : text)

/** Backticks stand around what was recorded, and nowhere else. */
const code = (recorded: string) => `\`${recorded.replaceAll('`', "'")}\``
